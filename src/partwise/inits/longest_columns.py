"""Averages of random columns among the longest of A."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.columns import random_means
from partwise.inits.compact import apart, compact
from partwise.threads.pool import Workers
from partwise.types import Array, Data

DIGITS = 5
"""Squared lengths, and sums, that agree to so many digits of the largest are equal."""


@dataclass(frozen=True)
class LongestColumns(Start):
    """Each column of W is the mean of ``p`` random columns among the longest of A (the paper's random C, 4.2).

    ``pool`` is how many of the longest (in the 2-norm) there are to draw from; None is a tenth of the columns, at
    least 2p, since means of the same p columns would be alike. Columns of equal length stand in the order of their
    sums: among documents of unit length those are the longest that have the most terms, which is what the paper
    expects of the longest anyway.
    """

    p: int = 20
    pool: int | None = None

    def __post_init__(self) -> None:
        whole_number("random-c (p=...)", self.p)
        if self.pool is not None:
            whole_number("random-c (pool=...)", self.pool)

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        count = self.pool or max(2 * self.p, -(-data.shape[1] // 10))
        pool = longest(data, workers)[:count]
        return compact(apart(random_means(data, pool, self.p, rank, rng, workers), rng))


def longest(data: Data, workers: Workers) -> Array:
    """The columns that are not zero, the longest first; ties by the larger sum, then the smaller index."""
    lengths2 = data.T.row_norms2
    sums = product(data.T, np.ones((data.shape[0], 1)), workers)[:, 0]
    order = np.lexsort([-np.round(key / key.max(), DIGITS) for key in (sums, lengths2)])
    return order[lengths2[order] > 0]
