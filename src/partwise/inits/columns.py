"""Averages of random columns of A."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.compact import apart, compact
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class RandomColumns(Start):
    """Each column of W is the mean of ``p`` random columns of A (the paper's random Acol, section 4.2, p = 20).

    Zero columns are not drawn, and never more than half of the others, since means of all of them would be alike.
    """

    p: int = 20

    def __post_init__(self) -> None:
        whole_number("random-acol (p=...)", self.p)

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        pool = np.flatnonzero(data.T.row_norms2 > 0)
        return compact(apart(random_means(data, pool, self.p, rank, rng, workers), rng))


def random_means(data: Data, pool: Array, p: int, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
    """For each topic the mean of ``p`` columns drawn from the pool, at most half of it, without replacement."""
    count = min(p, max(1, len(pool) // 2))
    average = np.zeros((data.shape[1], rank), data.dtype)
    for c in range(rank):
        average[rng.choice(pool, count, replace=False), c] = 1 / count
    return product(data, average, workers)
