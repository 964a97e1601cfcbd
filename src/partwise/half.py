"""The half-step as one pass over row blocks, its sums in block order and in float64; both sides are this function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from partwise.algorithms import Side
from partwise.blocks import Workers, add_product, gram_of, passes, product
from partwise.kernels.products import column_dots, look_ahead, optimality
from partwise.penalties import indefinite
from partwise.types import Array, Data, DataUpdate, NoMinimum
from partwise.updates.multiplicative import LIFT

Solver: TypeAlias = Callable[[int, int, Array, Array, Array], None]


@dataclass(frozen=True)
class Half:
    """A new factor and the sums that came with it."""

    factor: Array
    gram: Array
    inner: float
    """<rhs, factor>"""
    dots: Array
    """Column by column, the inner product with the factor before (zeros where none was given)."""
    ahead: Array | None = None
    ahead_gram: Array | None = None
    onward: Array | None = None
    """Aᵀ times the factor, or times the factor moved ahead, where the data came in parts: the next right-hand side."""

    @property
    def moved(self) -> tuple[Array, Array]:
        """The factor moved ahead by the momentum, and its gram."""
        if self.ahead is None or self.ahead_gram is None:
            raise ValueError("This half-step was made without momentum.")
        return self.ahead, self.ahead_gram


@dataclass(frozen=True)
class Job:
    """One half-step to make: the rows of ``factor`` for A ≈ factor · fixedᵀ."""

    side: Side
    fixed: Array
    gram: Array
    """fixedᵀ fixed"""
    factor: Array
    rhs: Array | None = None
    """A · fixed, where it is at hand."""
    old: Array | None = None
    """The factor of the iteration before, with which the new one is compared."""
    inner: bool = True
    """Whether <rhs, factor> is wanted."""
    beta: float | None = None
    """The momentum with which the new factor is led ahead of the old one."""

    def rows(self, lo: int, hi: int) -> Job:
        """The same half-step for some of the rows."""
        rhs, old = (None if a is None else a[lo:hi] for a in (self.rhs, self.old))
        return replace(self, factor=self.factor[lo:hi], rhs=rhs, old=old)


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
    solvers = [_solver(data, job.side, job.fixed, job.gram) for job in jobs]
    news = [np.empty((data.shape[0], job.fixed.shape[1]), data.dtype) for job in jobs]
    aheads = [np.empty_like(new) if job.beta is not None else None for job, new in zip(jobs, news, strict=True)]
    onwards = [np.zeros_like(job.fixed) if data.split == 0 else None for job in jobs]
    made: list[list[tuple[Any, ...]]] = []
    for lo, hi, part in passes(data, both=True):
        rows = [new[lo:hi] for new in news]
        moved = [None if ahead is None else ahead[lo:hi] for ahead in aheads]
        made += _pass(part, [job.rows(lo, hi) for job in jobs], solvers, rows, moved, workers)
        for new, ahead, onward in zip(rows, moved, onwards, strict=True):
            if onward is not None:
                add_product(part.T, new if ahead is None else ahead, onward, workers)
    sums = zip(*made, strict=True)
    return [_summed(*each) for each in zip(news, aheads, onwards, sums, strict=True)]


def _pass(
    data: Data,
    jobs: Sequence[Job],
    solvers: Sequence[Solver],
    news: Sequence[Array],
    aheads: Sequence[Array | None],
    workers: Workers,
) -> list[list[tuple[Any, ...]]]:
    """All the jobs on data that are at hand: for each block, for each job, what is summed."""
    rights = _Rights(data, jobs, workers)

    def block(lo: int, hi: int) -> list[tuple[Any, ...]]:
        parts = zip(jobs, solvers, news, aheads, rights(lo, hi), strict=True)
        return [_one(job, solve, lo, hi, right, new, ahead) for job, solve, new, ahead, right in parts]

    return workers.map(block, data.blocks)


def _one(
    job: Job, solve: Solver, lo: int, hi: int, right: Array, new: Array, ahead: Array | None
) -> tuple[Array, Array, Array, Array | None]:
    """One half-step on one block: the rows, and what is summed over blocks."""
    x = new[lo:hi]
    solve(lo, hi, right, job.factor[lo:hi], x)
    dots = np.zeros(x.shape[1]) if job.old is None else column_dots(x, job.old[lo:hi])
    inner = column_dots(right, x) if job.inner else np.zeros(x.shape[1])
    sums = gram_of(x), inner, dots
    if ahead is None or job.old is None:
        return *sums, None
    kind = x.dtype.type
    floor = kind(LIFT if job.side.update.locks else 0)  # a clipped zero would be locked
    look_ahead(x, job.old[lo:hi], kind(job.beta or 0), floor, ahead[lo:hi])
    return *sums, gram_of(ahead[lo:hi])


def _summed(new: Array, ahead: Array | None, onward: Array | None, sums: Sequence[tuple[Any, ...]]) -> Half:
    """The sums in block order."""
    grams, inners, dots, moved = zip(*sums, strict=True)
    return Half(
        new,
        sum(grams[1:], grams[0]),
        float(sum(inners[1:], inners[0]).sum()),
        sum(dots[1:], dots[0]),
        ahead,
        None if ahead is None else sum(moved[1:], moved[0]),
        onward,
    )


class _Rights:
    """The right-hand sides of several jobs on a block: one wide product where the data allow it, else one each."""

    def __init__(self, data: Data, jobs: Sequence[Job], workers: Workers) -> None:
        self.data, self.jobs, self.workers = data, jobs, workers
        missing = [job.fixed for job in jobs if job.rhs is None]
        self.wide = np.concatenate(missing, axis=1) if data.widens and len(missing) > 1 else None

    def __call__(self, lo: int, hi: int) -> Iterator[Array]:
        at = 0
        wide = None if self.wide is None else _right(self.data, self.wide, lo, hi, self.workers)
        for job in self.jobs:
            if job.rhs is not None:
                yield job.rhs[lo:hi]
            elif wide is None:
                yield _right(self.data, job.fixed, lo, hi, self.workers)
            else:
                yield np.ascontiguousarray(wide[:, at : at + job.fixed.shape[1]])
                at += job.fixed.shape[1]


def side_optimality(
    data: Data,
    side: Side,
    fixed: Array,
    gram: Array,
    factor: Array,
    workers: Workers,
    keep: Array | None = None,
) -> tuple[float, int]:
    """(squared KKT residual, wrongly locked zeros) of one side; the right-hand side is left in ``keep``."""
    penalised = gram + side.penalty.matrix(len(gram))
    scale = np.sqrt(np.diag(gram))
    slack = float(np.sqrt(np.finfo(data.dtype).eps))
    own = side.update.residual(penalised)

    whole = product(data, fixed, workers) if data.split == 1 else None

    def block(part: Data, first: int, lo: int, hi: int) -> tuple[float, int]:
        there = slice(first + lo, first + hi)
        right = _right(part, fixed, lo, hi, workers) if whole is None else whole[there]
        if keep is not None:
            keep[there] = right
        x = factor[there]
        gradient = x.astype(np.float64, copy=False) @ penalised - right
        squares, locked = optimality(x, gradient, right, scale, slack)
        return (squares if own is None else own(right, x)), locked

    found: list[tuple[float, int]] = []
    for first, _, part in passes(data):
        found += workers.map(partial(block, part, first), part.blocks)
    return sum(squares for squares, _ in found), sum(locked for _, locked in found)


def _right(data: Data, fixed: Array, lo: int, hi: int, workers: Workers) -> Array:
    out = workers.buffer(hi - lo, fixed.shape[1], data.dtype)
    data.product(lo, hi, fixed, out)
    return out


def _solver(data: Data, side: Side, fixed: Array, gram: Array) -> Solver:
    """The half-step on a block: from the right-hand side, or from the data where the update needs them."""
    update = side.update
    if isinstance(update, DataUpdate):
        return lambda lo, hi, right, factor, out: update.solve(data.rows(lo, hi), fixed, out)
    penalised = gram + side.penalty.matrix(len(gram))
    if update.needs_convex and not side.penalty.convex and indefinite(penalised):
        raise NoMinimum(
            f"AHCLS's penalty (λ = {side.penalty.lam:g}, α = {side.penalty.alpha:g}) makes the Gram matrix "
            f"indefinite here, so rows with nonnegativity properly enforced may have no minimum; "
            f"use a smaller λ or α, or the clipping method ahcls."
        )
    rows = update.prepare(penalised)
    return lambda lo, hi, right, factor, out: rows(right, factor, out)
