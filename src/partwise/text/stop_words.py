"""Stop words: the English list, those of other languages from the package ``stop-words``, and lists from files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from runpy import run_path

from partwise.arguments import quoted
from partwise.text.characters import fold
from partwise.text.tokenizer import HIRAGANA_WORD

ENGLISH, AUTO, LANGUAGE = "english", "auto", "language"

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
NEGATIONS = (*(f"{word}'t" for word in CONTRACTIONS), "can't", "won't", "cannot", "y'all")
PRONOUNS = ("he", "how", "i", "it", "she", "that", "there", "they", "this", "we", "what", "when", "where", "who", "you")
SHORTENED = tuple(f"{word}'{verb}" for word, verb in product(PRONOUNS, ("d", "ll", "m", "re", "ve")))

ELISIONS = {
    "catalan": ("als", "dels"),
    "french": ("jusqu", "lorsqu", "puisqu", "qu", "quelqu", "quoiqu"),
    "italian": ("all", "coll", "dall", "dell", "nell", "quell", "quest", "sull", "un"),
}
"""Languages in which an apostrophe parts an article from its word, and what stays of the articles."""


@dataclass(frozen=True)
class StopWords:
    """A set of words; with ``hiragana`` whatever is written in that script alone, as Japanese endings are."""

    words: frozenset[str] = frozenset()
    hiragana: bool = False

    def __contains__(self, word: str) -> bool:
        return word in self.words or (self.hiragana and HIRAGANA_WORD.fullmatch(word) is not None)


@cache
def english() -> frozenset[str]:
    """scikit-learn's English list, contractions and the pieces of contractions.

    The list is a file of its own and is run alone where it exists: importing all of scikit-learn for it would take a
    second of every search.
    """
    spec = find_spec("sklearn")
    file = Path(spec.origin).with_name("feature_extraction") / "_stop_words.py" if spec and spec.origin else None
    if file is None or not file.is_file():
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS as words
    else:
        words = run_path(str(file))["ENGLISH_STOP_WORDS"]
    return frozenset(words).union(CONTRACTIONS, NEGATIONS, SHORTENED)


@cache
def language_names() -> dict[str, str]:
    """name or ISO code -> name of every language with stop words; English alone where ``stop-words`` is missing."""
    try:
        import stop_words  # imported late: only other languages than English need it
    except ImportError:
        return {ENGLISH: ENGLISH, "en": ENGLISH}
    codes = {code: str(name) for code, name in stop_words.LANGUAGE_MAPPING.items()}
    return {name: name for name in sorted({*codes.values(), ENGLISH})} | codes


def language_name(language: str) -> str:
    """The name of a language, given that or its ISO code; a wrong one is refused with the list."""
    names = language_names()
    if (key := language.lower()) in names:
        return names[key]
    if len(names) <= 2:
        raise ValueError(
            f"Stop words of the language {quoted(language)} need the package stop-words: pip install 'partwise[text]'."
        )
    near = get_close_matches(key[:100], names, n=1)
    hint, listed = f"did you mean {near[0]!r}? " if near else "", ", ".join(sorted(set(names.values())))
    raise ValueError(f"There is no language {quoted(language)}; {hint}choose one of {listed}.")


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language, folded, and the parts of those that have an apostrophe."""
    if language == ENGLISH:
        return english()
    import stop_words

    words = {fold(word.strip()) for word in stop_words.get_stop_words(language)}
    parts = {part for word in words if "'" in word for part in word.split("'") if len(part) > 1}
    return frozenset(words | parts).union(ELISIONS.get(language, ()))


def read_stop_words(path: str | os.PathLike[str], encoding: str = "utf-8") -> tuple[str, ...]:
    """The words of a file, in lower case; lines that start with # are left out."""
    try:
        lines = Path(path).read_text(encoding=encoding).splitlines()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"There is no file of stop words {path}; it is also no language, of which there are "
            f"{', '.join(sorted(set(language_names().values())))}."
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"The file of stop words {path} is not {encoding}; save it as that.") from None
    return tuple(dict.fromkeys(w for line in lines if not line.startswith("#") for w in line.lower().split()))


def check_stop_words(stop_words: object) -> None:
    """Refuse what is not "language", "auto", the name of a language, None or a tuple of words."""
    if stop_words is None or stop_words in (LANGUAGE, AUTO, ENGLISH):
        return
    if isinstance(stop_words, str):
        language_name(stop_words)
    elif not isinstance(stop_words, tuple) or not all(isinstance(word, str) for word in stop_words):
        raise TypeError(
            f'stop_words must be "language", "auto", a language, None or a tuple of words, not {quoted(stop_words)}.'
        )
