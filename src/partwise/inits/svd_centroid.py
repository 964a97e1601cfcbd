"""Clusters of the rows of V, averaged in A."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from partwise.blocks import Workers, product
from partwise.inits.clustering import k_means
from partwise.svd import block_svd
from partwise.types import Array, Data


@dataclass(frozen=True)
class SVDCentroid:
    """Cluster the rows of the SVD's V (n × k), then average A's columns in each cluster (the paper, section 4.2).

    ``v`` is V where it is at hand; otherwise it comes from a truncated SVD with tolerance ``tol``. The paper does
    not name the clustering: this is Euclidean k-means with k-means++ seeds on the rows as they stand.
    """

    v: Array | None = field(default=None, repr=False)
    tol: float = 1e-2

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        v = block_svd(data, rank, self.tol, rng, workers).v if self.v is None else np.asarray(self.v)
        if v.ndim != 2 or v.shape[0] != data.shape[1] or v.shape[1] < rank:
            raise ValueError(f"V must have {data.shape[1]} rows and at least {rank} columns, not shape {v.shape}.")
        labels = k_means(v[:, :rank].astype(np.float64), rank, rng)
        sizes = np.bincount(labels, minlength=rank)
        average = np.zeros((data.shape[1], rank), data.dtype)
        average[np.arange(len(labels)), labels] = 1 / sizes[labels]
        return product(data, average, workers)
