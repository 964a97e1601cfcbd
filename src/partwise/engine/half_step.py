"""The half-step as one pass over row blocks, its sums in block order and in float64; both sides are this function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.data.passes import Tall, sum_rows, total, walk
from partwise.data.products import gram_of
from partwise.losses.base import Batch, HalfStep, Loss
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part

OUT_OF_RANGE = "The weights of these columns leave the range of their precision; give them in float64, or rescale them."

SCATTERED = (
    "The exact weights of a column need all of its entries at once, and here they lie scattered over parts along the "
    "rows; store the matrix in parts along its columns (partwise convert --long columns)."
)


class Job(NamedTuple):
    """One half-step to make: the rows of X for A ≈ X · fixedᵀ."""

    side: Side
    fixed: Factor
    before: FactorRows | None = None
    """The rows as they were; None is zeros."""
    old: FactorRows | None = None
    """The factor of the iteration before, with which the new one is compared."""
    measured: bool = True
    """Whether the sums are wanted that tell how good the new factor is and how far it turned."""
    beta: float | None = None
    """The momentum with which the new factor is moved ahead of the old one."""
    at_old_rows: bool = False
    """Whether the inner term of the loss is wanted at the rows as they were, not at the new ones."""

    @property
    def step(self) -> HalfStep:
        """The half-step without its long arrays."""
        return HalfStep(self.side, self.fixed.gram, self.measured, self.beta, self.at_old_rows)

    @property
    def tall(self) -> Tall:
        """What goes by rows to the parts."""
        side, fixed = self.side, self.fixed
        return Tall(None if side.update.cold else self.before, fixed.rhs, self.old, side.linear(len(fixed.gram)))


class Half(NamedTuple):
    """A new factor and the sums that came with it."""

    factor: Factor
    """Its gram is None where it was moved ahead and nothing was to be measured."""
    inner: float
    """The inner term of the loss, <rhs, X> for the squared one; 0 where nothing was to be measured, NaN where it takes
    a pass over A."""
    dots: Array | None
    """Column by column, the inner product with the factor before, where that was to be measured."""
    ahead: Factor | None = None
    """The factor moved ahead by the momentum."""


def half_step(data: Data, loss: Loss, job: Job, workers: Workers) -> Half:
    """Make one half-step."""
    return half_steps(data, loss, [job], workers)[0]


def half_steps(data: Data, loss: Loss, jobs: Sequence[Job], workers: Workers) -> list[Half]:
    """Make several half-steps in one pass over A; each has the bits that it has alone.

    Data that come in parts of these rows are read once: a part gives its rows, and they give their share of the next
    right-hand side while the part is there. Where the parts run along the columns, the right-hand side comes first.
    """
    for job in jobs:
        job.side.check_minimum(job.fixed.gram)
    task, fixed = _HalfSteps(loss, tuple([job.step for job in jobs])), [job.fixed.rows for job in jobs]
    tall = [job.tall for job in jobs]
    if data.split is None:
        rows, sums = task(cast(Part, data), tall, cast(list[Array], fixed), (), workers)
        return task.results(rows, total(sums), [])
    widths = [loss.share_width(len(job.fixed.gram)) for job in jobs]
    if data.split == 1:
        tall = [
            arrays._replace(rhs=loss.gather(data, job.side, job.fixed, job.before, workers))
            if arrays.rhs is None
            else arrays
            for job, arrays in zip(jobs, tall, strict=True)
        ]
    else:
        fixed = [np.asarray(rows) for rows in fixed]  # they go to every part
    walked = walk(data, task, tall, cast(list[Array], fixed), workers, widths, both=True)
    return task.results(walked.rows, walked.sums, walked.shares)


@dataclass(frozen=True)
class _HalfSteps:
    """Several half-steps on one part."""

    loss: Loss
    steps: tuple[HalfStep, ...]

    @property
    def widths(self) -> list[int]:
        """The new rows of each half-step, and those moved ahead."""
        return [len(step.gram) for step in self.steps for _ in range(1 + (step.beta is not None))]

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        empty, rows, dtype = kernels.memory.empty, part.shape[0], part.dtype
        new = [empty((rows, len(step.gram)), dtype) for step in self.steps]
        ahead = [None if step.beta is None else empty((rows, len(step.gram)), dtype) for step in self.steps]
        fill = self.loss.fill(Batch(part, self.steps, shared, tall, new, workers))

        def block(lo: int, hi: int) -> list[tuple[Array | None, ...]]:
            pairs = [np.zeros((2, len(step.gram))) for step in self.steps]
            fill(lo, hi, pairs)
            return [
                block_sums(step, arrays.old, lo, hi, x, moved, pair)
                for step, arrays, x, moved, pair in zip(self.steps, tall, new, ahead, pairs, strict=True)
            ]

        sums = workers.map(block, part.blocks)
        for fresh, moved, other, share in zip(new, ahead, shared, shares, strict=False):
            self.loss.share(part, fresh if moved is None else moved, other, share, workers)
        return [one for pair in zip(new, ahead, strict=True) for one in pair if one is not None], sums

    def results(self, rows: Sequence[Any], sums: Any, shares: Sequence[Array]) -> list[Half]:
        """The half-steps, from what the parts gave."""
        factors, shared, halves = iter(rows), iter(shares), []
        for step, (gram, inner, dots, ahead_gram) in zip(self.steps, sums, strict=True):
            new, measured, rhs = next(factors), 0.0 if inner is None else float(inner.sum()), next(shared, None)
            if step.beta is None:
                halves.append(Half(Factor(new, gram, rhs), measured, dots))
            else:
                halves.append(Half(Factor(new, gram), measured, dots, Factor(next(factors), ahead_gram, rhs)))
        return halves


def block_sums(
    step: HalfStep, old: Array | None, lo: int, hi: int, new: Array, ahead: Array | None, sums: Array
) -> tuple[Array | None, ...]:
    """(gram, inner, dots, gram ahead) of one half-step on one block; its rows are moved ahead where that is asked."""
    x = new[lo:hi]
    inner, dots = sums if step.measured else (None, None)
    if ahead is None or old is None:
        return gram_of(x), inner, dots, None
    moved, number = ahead[lo:hi], x.dtype.type
    kernels.products.look_ahead(x, old[lo:hi], number(step.beta or 0), number(step.side.update.ahead_floor), moved)
    return (gram_of(x) if step.measured else None), inner, dots, gram_of(moved)


def fold_in(
    documents: Data,
    loss: Loss,
    algorithm: Algorithm,
    w: FactorRows,
    workers: Workers,
    rhs: FactorRows | None = None,
    before: FactorRows | None = None,
    gram: Array | None = None,
) -> Half:
    """The rows of H for the rows of ``documents``: a function of W and of each document alone; ``gram`` is WᵀW.

    The row problem of the algorithm's own objective, solved to the end. Components of H that are frozen are taken
    from ``before``, the rows as they are.
    """
    if algorithm.h.update.fixed and before is None:
        raise ValueError(
            "Components of H are frozen, so other columns have no weights for them; freeze components of W alone."
        )
    if refusal := loss.refuses(documents, algorithm):
        raise ValueError(refusal)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        gram = sum_rows(gram_of, w) if gram is None else gram
        if not np.isfinite(gram).all():
            raise ValueError(OUT_OF_RANGE)
        side = loss.exact(algorithm.h, gram)
        if documents.split == 1 and side.update.needs_memory:
            raise ValueError(SCATTERED)
        rows = documents.row_wise()
        known = rhs if rows is documents else None  # a right-hand side from elsewhere has other bits
        job = Job(side, Factor(w, gram, known), before if side.update.fixed else None)
        half = half_step(rows, loss, job, workers)
    if not np.isfinite(half.factor.gram).all():
        raise ValueError(OUT_OF_RANGE)
    return half


def in_precision(w: Any, dtype: Any) -> Array:
    """W in the precision of other data; what that cannot hold is infinite, and refused by :func:`fold_in`."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(w, dtype)
