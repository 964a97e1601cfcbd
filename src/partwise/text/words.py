"""From a text to the terms that are counted: words in lower case, without stop words, stemmed, in short runs."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from partwise.arguments import choose

PATTERN = r"[^\W\d_]{2,}"
"""Two or more letters of any script."""

CANDIDATES = 2
"""How many terms of a place are remembered, one of which will be its name."""


@dataclass
class Seen:
    """What went by: enough to explain an empty vocabulary and to show terms as a reader knows them."""

    documents: int = 0
    words: int = 0
    kept: int = 0
    surface: Counter[str] = field(default_factory=Counter)
    """Words as they stood, where they are stemmed."""
    terms: Counter[str] = field(default_factory=Counter)
    """Terms as they were, where only their place in a table of hashes is counted."""

    def __add__(self, other: Seen) -> Seen:
        return Seen(**{name: mine + getattr(other, name) for name, mine in vars(self).items()})


class Words:
    """text -> list of keys: the terms, or with ``hashing`` their places in a table of so many; notes what it sees."""

    def __init__(
        self,
        pattern: str,
        stop: frozenset[str],
        stem: str | None,
        ngrams: tuple[int, int],
        hashing: int | None = None,
        seen: Seen | None = None,
    ) -> None:
        self._find = re.compile(pattern).findall
        self._stop = stop
        self._stems = None if stem is None else _Stems(stem)
        self._ngrams = ngrams
        self._hashing = hashing
        self.seen = seen if seen is not None else Seen()

    def __call__(self, text: str) -> list[str]:
        if not isinstance(text, str):
            raise TypeError(f"Texts must be strings, not {type(text).__name__}; null ones can be given as ''.")
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)  # an accent of its own would cut the word in two
        found = self._find(text.lower())
        kept = [word for word in found if word not in self._stop]
        seen = self.seen
        seen.documents, seen.words, seen.kept = seen.documents + 1, seen.words + len(found), seen.kept + len(kept)
        if self._stems is not None:
            seen.surface.update(kept)
            stems = self._stems
            kept = [stems[word] for word in kept]
        terms = kept if self._ngrams == (1, 1) else _runs(kept, *self._ngrams)
        if self._hashing is None:
            return terms
        seen.terms.update(terms)
        return [place(term, self._hashing) for term in terms]

    def shown(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The terms as a reader knows them: of a place its commonest term, of a stem its commonest surface form."""
        found = tuple(keys)
        if (hashing := self._hashing) is not None:
            terms = _commonest(self.seen.terms, lambda term: place(term, hashing))
            found = tuple(terms.get(key, key) for key in found)
        if self._stems is None:
            return found
        best = _commonest(self.seen.surface, self._stems.__getitem__)
        return tuple(" ".join(best.get(part, part) for part in key.split(" ")) for key in found)

    def prune(self) -> None:
        """Forget the terms that their place will not be named after, so that memory stays bounded."""
        if (hashing := self._hashing) is None:
            return
        seen = self.seen
        kept, held = [], Counter[str]()
        for term, _ in _ordered(seen.terms):
            held[where := place(term, hashing)] += 1
            if held[where] <= CANDIDATES:
                kept.append(term)
        seen.terms = Counter({term: seen.terms[term] for term in kept})
        if self._stems is not None:
            parts = {part for term in kept for part in term.split(" ")}
            best = _commonest(seen.surface, self._stems.__getitem__)
            seen.surface = Counter({best[stem]: seen.surface[best[stem]] for stem in parts if stem in best})
            self._stems.clear()


def place(term: str, hashing: int) -> str:
    """The place of a term in a table of hashes, as a key."""
    return f"#{zlib.crc32(term.encode('utf-8', 'surrogatepass')) % hashing}"


def _commonest(counts: Counter[str], key: Callable[[str], str]) -> dict[str, str]:
    """For each key the word that was met most often, ties by the alphabet."""
    best: dict[str, str] = {}
    for word, _ in _ordered(counts):
        best.setdefault(key(word), word)
    return best


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


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
