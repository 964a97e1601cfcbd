"""``Analyzer``: from a text to the keys that are counted: words without stop words, stemmed, in phrases and n-grams."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from partwise.arguments import choose
from partwise.text.stop_words import StopWords
from partwise.text.tokenizer import WordRule

GAP = None
"""Stands for words that are left out: n-grams and phrases do not join what is left and right of it."""


class Stemmer(Protocol):
    """What is used of a Snowball stemmer."""

    def stemWord(self, word: str) -> str:
        """The stem of a word."""
        ...


@dataclass(frozen=True)
class Analyzer:
    """text -> list of keys: the terms, or with ``hashing`` their buckets in a table of that size.

    This is the definition; :mod:`partwise.text.term_stream` does the same for many texts at once.
    """

    rule: WordRule
    stop: StopWords
    stems: Stems | None = None
    phrases: frozenset[str] = frozenset()
    """Pairs of stems (words where there are none) that are one term, with a blank between them."""
    ngrams: tuple[int, int] = (1, 1)
    across_stop_words: bool = False
    """Whether n-grams join words over a stop word between them."""
    hashing: int | None = None
    stop_stems: frozenset[str] = frozenset()
    """Stems whose words are all left out."""

    def __call__(self, text: str) -> list[str]:
        check_text(text)
        units = [self.unit(word) for word in self.rule.words(text)]
        units = _joined(units, self.phrases) if self.phrases else units
        if self.across_stop_words or self.ngrams == (1, 1):
            units = [unit for unit in units if unit is not GAP]
        terms = [term for size in range(self.ngrams[0], self.ngrams[1] + 1) for term in _runs(units, size)]
        return terms if self.hashing is None else [bucket(term, self.hashing) for term in terms]

    def unit(self, word: str) -> str | None:
        """The stem of a word, the word itself where words are not stemmed, and None for a stop word."""
        if word in self.stop:
            return GAP
        unit = word if self.stems is None else self.stems[word]
        return GAP if unit in self.stop_stems else unit

    def content_words(self, text: str) -> list[str]:
        """The words of a text as they are written, without stop words."""
        check_text(text)
        return [word for word in self.rule.words(text) if self.unit(word) is not GAP]


def check_text(text: object) -> None:
    """Refuse what is no string."""
    if not isinstance(text, str):
        raise TypeError(f"Texts must be strings, not {type(text).__name__}; null ones can be given as ''.")


def check_texts(texts: object) -> None:
    """Refuse one text where several are expected, and what is no list of them."""
    if isinstance(texts, str):
        raise TypeError("One text was given where several are expected; put it in a list.")
    if not isinstance(texts, Iterable):
        raise TypeError(f"The texts must be a list or an iterator of texts, not {type(texts).__name__}.")


def bucket(term: str, hashing: int) -> str:
    """The bucket of a term in a hash table of the size ``hashing``, as a key."""
    return f"#{zlib.crc32(term.encode('utf-8', 'surrogatepass')) % hashing}"


def _joined(units: Sequence[str | None], phrases: frozenset[str]) -> list[str | None]:
    """Neighbours that are a phrase become one unit, from left to right."""
    joined: list[str | None] = []
    at = 0
    while at < len(units):
        pair = units[at : at + 2]
        if len(pair) == 2 and GAP not in pair and (phrase := " ".join(cast(list[str], pair))) in phrases:
            joined.append(phrase)
            at += 2
        else:
            joined.append(units[at])
            at += 1
    return joined


def _runs(units: Sequence[str | None], size: int) -> Iterable[str]:
    """All runs of ``size`` units without a gap, joined by a blank."""
    for start in range(len(units) - size + 1):
        run = units[start : start + size]
        if GAP not in run:
            yield " ".join(cast(list[str], run))


class Stems(dict[str, str]):
    """word -> stem, each word stemmed once."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = stemmer(language).stemWord

    def __missing__(self, word: str) -> str:
        self[word] = stem = self._stem(word) or word
        return stem


def stemmer(language: str) -> Stemmer:
    """The Snowball stemmer of a language; an unknown language is refused with the nearest name."""
    try:
        import snowballstemmer  # imported late: only stemming needs it
    except ImportError:
        raise ValueError("Stemming needs the package snowballstemmer: pip install 'partwise[text]'.") from None
    choose("stemmer", language, dict.fromkeys(snowballstemmer.algorithms()))
    return cast(Stemmer, snowballstemmer.stemmer(language))
