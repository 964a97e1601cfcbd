"""From a text to the terms that are counted: words in lower case, without stop words, stemmed, in short runs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Any

from partwise.names import choose

PATTERN = r"[^\W\d_]{2,}"
"""Two or more letters of any script."""


class Words:
    """text -> list of terms; counts what it sees, so that an empty vocabulary can be explained."""

    def __init__(self, pattern: str, stop: frozenset[str], stem: str | None, ngrams: tuple[int, int]) -> None:
        self._find = re.compile(pattern).findall
        self._stop = stop
        self._stems = None if stem is None else _Stems(stem)
        self._ngrams = ngrams
        self.documents = 0
        self.words = 0
        self.kept = 0
        self.surface: Counter[str] = Counter()

    def __call__(self, text: str) -> list[str]:
        if not isinstance(text, str):
            raise TypeError(f"Texts must be strings, not {type(text).__name__}; null ones can be given as ''.")
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)  # an accent of its own would cut the word in two
        found = self._find(text.lower())
        self.documents += 1
        self.words += len(found)
        kept = [word for word in found if word not in self._stop]
        self.kept += len(kept)
        if self._stems is not None:
            self.surface.update(kept)
            stems = self._stems
            kept = [stems[word] for word in kept]
        return kept if self._ngrams == (1, 1) else _runs(kept, *self._ngrams)

    def shown(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The terms as a reader knows them: each stem as its commonest surface form."""
        if self._stems is None:
            return tuple(keys)
        best: dict[str, str] = {}
        for word, _ in sorted(self.surface.items(), key=lambda item: (-item[1], item[0])):
            best.setdefault(self._stems[word], word)
        return tuple(" ".join(best.get(part, part) for part in key.split(" ")) for key in keys)


class _Stems(dict[str, str]):
    """word -> stem, each word stemmed once."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = stemmer(language).stemWord

    def __missing__(self, word: str) -> str:
        self[word] = stem = self._stem(word) or word
        return stem


def stemmer(language: Any) -> Any:
    """The Snowball stemmer of a language, refused in a sentence when there is none."""
    try:
        import snowballstemmer  # imported late: only stemming needs it
    except ImportError:
        raise ValueError("Stemming needs the package snowballstemmer: pip install 'partwise[text]'.") from None
    table = dict.fromkeys(snowballstemmer.algorithms())
    choose("stemmer", language, table)
    return snowballstemmer.stemmer(language)


def _runs(words: list[str], least: int, most: int) -> list[str]:
    """All runs of ``least`` to ``most`` words, joined by a space."""
    found = list(words) if least == 1 else []
    for size in range(max(least, 2), most + 1):
        found += [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]
    return found
