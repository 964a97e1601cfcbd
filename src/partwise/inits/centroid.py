"""Spherical k-means of A's columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.clustering import fill_empty, next_seed
from partwise.inits.compact import apart, compact
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class Centroid(Start):
    """The concept vectors of spherical k-means on A's columns (Dhillon and Modha 2001; the paper, section 4.1).

    With â_j = a_j / ‖a_j‖ and cluster c of n_c columns: w_c = ℓ_c · (Σ â_j) / n_c, ℓ_c their mean length. That has the
    direction of the concept vector and the size of the data, and is the cluster's mean where columns have unit length.
    Seeds as in k-means++ (k products with one column), then at most ``rounds`` rounds of two products with k columns,
    fewer when no column changes its cluster. Columns that are zero, beside the longest, belong to none.
    """

    within_sides = True

    rounds: int = 50

    def __post_init__(self) -> None:
        whole_number("centroid (rounds=...)", self.rounds)

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        lengths = np.sqrt(data.T.row_norms2)
        points = np.flatnonzero(lengths > lengths.max() * float(np.finfo(data.dtype).tiny))
        labels = spherical_k_means(data, points, lengths[points], rank, self.rounds, rng, workers)
        sizes = np.bincount(labels, minlength=rank)
        mean_length = np.bincount(labels, lengths[points], rank) / np.maximum(sizes, 1)
        weights = mean_length[labels] / (sizes[labels] * lengths[points])
        return compact(apart(_sums(data, points, labels, weights, rank, workers), rng))


def spherical_k_means(
    data: Data, points: Array, lengths: Array, count: int, rounds: int, rng: np.random.Generator, workers: Workers
) -> Array:
    """The cluster of each of the ``points`` (columns of A that are not zero, with their lengths)."""
    labels = _seeded(data, points, lengths, min(count, len(points)), rng, workers)
    for _ in range(rounds):
        sums = _sums(data, points, labels, lengths.max() / lengths, count, workers).astype(np.float64, copy=False)
        concepts = sums / np.maximum(np.linalg.norm(sums, axis=0), np.finfo(np.float64).tiny)
        cosines = product(data.T, concepts, workers)[points] / lengths[:, None]
        nearest = cosines.argmax(axis=1)
        fill_empty(nearest, -cosines.max(axis=1), count)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    return labels


def _sums(data: Data, points: Array, labels: Array, weights: Array, count: int, workers: Workers) -> Array:
    """Σ_j weight_j a_j over the members of each cluster: one product with A."""
    members = np.zeros((data.shape[1], count), data.dtype)
    members[points, labels] = weights
    return product(data, members, workers)


def _seeded(data: Data, points: Array, lengths: Array, count: int, rng: np.random.Generator, workers: Workers) -> Array:
    """The nearest of ``count`` k-means++ seeds for each point; on the sphere ‖x − y‖² = 2 (1 − cos)."""
    labels, nearest = np.zeros(len(points), np.intp), np.full(len(points), np.inf)
    chosen: list[int] = []
    for c in range(count):
        chosen.append(next_seed(nearest, chosen, rng) if chosen else int(rng.integers(len(points))))
        seed = data.T.rows(points[chosen[-1]], points[chosen[-1]] + 1)[0] / lengths[chosen[-1]]
        gap = 1 - product(data.T, seed[:, None], workers)[points, 0] / lengths
        labels, nearest = np.where(gap < nearest, c, labels), np.minimum(nearest, gap)
    return labels
