"""Starts that run the engine first: a few iterations of two candidates, or a factorisation of some columns of A."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.table import als_hals
from partwise.arguments import number, whole_number
from partwise.data.as_data import as_data
from partwise.engine.driver import drain
from partwise.engine.half_step import Job, half_step
from partwise.engine.iteration import begin
from partwise.engine.problem import Problem
from partwise.engine.run import Run
from partwise.engine.step import Step
from partwise.engine.stopping import Frobenius, MaxIterations
from partwise.inits.base import Given, Init, Start
from partwise.inits.columns import RandomColumns
from partwise.inits.compact import apart, compact
from partwise.inits.nndsvd import NNDSVD
from partwise.inits.svd_centroid import SVDCentroid
from partwise.inits.table import INITS
from partwise.linalg.krylov import krylov_peak_bytes, leading_svd
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


HEAVY, LIGHT = 2**25, 2**21
"""The work of a product from which an SVD of A takes too long for a start, and up to which there is time for a race."""
AHEAD = 4
"""The iterations of the two that race: twice as many chose no better on the data sets tried."""


@dataclass(frozen=True)
class SVDBest(Start):
    """W and H of NNDSVD; on small data four iterations on from there or from svd-centroid, whichever is ahead then.

    Both come from one SVD of tolerance ``tol``, and the iterations are als-hals without its lead: such starts end in
    minima that random ones seldom find. Data are small where the work of a product, entries times components (an eighth
    of that where no more than half of A is zero), is at most 2 million. Where it is above 33 million, or A has fewer
    rows or columns than components, the start is ``sample``. Where A lies makes no difference.
    """

    seeded = False
    """Seeds give nearly the same start, so runs of several say nothing about how reliable components are."""

    tol: float = 1e-3

    def __post_init__(self) -> None:
        number("svd-best (tol=...)", self.tol, ends="()")

    def warm(self, data: Data, rank: int) -> bool:
        """Whether the components are near enough to their places to need no lead."""
        return _affordable(data, rank) or Sample().warm(data, rank)

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The basis of the SVD, and where two runs race the factors, steps and momentum of both."""
        if not _affordable(data, rank):
            return Sample().peak_bytes(data, rank)
        return krylov_peak_bytes(data.shape, rank) + 10 * data.dtype.itemsize * sum(data.shape) * rank

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        return self.pair(data, rank, rng, workers)[0]

    def pair(
        self, data: Data, rank: int, rng: np.random.Generator, workers: Workers
    ) -> tuple[Array | sp.csr_array, Array | None]:
        """W, and H as a tall factor."""
        if not _affordable(data, rank):
            return Sample()(data, rank, rng, workers), None
        svd = leading_svd(data, rank, self.tol, rng, workers)
        w, h = NNDSVD(svd=svd).both(data, rank, rng, workers)
        w = apart(w, rng)
        if _work(data, rank) > LIGHT:
            return w, h
        centroids = SVDCentroid(svd, rounds=10)(data, rank, rng, workers)
        best = _ahead(data, rank, (Given(w, h.T), Given(centroids)), workers)
        if best is None:
            return w, h
        raced = np.asarray(best.w)
        w = apart(raced, rng)
        return w, np.asarray(best.h) if w is raced else None


def _work(data: Data, rank: int) -> float:
    """The work of a product with A: a full matrix, whose products are BLAS calls, counts an eighth."""
    return rank * data.nnz / (8 if 2 * data.nnz > data.shape[0] * data.shape[1] else 1)


def _affordable(data: Data, rank: int) -> bool:
    """Whether an SVD of A is cheap beside the run."""
    return rank <= min(data.shape) and _work(data, rank) <= HEAVY


def _ahead(data: Data, rank: int, starts: Sequence[Init], workers: Workers) -> Step | None:
    """Where the start has come to that has the smallest error after some iterations; None where all leave the range."""
    problem = Problem(data, rank, ALGORITHM, starts[0], workers, warm=True)
    runs = [Run(problem, 0, (), keep="last", cap=None) for _ in starts]
    for run, start in zip(runs, starts, strict=True):
        run.take(begin(replace(problem, init=start), [0])[0])
    if not drain(runs, end=AHEAD):
        raise KeyboardInterrupt
    sound = [run.latest for run in runs if run.latest.finite and 0 < np.max(run.latest.w) < np.inf]
    return min(sound, key=lambda step: step.error, default=None)


INITS["sample"] = Sample
INITS["svd-best"] = SVDBest
