"""A start that runs a smaller factorisation first: on some of the columns of A."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.table import als_hals
from partwise.arguments import whole_number
from partwise.data.as_data import as_data
from partwise.engine.driver import drain
from partwise.engine.half_step import Job, half_step
from partwise.engine.problem import Problem
from partwise.engine.run import Run
from partwise.engine.stopping import Frobenius, MaxIterations
from partwise.inits.columns import RandomColumns
from partwise.inits.compact import apart, compact
from partwise.inits.table import INITS
from partwise.threads.pool import Workers
from partwise.types import Array, Data

FEWEST = 32
"""Columns for each component below which a sample says too little."""
MOST = 2**23
"""Entries of A that a sample may hold, since it is in memory wherever A is."""
ALGORITHM = als_hals()
ENOUGH = Frobenius(change=2e-4) | MaxIterations(100)


@dataclass(frozen=True)
class Sample:
    """W of a run on a small part of A: random columns and the longest rows, ``size`` of each for every component.

    At most a quarter of the columns are drawn, and not more than hold some 8 million entries. The run is als-hals from
    random-acol until the error changes by at most 2e-4 of itself in an iteration; a half-step from its H then gives all
    rows of W. It finds where the components lie for a fraction of the price, so the run on all of A begins near its end
    and without a lead. Where there are fewer than 32 columns to draw for every component, the start is random-acol.
    """

    size: int = 128

    def __post_init__(self) -> None:
        whole_number("sample (size=...)", self.size)

    def warm(self, data: Data, rank: int) -> bool:
        """Whether there is enough to draw from."""
        return self._count(data, rank) >= FEWEST * rank

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The sample in both orders, and its longest rows again, before there are factors."""
        columns = self._columns(rank, data.shape[1], data.nnz)
        return 4 * (data.dtype.itemsize + 4) * data.nnz * columns // data.shape[1]

    def _count(self, data: Data, rank: int) -> int:
        return self._columns(rank, int(np.count_nonzero(data.T.row_norms2)), data.nnz)

    def _columns(self, rank: int, there: int, entries: int) -> int:
        """How many are drawn of so many columns, with so many entries in all."""
        return min(self.size * rank, there // 4, MOST * there // max(1, entries))

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        if not self.warm(data, rank):
            return RandomColumns()(data, rank, rng, workers)
        pool = np.flatnonzero(data.T.row_norms2)
        drawn = np.sort(rng.choice(pool, self._count(data, rank), replace=False))
        some = as_data(data.T.some(drawn, workers)).T
        longest = np.sort(np.argsort(-some.row_norms2, kind="stable")[: self.size * rank])
        core = some if len(longest) == len(some.row_norms2) else as_data(some.some(longest, workers))
        problem = Problem(core, rank, ALGORITHM, RandomColumns(), workers)
        run = Run(problem, int(rng.integers(2**32)), (ENOUGH,), keep="last")
        if not drain([run]):
            raise KeyboardInterrupt
        weights = run.latest.weights
        job = Job(ALGORITHM.w, weights, measured=False)
        return compact(apart(np.asarray(half_step(some, problem.loss, job, workers).factor.rows), rng))


INITS["sample"] = Sample
