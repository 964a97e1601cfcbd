"""How much a term counts: in a document by its count there, in the collection by what is summed over all documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.types import Array

EVEN = 1e-12
"""A global weight below this is rounding: the word is spread evenly and counts for nothing."""


@dataclass(frozen=True, eq=False)
class Totals:
    """What the global weights need of all documents: sums, so that parts of a collection can be added up."""

    documents: int
    df: Array
    """In how many documents each term is."""
    tf: Array
    """How often it is there in all."""
    spread: Array
    """Σ_j tf_ij log tf_ij."""

    @classmethod
    def of(cls, counts: Any) -> Totals:
        """From the counts, documents × terms."""
        n, terms = counts.shape
        held = counts.data > 0
        places, tf = counts.indices[held], counts.data[held]
        sums = [np.bincount(places, some, minlength=terms) for some in (np.ones(len(tf)), tf, tf * np.log(tf))]
        return cls(n, *sums)


def _ones(totals: Totals) -> Array:
    return np.ones(len(totals.df))


def _idf(totals: Totals) -> Array:
    """ln((1 + n) / (1 + df)) + 1, scikit-learn's smoothed inverse document frequency."""
    found: Array = np.log((totals.documents + 1.0) / (totals.df + 1.0)) + 1.0
    return found


def _entropy(totals: Totals) -> Array:
    """1 + Σ_j p_ij log p_ij / log n with p_ij = tf_ij / gf_i (Dumais 1991); 0 for a word spread evenly.

    Σ_j p_ij log p_ij = (Σ_j tf_ij log tf_ij) / gf_i − log gf_i.
    """
    if totals.documents == 1:
        return np.ones(len(totals.df))
    weights: Array = 1 + (totals.spread / totals.tf - np.log(totals.tf)) / np.log(totals.documents)
    return np.where(weights > EVEN, weights, 0.0)


def _as_is(tf: Array) -> Array:
    return tf


# name: (local weight of a count, global weights from the sums over all documents)
WEIGHTS: dict[str, tuple[Callable[[Array], Array], Callable[[Totals], Array]]] = {
    "tfidf": (_as_is, _idf),
    "counts": (_as_is, _ones),
    "log-entropy": (np.log1p, _entropy),
}
