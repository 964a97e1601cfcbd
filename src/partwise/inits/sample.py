"""A run on some of the columns of A."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.algorithms import als_hals
from partwise.blocks import Workers
from partwise.data import as_data
from partwise.half import Job, half
from partwise.inits.columns import RandomColumns, whole_number
from partwise.inits.compact import apart, compact
from partwise.problem import Problem
from partwise.stopping import Frobenius, MaxIterations
from partwise.types import Array, Data

FEWEST = 32
"""Columns for each topic below which a sample says too little."""
MOST = 2**23
"""Entries of A that a sample may hold, since it is in memory wherever A is."""
ALGORITHM = als_hals()
ENOUGH = Frobenius(change=2e-4) | MaxIterations(100)


@dataclass(frozen=True)
class Sample:
    """W of a run on a small part of A: random columns and the longest rows, ``size`` of each for every topic.

    At most a quarter of the columns are drawn, and not more than hold some 8 million entries. The run is als-hals from
    random-acol until the error changes by at most 2e-4 of itself in an iteration; a half-step from its H then gives all
    rows of W. It finds where the topics lie for a fraction of the price, so the run on all of A begins near its end and
    without a lead. Where there are fewer than 32 columns to draw for every topic, the start is random-acol.
    """

    size: int = 128

    def __post_init__(self) -> None:
        whole_number(self.size, "sample", "size")

    def warm(self, data: Data, rank: int) -> bool:
        """Whether there is enough to draw from."""
        return self._count(data, rank) >= FEWEST * rank

    def _count(self, data: Data, rank: int) -> int:
        return self.columns(rank, int(np.count_nonzero(data.T.row_norms2)), data.nnz)

    def columns(self, rank: int, there: int, entries: int) -> int:
        """How many are drawn where there are so many, with so many entries in all."""
        return min(self.size * rank, there // 4, MOST * there // max(1, entries))

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        if not self.warm(data, rank):
            return RandomColumns()(data, rank, rng, workers)
        pool = np.flatnonzero(data.T.row_norms2)
        drawn = np.sort(rng.choice(pool, self._count(data, rank), replace=False))
        some = as_data(data.T.some(drawn, workers)).T
        longest = np.sort(np.argsort(-some.row_norms2, kind="stable")[: self.size * rank])
        core = some if len(longest) == len(some.row_norms2) else as_data(some.some(longest, workers))
        for step in Problem(core, rank, ALGORITHM, RandomColumns(), workers).steps(int(rng.integers(2**32)), 0.0):
            last = step
            if ENOUGH(step) is not None:
                break
        w = half(some, Job(ALGORITHM.w, last.h, last.gram_h, measured=False), workers).factor
        return compact(apart(w, rng))
