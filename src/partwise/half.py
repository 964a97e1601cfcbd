"""The half-step as one pass over row blocks, its sums in block order and in float64; both sides are this function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from partwise.algorithm import Side
from partwise.blocks import Workers
from partwise.kernels.products import csr_clipped_product, factor_sums, look_ahead
from partwise.penalties import indefinite
from partwise.products import add_product, gram_of, product
from partwise.types import Array, Data, DataUpdate, NoMinimum, Rows
from partwise.updates.least_squares import Clipped
from partwise.updates.multiplicative import LIFT
from partwise.walks import total

NEAR_BYTES = 2**19
"""The right-hand side of a block that stays in a near cache until its rows are made."""

Fill: TypeAlias = Callable[[int, int, Sequence[Array]], None]
"""(lo, hi, sums): make the rows lo:hi of each job, and add what is measured column by column to its pair of sums."""


@dataclass(frozen=True)
class Half:
    """A new factor and the sums that came with it."""

    factor: Any
    gram: Any
    """factorᵀ factor; None where the factor was moved ahead and nothing was to be measured."""
    inner: float
    """<rhs, factor>, 0 where nothing was to be measured."""
    dots: Any
    """Column by column, the inner product with the factor before, where there was one and it was to be measured."""
    ahead: Any = None
    ahead_gram: Array | None = None
    onward: Array | None = None
    """Aᵀ times the factor, or times the factor moved ahead, where the data came in parts: the next right-hand side."""

    @property
    def moved(self) -> tuple[Any, Array]:
        """The factor moved ahead by the momentum, and its gram."""
        if self.ahead is None or self.ahead_gram is None:
            raise ValueError("This half-step was made without momentum.")
        return self.ahead, self.ahead_gram


@dataclass(frozen=True)
class Job:
    """One half-step to make: the rows of ``factor`` for A ≈ factor · fixedᵀ."""

    side: Side
    fixed: Any
    gram: Array
    """fixedᵀ fixed"""
    factor: Any = None
    """The rows as they were; None is zeros."""
    rhs: Any = None
    """A · fixed, where it is at hand."""
    old: Any = None
    """The factor of the iteration before, with which the new one is compared."""
    measured: bool = True
    """Whether the sums are wanted that tell how good the new factor is and how far it turned."""
    beta: float | None = None
    """The momentum with which the new factor is led ahead of the old one."""

    @property
    def tall(self) -> tuple[Any, Any, Any]:
        """What goes by rows: the factor where the half-step reads it, the right-hand side, the factor before."""
        return (None if self.side.update.cold else self.factor), self.rhs, self.old


def half(data: Data, job: Job, workers: Workers) -> Half:
    """Make one half-step."""
    return halves(data, [job], workers)[0]


def halves(data: Data, jobs: Sequence[Job], workers: Workers) -> list[Half]:
    """Make several half-steps in one pass over A; each gives the bits that it gives alone.

    Data that come in parts of these rows are read once: a part gives its rows, and they give their share of the next
    right-hand side while the part is there. Where the parts run along the columns, the right-hand side comes first.
    """
    if data.split == 1:
        jobs = [job if job.rhs is not None else replace(job, rhs=product(data, job.fixed, workers)) for job in jobs]
    task = _HalfSteps(tuple(_bare(job) for job in jobs))
    for job in task.jobs:
        check_minimum(job)
    tall = [rows for job in jobs for rows in job.tall]
    if data.split == 1:
        made, sums = task(data, tall, (), (), workers)
        return task.halves(made, total(sums), [])
    shares = [len(job.gram) for job in jobs] if data.split == 0 else []
    walked = data.walk(task, tall, [job.fixed for job in jobs], workers, shares, both=True)
    return task.halves(walked.rows, walked.sums, walked.shares)


def _bare(job: Job) -> Job:
    """The half-step without its long arrays, which go to the parts by themselves."""
    return replace(job, fixed=np.empty((0, len(job.gram))), factor=None, rhs=None, old=None)


@dataclass(frozen=True)
class _HalfSteps:
    """Several half-steps on one part."""

    jobs: tuple[Job, ...]

    @property
    def widths(self) -> list[int]:
        """The new rows of each half-step, and those moved ahead."""
        return [len(job.gram) for job in self.jobs for _ in range(1 + (job.beta is not None))]

    def __call__(
        self, part: Data, rows: Any, shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        fixed = list(shared) or [job.fixed for job in self.jobs]
        jobs = [
            replace(job, fixed=f, factor=rows[3 * i], rhs=rows[3 * i + 1], old=rows[3 * i + 2])
            for i, (job, f) in enumerate(zip(self.jobs, fixed, strict=True))
        ]
        news = [np.empty((part.shape[0], len(job.gram)), part.dtype) for job in jobs]
        aheads = [None if job.beta is None else np.empty_like(new) for job, new in zip(jobs, news, strict=True)]
        sums = _pass(part, jobs, news, aheads, workers)
        for new, ahead, share in zip(news, aheads, shares, strict=False):
            add_product(part.T, new if ahead is None else ahead, share, workers)
        both = [rows for pair in zip(news, aheads, strict=True) for rows in pair if rows is not None]
        return both, sums

    def halves(self, rows: Sequence[Any], sums: Any, shares: Sequence[Array]) -> list[Half]:
        """The results, from what the parts gave."""
        given, onwards = iter(rows), iter(shares)
        found = []
        for job, (gram, inner, dots, moved) in zip(self.jobs, sums, strict=True):
            new = next(given)
            ahead = None if job.beta is None else next(given)
            found.append(
                Half(new, gram, 0.0 if inner is None else float(inner.sum()), dots, ahead, moved, next(onwards, None))
            )
        return found


def _pass(
    data: Data, jobs: Sequence[Job], news: Sequence[Array], aheads: Sequence[Array | None], workers: Workers
) -> list[list[tuple[Any, ...]]]:
    """All the jobs on data that are at hand: for each block, for each job, what is summed."""
    solvers = [_prepared(job) for job in jobs]
    fill = _straight(data, jobs, solvers, news) or _by_right_sides(data, jobs, solvers, news, workers)

    def block(lo: int, hi: int) -> list[tuple[Any, ...]]:
        sums = [np.zeros((2, new.shape[1])) for new in news]
        fill(lo, hi, sums)
        parts = zip(jobs, news, aheads, sums, strict=True)
        return [_summed(job, lo, hi, new[lo:hi], ahead, both) for job, new, ahead, both in parts]

    return workers.map(block, data.blocks)


def _summed(job: Job, lo: int, hi: int, x: Array, ahead: Array | None, sums: Array) -> tuple[Array | None, ...]:
    """What one half-step on one block adds to the sums over blocks; its rows are led ahead where that is asked for."""
    inner, dots = sums if job.measured else (None, None)
    if ahead is None or job.old is None:
        return gram_of(x), inner, dots, None
    kind = x.dtype.type
    floor = kind(LIFT if job.side.update.locks else 0)  # a clipped zero would be locked
    look_ahead(x, job.old[lo:hi], kind(job.beta or 0), floor, ahead[lo:hi])
    return (gram_of(x) if job.measured else None), inner, dots, gram_of(ahead[lo:hi])


def _prepared(job: Job) -> Rows | None:
    """The half-step with all that depends on its gram alone; None where it needs the data themselves."""
    update = job.side.update
    if isinstance(update, DataUpdate):
        return None
    return update.prepare(job.gram + job.side.penalty.matrix(len(job.gram)))


def _straight(data: Data, jobs: Sequence[Job], solvers: Sequence[Rows | None], news: Sequence[Array]) -> Fill | None:
    """One job whose rows are a clipped product of a large right-hand side: no more of that is made than stays near."""
    job, solve, new = jobs[0], solvers[0], news[0]
    if len(jobs) > 1 or job.rhs is not None or not isinstance(solve, Clipped):
        return None
    arrays = data.compressed(job.fixed)
    largest = max((hi - lo for lo, hi in data.blocks), default=0)
    if arrays is None or largest * new.strides[0] <= NEAR_BYTES:
        return None
    square, old = solve.square.astype(data.dtype, copy=False), new if job.old is None else job.old

    def fill(lo: int, hi: int, sums: Sequence[Array]) -> None:
        csr_clipped_product(*arrays, job.fixed, lo, hi, square, old, job.measured, new, *sums[0])

    return fill


def _by_right_sides(
    data: Data, jobs: Sequence[Job], solvers: Sequence[Rows | None], news: Sequence[Array], workers: Workers
) -> Fill:
    """Every job: the right-hand side of a block, then its rows, then what is measured."""
    rights = _Rights(data, jobs, workers)

    def fill(lo: int, hi: int, sums: Sequence[Array]) -> None:
        for job, solve, right, new, both in zip(jobs, solvers, rights(lo, hi), news, sums, strict=True):
            x, update = new[lo:hi], job.side.update
            if solve is not None:
                solve(right, _before(job, lo, hi, x), x)
            elif isinstance(update, DataUpdate):
                update.solve(data.rows(lo, hi), job.fixed, x)
            if job.measured:
                factor_sums(x, right, x if job.old is None else job.old[lo:hi], *both)

    return fill


def _before(job: Job, lo: int, hi: int, unread: Array) -> Array:
    """The rows as they were, for an update that reads them."""
    if job.factor is not None:
        before: Array = job.factor[lo:hi]
        return before
    return unread if job.side.update.cold else np.zeros_like(unread)


class _Rights:
    """The right-hand sides of several jobs on a block: one wide product where the data allow it, else one each."""

    def __init__(self, data: Data, jobs: Sequence[Job], workers: Workers) -> None:
        self.data, self.jobs, self.workers = data, jobs, workers
        missing = [job.fixed for job in jobs if job.rhs is None]
        self.wide = np.concatenate(missing, axis=1) if data.widens and len(missing) > 1 else None

    def __call__(self, lo: int, hi: int) -> Iterator[Array]:
        at = 0
        wide = None if self.wide is None else right_side(self.data, self.wide, lo, hi, self.workers)
        for job in self.jobs:
            if job.rhs is not None:
                yield job.rhs[lo:hi]
            elif wide is None:
                yield right_side(self.data, job.fixed, lo, hi, self.workers)
            else:
                yield np.ascontiguousarray(wide[:, at : at + job.fixed.shape[1]])
                at += job.fixed.shape[1]


def right_side(data: Data, fixed: Array, lo: int, hi: int, workers: Workers) -> Array:
    """A · fixed on a block, in memory that lasts until this thread asks again."""
    out = workers.buffer(hi - lo, fixed.shape[1], data.dtype)
    data.product(lo, hi, fixed, out)
    return out


def check_minimum(job: Job) -> None:
    """Refuse a penalised problem that has no minimum, before any part is asked."""
    side = job.side
    if not side.update.needs_convex or side.penalty.convex:
        return
    if indefinite(job.gram + side.penalty.matrix(len(job.gram))):
        raise NoMinimum(
            f"AHCLS's penalty (λ = {side.penalty.lam:g}, α = {side.penalty.alpha:g}) makes the Gram matrix "
            f"indefinite here, so rows with nonnegativity properly enforced may have no minimum; "
            f"use a smaller λ or α, or the clipping method ahcls."
        )
