"""Columns of the co-occurrence matrix A Aᵀ, far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.passes import total, walk
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.compact import OUT_OF_RANGE, apart, compact
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Part

DIGITS = 5
"""Distances between distributions, at most 2, that agree to so many digits are equal."""


@dataclass(frozen=True)
class CoOccurrence(Start):
    """Columns of C = A Aᵀ as far apart as can be in L1 (the paper, section 4.2, after Sandler 2005).

    The paper applies Algorithm 2 of Sandler (KDD 2005) to C. The public sources that were searched hold its abstract
    alone (an L1 basis of a mixture model's topics), no account of the algorithm; this is a reading of the two. A
    column of C divided by its sum, p_j = C e_j / ‖C e_j‖₁, is the distribution of the words around word j. The heaviest
    word comes first, then in turn the one whose distribution is farthest from the nearest of those before,
    max_i min_s ‖p_i − p_s‖₁. Only the ``pool`` heaviest words (by ‖C e_j‖₁; None is 10 k) may be chosen: rare words
    share no company with anybody, so without that limit they would be the farthest of all. W = C e_j, as it stands.

    C is never formed: its column sums are A (Aᵀ 1), and for each word chosen the distances are summed over row blocks
    of A times a few columns of Aᵀ. The seed plays no part unless there are fewer words than topics.
    """

    seeded = False

    pool: int | None = None

    def __post_init__(self) -> None:
        if self.pool is not None:
            whole_number("co-occurrence (pool=...)", self.pool)

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        weights = company_sums(data, workers)
        check_range(weights, data.dtype)
        heavy = _heaviest(weights, max(rank, self.pool or 10 * rank))
        company = sp.vstack([sp.csr_array(data.rows(i, i + 1)) for i in heavy], format="csr")
        chosen = farthest_first(data, company, weights[heavy], rank, workers)
        w = np.zeros((data.shape[0], rank), data.dtype)
        w[:, : len(chosen)] = product(data, company[chosen].toarray().T, workers)
        return compact(apart(w, rng))


def company_sums(data: Data, workers: Workers) -> Array:
    """‖C e_j‖₁ for each j: A (Aᵀ 1)."""
    ones = np.ones((data.shape[0], 1))
    return product(data, product(data.T, ones, workers), workers)[:, 0].astype(np.float64)


def check_range(weights: Array, dtype: np.dtype[Any]) -> None:
    """Refuse co-occurrences whose own squares, which a half-step needs, leave the range of the precision."""
    largest, limits = float(weights.max()), np.finfo(dtype)
    if not float(limits.tiny) <= largest * largest <= float(limits.max):
        raise ValueError(OUT_OF_RANGE)


def _heaviest(weights: Array, count: int) -> Array:
    """The words with the largest weights, the heaviest first, without those that have none."""
    order = np.argsort(-weights, kind="stable")[:count]
    return order[weights[order] > 0]


def farthest_first(data: Data, company: sp.csr_array, weights: Array, rank: int, workers: Workers) -> list[int]:
    """Places in the pool: the first, then each time the one farthest from its nearest; ties to the heavier."""
    chosen = [0]
    nearest = np.full(len(weights), np.inf)
    while len(chosen) < min(rank, len(weights)):
        nearest = np.minimum(nearest, _distances(data, company, weights, chosen[-1], workers))
        nearest[chosen] = -1
        chosen.append(int(np.round(nearest, DIGITS).argmax()))
    return chosen


def _distances(data: Data, company: sp.csr_array, weights: Array, place: int, workers: Workers) -> Array:
    """‖p_i − p_place‖₁ for every word i of the pool, as many at a time as keep the memory near that of A."""
    width = int(np.clip(data.nnz // data.shape[1], 16, 128))
    chunks = []
    for lo in range(0, len(weights), width):
        some = np.append(np.arange(lo, min(lo + width, len(weights))), place)
        factor = np.ascontiguousarray((company[some].toarray() / weights[some, None]).T, data.dtype)
        chunks.append(_to_last(data, factor, workers))
    return np.concatenate(chunks)


def _to_last(data: Data, factor: Array, workers: Workers) -> Array:
    """‖A f_c − A f_last‖₁ for every column c but the last, over row blocks of A."""
    if data.split == 1:
        products = product(data, factor, workers)
        return np.asarray(total(workers.map(lambda lo, hi: _gaps(products[lo:hi]), data.blocks)))
    return np.asarray(walk(data, _Distances(), [], [factor], workers).sums)


@dataclass(frozen=True)
class _Distances:
    """The distances of columns of A · factor from the last, on a part."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Any, shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor = shared[0]

        def block(lo: int, hi: int) -> Array:
            out = np.empty((hi - lo, factor.shape[1]), part.dtype)
            part.product(lo, hi, factor, out)
            return _gaps(out)

        return [], workers.map(block, part.blocks)


def _gaps(products: Array) -> Array:
    """The distances of every column from the last; the products are overwritten."""
    products[:, :-1] -= products[:, -1:]
    np.abs(products, out=products)
    sums: Array = products[:, :-1].sum(axis=0, dtype=np.float64)
    return sums
