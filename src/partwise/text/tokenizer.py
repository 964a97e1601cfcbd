"""From a text to the terms that are counted: words in lower case, without stop words, stemmed, in n-grams."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, cast

from partwise.arguments import choose

PATTERN = r"[^\W\d_]{2,}"
"""Two or more letters of any script."""

CANDIDATES = 2
"""How many terms of a hash bucket are remembered, one of which will be its name."""


class Stemmer(Protocol):
    """What is used of a Snowball stemmer."""

    def stemWord(self, word: str) -> str:
        """The stem of a word."""
        ...


@dataclass
class TokenCounts:
    """What a tokenizer has read: enough to explain an empty vocabulary and to show terms as a reader knows them."""

    documents: int = 0
    words: int = 0
    content_words: int = 0
    """Words that are no stop words."""
    surface: Counter[str] = field(default_factory=Counter)
    """Words as they were written, where they are stemmed."""
    terms: Counter[str] = field(default_factory=Counter)
    """Terms as they were, where only their hash buckets are counted."""

    def __add__(self, other: TokenCounts) -> TokenCounts:
        return TokenCounts(**{name: value + getattr(other, name) for name, value in vars(self).items()})


class Tokenizer:
    """text -> list of keys: the terms, or with ``hashing`` their buckets in a table of that size; counts words."""

    def __init__(
        self,
        pattern: str,
        stop: frozenset[str],
        stem: str | None,
        ngrams: tuple[int, int],
        hashing: int | None = None,
        counts: TokenCounts | None = None,
    ) -> None:
        self._find = re.compile(pattern).findall
        self._stop = stop
        self._stems = None if stem is None else _Stems(stem)
        self._ngrams = ngrams
        self._hashing = hashing
        self.counts = counts if counts is not None else TokenCounts()

    def __call__(self, text: str) -> list[str]:
        if not isinstance(text, str):
            raise TypeError(f"Texts must be strings, not {type(text).__name__}; null ones can be given as ''.")
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)  # a combining accent would cut the word in two
        matches = self._find(text.lower())
        words = [word for word in matches if word not in self._stop]
        counts = self.counts
        counts.documents += 1
        counts.words += len(matches)
        counts.content_words += len(words)
        if self._stems is not None:
            counts.surface.update(words)
            stems = self._stems
            words = [stems[word] for word in words]
        terms = words if self._ngrams == (1, 1) else _ngrams(words, *self._ngrams)
        if self._hashing is None:
            return terms
        counts.terms.update(terms)
        return [bucket(term, self._hashing) for term in terms]

    def shown(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The terms as a reader knows them: of a bucket its commonest term, of a stem its commonest surface form."""
        terms = tuple(keys)
        if (hashing := self._hashing) is not None:
            names = _commonest(self.counts.terms, lambda term: bucket(term, hashing))
            terms = tuple(names.get(key, key) for key in terms)
        if self._stems is None:
            return terms
        forms = _commonest(self.counts.surface, self._stems.__getitem__)
        return tuple(" ".join(forms.get(stem, stem) for stem in term.split(" ")) for term in terms)

    def prune(self) -> None:
        """Drop the terms that no bucket will be named after, so that memory stays bounded."""
        if (hashing := self._hashing) is None:
            return
        counts = self.counts
        candidates, sizes = [], Counter[str]()
        for term, _ in _by_frequency(counts.terms):
            sizes[key := bucket(term, hashing)] += 1
            if sizes[key] <= CANDIDATES:
                candidates.append(term)
        counts.terms = Counter({term: counts.terms[term] for term in candidates})
        if self._stems is not None:
            stems = {stem for term in candidates for stem in term.split(" ")}
            forms = _commonest(counts.surface, self._stems.__getitem__)
            counts.surface = Counter({forms[stem]: counts.surface[forms[stem]] for stem in stems if stem in forms})
            self._stems.clear()


def bucket(term: str, hashing: int) -> str:
    """The bucket of a term in a hash table of the size ``hashing``, as a key."""
    return f"#{zlib.crc32(term.encode('utf-8', 'surrogatepass')) % hashing}"


def _commonest(counts: Counter[str], key: Callable[[str], str]) -> dict[str, str]:
    """For each key its most frequent word, ties by the alphabet."""
    best: dict[str, str] = {}
    for word, _ in _by_frequency(counts):
        best.setdefault(key(word), word)
    return best


def _by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


class _Stems(dict[str, str]):
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


def _ngrams(words: list[str], shortest: int, longest: int) -> list[str]:
    """All runs of ``shortest`` to ``longest`` words, joined by a space."""
    runs = list(words) if shortest == 1 else []
    for size in range(max(shortest, 2), longest + 1):
        runs += [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]
    return runs
