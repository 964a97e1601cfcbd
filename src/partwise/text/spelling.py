"""Known words that are spelt like an unknown one, by the pairs of letters that they share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from partwise.types import Array

LEAST = 0.5
"""Words that share less of their pairs are not like each other."""


def letter_pairs(word: str) -> set[str]:
    """The pairs of neighbouring letters of a word, its beginning and its end among them."""
    marked = f"\x02{word}\x03"
    return {marked[i : i + 2] for i in range(len(marked) - 1)}


class Spelling:
    """Words by their pairs of letters, to find those that share most: Dice's 2 |a ∩ b| / (|a| + |b|)."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(dict.fromkeys(words))
        places: dict[str, list[int]] = {}
        pairs = [letter_pairs(word) for word in self._words]
        for i, own in enumerate(pairs):
            for pair in own:
                places.setdefault(pair, []).append(i)
        self._places: dict[str, Array] = {pair: np.array(words) for pair, words in places.items()}
        self._sizes = np.array([len(own) for own in pairs])

    def nearest(self, word: str, n: int = 3) -> tuple[str, ...]:
        """The ``n`` words most like a word, the earlier one first where they are equally like it."""
        pairs = letter_pairs(word)
        shared = np.zeros(len(self._words))
        for pair in pairs & self._places.keys():
            shared[self._places[pair]] += 1
        likeness = 2 * shared / (self._sizes + len(pairs))
        order = np.argsort(-likeness, kind="stable")[:n]
        return tuple(self._words[i] for i in order if likeness[i] >= LEAST)
