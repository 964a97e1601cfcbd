"""The squared error ‖A − WH‖²_F on complete data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.penalties import indefinite
from partwise.algorithms.updates import exact
from partwise.data.passes import Tall, walk
from partwise.data.products import NEAR_EXACT, add_product, gram_of, product, residual2
from partwise.losses.base import Batch, Fill, Line, Loss, SideCheck
from partwise.losses.weighted import WeightedSquared
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part


class Squared(Loss):
    """‖A − WH‖²_F: with one factor fixed a row needs the gram and its right-hand side alone (Law 1)."""

    name = "squared"
    divergence = 0.5
    squares = trace_form = True
    no_targets = None
    default_algorithm = "als-hals"
    weighted_units = WeightedSquared.units

    def on(self, data: Data) -> Loss:
        return WeightedSquared(data.scale) if data.weighted and type(self) is Squared else self  # type: ignore[attr-defined]

    def suited(self, data: Data) -> Algorithm | None:
        return self.on(data).suited(data) if data.weighted else None

    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        return product(data, fixed.rows, workers)

    def line(self, data: Data, fixed: Factor, workers: Workers) -> Line:
        rhs, gram = np.asarray(product(data, fixed.rows, workers), np.float64), fixed.gram
        return lambda x, c: (rhs[:, c] - x @ gram[:, c], gram[c, c])

    def fill(self, batch: Batch) -> Fill:
        part, workers = batch.part, batch.workers
        solvers = [step.side.prepare(step.gram) for step in batch.steps]
        fused = _fused(batch, solvers[0]) if len(solvers) == 1 else None
        if fused is not None:
            return fused
        wide = _WideProduct(batch) if part.widens and len(solvers) > 1 else None

        def fill(lo: int, hi: int, sums: Sequence[Array]) -> None:
            right_sides = iter(()) if wide is None else wide.block(lo, hi)
            rows = zip(batch.steps, solvers, batch.fixed, batch.tall, batch.new, sums, strict=True)
            for step, solve, fixed, arrays, new, (inner, dots) in rows:
                if arrays.rhs is not None:
                    right = arrays.rhs[lo:hi]
                elif wide is not None:
                    right = next(right_sides)
                else:
                    right = workers.buffer(hi - lo, len(step.gram), part.dtype)
                    part.product(lo, hi, fixed, right)
                x = new[lo:hi]
                if arrays.factor is not None:
                    before = arrays.factor[lo:hi]
                else:
                    before = x if step.side.update.cold else np.zeros_like(x)
                linear = arrays.linear
                solve(right if linear is None else step.side.shifted(right, linear, lo, hi), before, x)
                if step.measured:
                    kernels.products.factor_sums(x, right, x if arrays.old is None else arrays.old[lo:hi], inner, dots)

        return fill

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        add_product(part.T, rows, out, workers)

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        if data.split == 1:
            tall, shared = Tall(factor, product(data, fixed, workers)), []
        else:
            tall, shared = Tall(factor), [np.asarray(fixed)]
        gram, inner = walk(data, _PairSums(), [tall], shared, workers).sums
        return gram, float(np.sum(inner))

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        """By the trace form ‖A‖² − 2<R, X> + <G, XᵀX>; entry by entry near an exact fit, where that cancels."""
        norm2 = data.norm2
        error2 = norm2 - 2 * inner + kernels.products.dot(w.gram, h.gram)
        if error2 < NEAR_EXACT[data.dtype.itemsize] * norm2:
            error2 = residual2(data, w.rows, h.rows, workers)
        return (float(np.sqrt(error2 / norm2)) if norm2 > 0 else 0.0), error2

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        tall, shared = Tall(factor, fixed.rhs, linear=side.linear(len(fixed.gram))), []
        if tall.rhs is None and data.split == 1:
            tall = tall._replace(rhs=product(data, fixed.rows, workers))
        elif data.split != 1:
            shared = [np.asarray(fixed.rows)]
        walked = walk(data, _SideCheck(side, fixed.gram), [tall], shared, workers)
        squares, locked = walked.sums
        return SideCheck(squares, locked, walked.rows[0])

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        """‖a_j − W h_j‖² = ‖a_j‖² + h_j (G h_j − 2 Wᵀa_j)."""
        rhs = product(data.T, w.rows, workers).astype(np.float64, copy=False)
        rows = np.asarray(h).astype(np.float64, copy=False)
        fitted = np.einsum("ij,ij->i", rows @ w.gram - 2 * rhs, rows)
        misfit: Array = data.T.row_norms2 + fitted
        return misfit

    def exact(self, side: Side, gram: Array) -> Side:
        """Nonnegative least squares, or the update's own; where the penalty leaves no minimum, the update itself."""
        solvable = side.penalty.convex or not indefinite(side.penalised(gram))
        return Side(exact(side.update) if solvable else side.update, side.penalty)


def _fused(batch: Batch, solver: Any) -> Fill | None:
    """One half-step whose rows are a clipped product, where the data make those without a large right-hand side."""
    part, step, arrays, out = batch.part, batch.steps[0], batch.tall[0], batch.new[0]
    square = getattr(solver, "square", None)
    if square is None or arrays.rhs is not None or arrays.linear is not None:
        return None
    kernel = part.clipped_product(batch.fixed[0])
    if kernel is None:
        return None
    square, old = square.astype(part.dtype, copy=False), out if arrays.old is None else arrays.old

    def fill(lo: int, hi: int, sums: Sequence[Array]) -> None:
        kernel(lo, hi, square, old, step.measured, out, *sums[0])

    return fill


class _WideProduct:
    """The right-hand sides of several half-steps as one product: a column of it has the same bits at any width."""

    def __init__(self, batch: Batch) -> None:
        self._part, self._workers = batch.part, batch.workers
        missing = [rows for rows, arrays in zip(batch.fixed, batch.tall, strict=False) if arrays.rhs is None]
        self._widths = [rows.shape[1] for rows in missing]
        self._fixed = np.concatenate(missing, axis=1) if missing else None

    def block(self, lo: int, hi: int) -> Iterator[Array]:
        """Those of the half-steps that have none yet, for the rows lo:hi."""
        if self._fixed is None:
            return
        wide = self._workers.buffer(hi - lo, self._fixed.shape[1], self._part.dtype)
        self._part.product(lo, hi, self._fixed, wide)
        at = 0
        for width in self._widths:
            yield np.ascontiguousarray(wide[:, at : at + width])
            at += width


@dataclass(frozen=True)
class _PairSums:
    """FᵀF and <A · fixed, F> of some rows of a factor that is known."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, rhs = tall[0].factor, tall[0].rhs

        def block(lo: int, hi: int) -> tuple[Array, Array]:
            if rhs is None:
                right = workers.buffer(hi - lo, factor.shape[1], part.dtype)
                part.product(lo, hi, shared[0], right)
            else:
                right = rhs[lo:hi]
            rows, sums = factor[lo:hi], np.zeros((2, factor.shape[1]))
            kernels.products.factor_sums(rows, right, rows, sums[0], sums[1])
            return gram_of(rows), sums[0]

        return [], workers.map(block, part.blocks)


@dataclass(frozen=True)
class _SideCheck:
    """The stationarity check of some rows."""

    side: Side
    gram: Array

    @property
    def widths(self) -> list[int]:
        """The right-hand side is kept."""
        return [len(self.gram)]

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, rhs = tall[0].factor, tall[0].rhs
        penalised = self.side.penalised(self.gram)
        scale, slack = np.sqrt(np.diag(self.gram)), float(np.sqrt(np.finfo(part.dtype).eps))
        own, fixed_components = self.side.update.residual(penalised), list(self.side.update.fixed)
        kept = np.empty((part.shape[0], len(self.gram)), part.dtype) if rhs is None else rhs

        def block(lo: int, hi: int) -> tuple[float, int]:
            if rhs is None:
                part.product(lo, hi, shared[0], kept[lo:hi])
            x = factor[lo:hi]
            right = self.side.shifted(kept[lo:hi], tall[0].linear, lo, hi)
            gradient = x.astype(np.float64, copy=False) @ penalised - right
            gradient[:, fixed_components] = 0
            squares, locked = kernels.products.optimality(x, gradient, kept[lo:hi], scale, slack)
            return (squares if own is None else own(right, x)), locked

        return [kept], workers.map(block, part.blocks)
