"""Clusters of the rows of V, averaged in A."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.arguments import number, whole_number
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.clustering import k_means
from partwise.inits.compact import apart, compact
from partwise.linalg.svd import SVD, block_svd, svd_peak_bytes
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class SVDCentroid(Start):
    """Cluster the rows of the SVD's V (n × k), then average A's columns in each cluster (the paper, section 4.2).

    ``v`` is V, or the SVD that has it, where it is known; otherwise it comes from a truncated SVD with tolerance
    ``tol``. The paper does not name the clustering: this is Euclidean k-means with k-means++ seeds on the rows as
    they stand, in at most ``rounds`` rounds. Zero columns of A belong to no cluster.
    """

    within_sides = True

    v: Array | SVD | None = field(default=None, repr=False)
    tol: float = 1e-2
    rounds: int = 100

    def __post_init__(self) -> None:
        number("svd-centroid (tol=...)", self.tol, ends="()")
        whole_number("svd-centroid (rounds=...)", self.rounds)
        if self.v is not None and not isinstance(self.v, SVD) and np.ndim(self.v) != 2:
            raise TypeError(f"svd-centroid (v=...) must be V, an SVD or None, not {type(self.v).__name__}.")

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The bases of the SVD, unless one was passed."""
        return svd_peak_bytes(data.shape, rank) if self.v is None else 0

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        v = block_svd(data, rank, self.tol, rng, workers).v if self.v is None else self._given(data, rank)
        points = np.flatnonzero(data.T.row_norms2 > 0)
        labels = k_means(v[points, :rank].astype(np.float64), rank, rng, self.rounds)
        sizes = np.bincount(labels, minlength=rank)
        average = np.zeros((data.shape[1], rank), data.dtype)
        average[points, labels] = 1 / sizes[labels]
        return compact(apart(product(data, average, workers), rng))

    def _given(self, data: Data, rank: int) -> Array:
        v = self.v.v if isinstance(self.v, SVD) else np.asarray(self.v)
        if v.ndim != 2 or v.shape[0] != data.shape[1] or v.shape[1] < rank:
            raise ValueError(f"V must have {data.shape[1]} rows and at least {rank} columns, not shape {v.shape}.")
        if v.dtype.kind not in "fiu" or not np.isfinite(v).all():
            raise ValueError("V must hold finite real numbers.")
        return v
