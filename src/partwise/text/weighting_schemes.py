"""The weights of terms by name: the local weight of a count in a document, the global weight from sums over all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.types import Array


@dataclass(frozen=True, eq=False)
class TermTotals:
    """Sums over all documents that the global weights are computed from."""

    documents: int
    df: Array
    """In how many documents each term is."""
    tf: Array
    """How often it occurs in all."""
    tf_log_tf: Array
    """Σ_j tf_ij log tf_ij."""

    @classmethod
    def of(cls, counts: sp.csr_array) -> TermTotals:
        """From the counts, terms × documents."""
        terms, documents = counts.shape
        df, tf = np.diff(counts.indptr), counts.data
        sums = np.concatenate([[0], np.cumsum(tf, dtype=np.int64)])[counts.indptr]
        several = np.flatnonzero(tf > 1)  # 1 log 1 = 0
        rows, tf = np.repeat(np.arange(terms), df)[several], tf[several]
        return cls(
            documents,
            df.astype(np.float64),
            np.diff(sums).astype(np.float64),
            np.bincount(rows, tf * np.log(tf), terms),
        )


def _ones(totals: TermTotals) -> Array:
    return np.ones(len(totals.df))


def _idf(totals: TermTotals) -> Array:
    """ln((1 + n) / (1 + df)) + 1, scikit-learn's smoothed inverse document frequency."""
    weights: Array = np.log((totals.documents + 1.0) / (totals.df + 1.0)) + 1.0
    return weights


def _entropy(totals: TermTotals) -> Array:
    """1 + Σ_j p_ij log p_ij / log(n + 1) with p_ij = tf_ij / gf_i (Dumais 1991 has log n).

    As though there were one document more, so that a term spread evenly over all has little weight, but not 0: a small
    collection in which every document has the same words is still one. Σ_j p_ij log p_ij = (Σ_j tf_ij log tf_ij) / gf_i
    − log gf_i.
    """
    weights: Array = 1 + (totals.tf_log_tf / totals.tf - np.log(totals.tf)) / np.log(totals.documents + 1)
    return weights


def _identity(tf: Array) -> Array:
    return tf


WEIGHTS: dict[str, tuple[Callable[[Array], Array], Callable[[TermTotals], Array]]] = {
    "log-entropy": (np.log1p, _entropy),
    "tfidf": (_identity, _idf),
    "counts": (_identity, _ones),
}
"""name -> (local weight of a count, global weights from the sums over all documents)"""
