"""Phrases: neighbours that belong together, found by NPMI and joined into one unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.types import Array


def find_phrases(units: Array, texts: Array, names: Sequence[str], least: float, count: int) -> frozenset[str]:
    """The pairs "a b" of neighbours that occur ``count`` times or more with an NPMI of ``least`` or more.

    NPMI(a, b) = ln(p_ab / (p_a p_b)) / −ln p_ab, p being occurrences divided by the number of all units (Bouma 2009).
    ``units`` are numbers of ``names`` with −1 for a word that is left out, ``texts`` the text of each.
    """
    _, pairs = _pairs(units, texts, len(names))
    distinct, occurrences = np.unique(pairs, return_counts=True)
    often = occurrences >= count
    distinct, occurrences = distinct[often], occurrences[often]
    frequencies = np.bincount(units[units >= 0], minlength=len(names))
    first, second = distinct // max(len(names), 1), distinct % max(len(names), 1)
    scores = npmi(occurrences, frequencies[first], frequencies[second], int(frequencies.sum()))
    chosen = scores >= least
    return frozenset(f"{names[a]} {names[b]}" for a, b in zip(first[chosen], second[chosen], strict=True))


def npmi(together: Array, first: Array, second: Array, total: int) -> Array:
    """ln(p_ab / (p_a p_b)) / −ln p_ab; 1 where a pair is all there is."""
    both = together / total
    with np.errstate(divide="ignore", invalid="ignore"):
        scores: Array = np.log(both / ((first / total) * (second / total))) / -np.log(both)
    return np.where(both < 1, scores, 1.0)


def join_phrases(
    units: Array, texts: Array, names: Sequence[str], phrases: frozenset[str]
) -> tuple[Array, Array, list[str]]:
    """(units, texts, names) with neighbours that are a phrase as one unit, from left to right."""
    known = {name: number for number, name in enumerate(names)}
    pair_of = {}
    for phrase in sorted(phrases):
        a, _, b = phrase.partition(" ")
        if a in known and b in known:
            pair_of[known[a] * len(names) + known[b]] = phrase
    left, pairs = _pairs(units, texts, len(names))
    wanted = np.array(sorted(pair_of), np.int64)
    is_phrase = np.isin(pairs, wanted)
    left, pairs = left[is_phrase], pairs[is_phrase]
    first = _every_other(left)
    left, pairs = left[first], pairs[first]
    joined = units.copy()
    joined[left] = len(names) + np.searchsorted(wanted, pairs)
    kept = np.ones(len(units), bool)
    kept[left + 1] = False
    return joined[kept], texts[kept], [*names, *(pair_of[int(pair)] for pair in wanted)]


def _pairs(units: Array, texts: Array, size: int) -> tuple[Array, Array]:
    """(place of the left one, left · size + right) of all neighbours in one text with no gap between them."""
    left = np.flatnonzero((units[:-1] >= 0) & (units[1:] >= 0) & (texts[:-1] == texts[1:]))
    return left, units[left].astype(np.int64) * size + units[left + 1]


def _every_other(places: Array) -> Array:
    """Of places that follow each other directly the first, third, …: a unit is in one phrase only."""
    starts = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(places))
    chosen: Array = (np.arange(len(places)) - np.repeat(starts, lengths)) % 2 == 0
    return chosen
