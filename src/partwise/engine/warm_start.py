"""Starts that run the engine first: a few plain iterations, or a factorisation of some columns of A."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.table import als_hals, hals
from partwise.arguments import whole_number
from partwise.data.as_data import as_data
from partwise.engine.driver import drain
from partwise.engine.half_step import Job, half_step
from partwise.engine.problem import Problem
from partwise.engine.run import Run
from partwise.engine.stopping import Frobenius, MaxIterations
from partwise.inits.base import Given, Start
from partwise.inits.columns import RandomColumns
from partwise.inits.compact import apart, compact
from partwise.inits.nndsvd import NNDSVD, mean_entry, mean_fill
from partwise.inits.table import INITS
from partwise.linalg.randomized import randomized_peak_bytes, randomized_svd
from partwise.threads.pool import Workers
from partwise.types import Array, Data

FEWEST = 32
"""Columns for each component below which a sample says too little."""
MOST = 2**23
"""Entries of A that a sample may hold, since it is in memory wherever A is."""
ALGORITHM = als_hals()
ENOUGH = Frobenius(change=2e-4) | MaxIterations(100)


@dataclass(frozen=True)
class Sample(Start):
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


HEAVY = 2**25
"""The work of a product from which an SVD of A takes too long for a start."""
PLAIN = hals(sweeps=1)
CHOSEN = Frobenius(change=1e-4, every=1) | MaxIterations(20)
"""When a run has chosen its minimum and momentum can no longer lead it to another one (docs/design.md, The default)."""
NIL = 1e-6
"""What scikit-learn takes for 0 in its start."""


@dataclass(frozen=True)
class SVDBest(Start):
    """W and H of some plain coordinate sweeps from NNDSVD, its zeros filled with a mean.

    A run chooses the minimum that it goes to in its first iterations, so these have no momentum: at most 20, until the
    error changes by at most 1e-4 of itself. The SVD is randomized and the fill that of nndsvda. With ``random_state``
    the random numbers, and the fill in the units of A, are those of ``sklearn.decomposition.NMF``, and so are then the
    iterations: the run goes on to the minimum in which that one ends. Where the work of a product, entries times
    components (an eighth of that where no more than half of A is zero), is above 33 million, or A has fewer rows or
    columns than components, the start is ``sample``.
    """

    seeded = False
    """Seeds give nearly the same start, so runs of several say nothing about how reliable components are."""

    random_state: int | None = None

    def __post_init__(self) -> None:
        if self.random_state is not None:
            whole_number("svd-best (random_state=...)", self.random_state, 0, hint="or None")

    def as_scikit_learn(self, seed: int) -> SVDBest:
        return SVDBest(random_state=seed)

    def warm(self, data: Data, rank: int) -> bool:
        """Whether the components are near enough to their places to need no lead."""
        return _affordable(data, rank) or Sample().warm(data, rank)

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The blocks of the SVD, and the factors of the plain iterations."""
        if not _affordable(data, rank):
            return Sample().peak_bytes(data, rank)
        return randomized_peak_bytes(data.shape, rank) + 4 * data.dtype.itemsize * sum(data.shape) * rank

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        return self.pair(data, rank, rng, workers)[0]

    def pair(
        self, data: Data, rank: int, rng: np.random.Generator, workers: Workers
    ) -> tuple[Array | sp.csr_array, Array | None]:
        """W, and H as a tall factor."""
        if not _affordable(data, rank):
            return Sample()(data, rank, rng, workers), None
        w, h = self._filled(data, rank, rng, workers)
        run = Run(Problem(data, rank, PLAIN, Given(w, h.T), workers, reseed=False), 0, (CHOSEN,), keep="last")
        if not drain([run]):
            raise KeyboardInterrupt
        reached, across = np.asarray(run.iterate.w), np.asarray(run.iterate.h)
        w = apart(reached, rng)
        return w, across if w is reached else None

    def _filled(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> tuple[Array, Array]:
        """NNDSVD without zeros."""
        numbers = rng if self.random_state is None else np.random.RandomState(int(self.random_state) % 2**32)
        svd = randomized_svd(data, rank, numbers, workers)
        w, h = NNDSVD(svd=svd).both(data, rank, rng, workers)
        fill, least = (mean_fill(data, workers), 0.0) if self.random_state is None else (mean_entry(data, workers), NIL)
        for factor in (w, h):
            factor[factor <= least] = fill
        return w, h


def _affordable(data: Data, rank: int) -> bool:
    """Whether an SVD of A is cheap beside the run; a full matrix, whose products are BLAS calls, counts an eighth."""
    full = 2 * data.nnz > data.shape[0] * data.shape[1]
    return rank <= min(data.shape) and rank * data.nnz / (8 if full else 1) <= HEAVY


INITS["sample"] = Sample
INITS["svd-best"] = SVDBest
