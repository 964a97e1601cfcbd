"""Stop words: the English list, lists from files, and the check of the option."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

# What is left of "don't", "we've" and "they'll" when words are runs of letters; scikit-learn's list has not got them.
CONTRACTIONS = [
    "ain",
    "aren",
    "couldn",
    "didn",
    "doesn",
    "don",
    "hadn",
    "hasn",
    "haven",
    "isn",
    "ll",
    "mightn",
    "mustn",
    "needn",
    "shan",
    "shouldn",
    "ve",
    "wasn",
    "weren",
    "wouldn",
]


@cache
def english() -> frozenset[str]:
    """scikit-learn's English list and the pieces of contractions.

    The list is a file of its own and is run alone where it exists: importing all of scikit-learn for it would take a
    second of every search.
    """
    spec = find_spec("sklearn")
    file = Path(spec.origin).with_name("feature_extraction") / "_stop_words.py" if spec and spec.origin else None
    if file is None or not file.is_file():
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS).union(CONTRACTIONS)
    return frozenset(run_path(str(file))["ENGLISH_STOP_WORDS"]).union(CONTRACTIONS)


def read_stop_words(path: str | os.PathLike[str], encoding: str = "utf-8") -> tuple[str, ...]:
    """The words of a file, in lower case; lines that start with # are left out."""
    try:
        lines = Path(path).read_text(encoding=encoding).splitlines()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file of stop words {path}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"The file of stop words {path} is not {encoding}; save it as that.") from None
    return tuple(dict.fromkeys(w for line in lines if not line.startswith("#") for w in line.lower().split()))


def check_stop_words(stop_words: object) -> None:
    """Refuse what is not "english", None or a tuple of words."""
    if stop_words is None or stop_words == "english":
        return
    if isinstance(stop_words, str):
        raise ValueError(f'There are no stop words {stop_words!r}: use "english", None, or the words themselves.')
    if not isinstance(stop_words, tuple) or not all(isinstance(word, str) for word in stop_words):
        raise TypeError(f'stop_words must be "english", None or a tuple of words, not {stop_words!r}.')
