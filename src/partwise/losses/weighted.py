"""The squared error with weights and unknown entries, Σ v (a − y)², y = WH: every row has a gram of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.penalties import PerObservation
from partwise.algorithms.table import als_hals, penalised
from partwise.algorithms.updates import exact
from partwise.data.passes import Tall, sum_rows, walk
from partwise.data.products import gram_of
from partwise.kernels.products import column_dots
from partwise.kernels.row_systems import row_gains, system_stationarity, width
from partwise.losses.base import Batch, Fill, Loss, SideCheck
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part, Systems

LAMBDA = 0.03
"""The penalty by observation where all that is not stored is unknown, in units of the mean entry."""
TILE = 2**17
"""The numbers of the systems that are made at a time, so that they stay near."""


class WeightedSquared(Loss):
    """Σ v_ij (a_ij − (WH)_ij)²: row i needs G_i = Σ_j v f fᵀ and r_i = Σ_j v a f (Law 1′).

    The relative error is √(Σ v (a − y)² / Σ v a²). The KKT residual is that of the squared loss with b_ic = √(G_i)_cc
    in place of the lengths of components. The value comes from Σ v a² − Σ_i (2 r·x − xGx), so a relative error below
    1e-7 is rounding.
    """

    name = "squared"
    default_algorithm = "als-hals"
    streams = False
    comparable = False
    gram_form = False
    units: ClassVar[tuple[str, str]] = ("of √Σva² over the known entries", "of the variance around the mean explained")

    def suited(self, data: Data) -> Algorithm | None:
        """The usual one, and, where all that is not stored is unknown, with a penalty by observation."""
        if data.outside > 0:  # type: ignore[attr-defined]
            return None
        return penalised(als_hals(), w=PerObservation(LAMBDA), h=PerObservation(LAMBDA))

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if refusal := super().refuses(data, algorithm):
            return refusal
        if all(side.update.own_systems for side in algorithm.sides):
            return None
        return f"{algorithm.name} takes one gram for all rows; with weights or unknown entries use als, hals or anls."

    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        raise NotImplementedError

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        raise NotImplementedError

    def fill(self, batch: Batch) -> Fill:
        part: Any = batch.part

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            for i, (step, arrays) in enumerate(zip(batch.steps, batch.tall, strict=True)):
                rank = len(step.gram)
                for at, end in _tiles(lo, hi, rank):
                    x = batch.new[i][at:end]
                    systems = part.systems(at, end, batch.fixed[i], step.gram)
                    before = np.zeros_like(x) if arrays.factor is None else arrays.factor[at:end]
                    rows = _penalised(part, step.side, arrays.linear, systems, at, end)
                    step.side.update.solve_systems(rows, before, x)
                    if step.measured:
                        gains = np.empty(end - at)
                        row_gains(systems, x, gains)
                        pairs[i][0, 0] += gains.sum()
                        column_dots(x, x if arrays.old is None else arrays.old[at:end], pairs[i][1])

        return fill

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        gains = walk(data, _Gains(), [Tall(factor=factor)], [np.asarray(fixed)], workers).rows[0]
        return sum_rows(gram_of, factor), float(gains.sum())

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        error2 = max(0.0, data.norm2 - inner)
        return float(np.sqrt(error2 / data.norm2)), error2

    def penalty(self, data: Data, side: Side, factor: Factor) -> float:
        ridge = ridge_of(data, side)
        rows = np.asarray(factor.rows, np.float64)
        return float(ridge @ np.einsum("ij,ij->i", rows, rows)) if ridge.any() else 0.0

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        tall = Tall(factor=factor, linear=side.linear(len(fixed.gram)))
        task = _Check(side, fixed.gram)
        squares, locked = walk(data, task, [tall], [np.asarray(fixed.rows)], workers).sums
        return SideCheck(float(squares), int(locked), None)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        gains = walk(data.T, _Gains(), [Tall(factor=h)], [np.asarray(w.rows)], workers).rows[0]
        misfit: Array = data.T.row_norms2 - gains[:, 0]
        return misfit

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)


def _tiles(lo: int, hi: int, rank: int) -> list[tuple[int, int]]:
    """Ranges of rows whose systems stay near."""
    tile = max(1, TILE // width(rank))
    return [(at, min(at + tile, hi)) for at in range(lo, hi, tile)]


def ridge_of(data: Any, side: Side, lo: int = 0, hi: int | None = None) -> Array:
    """λ · mean · n_i for each row: what a penalty in units of observations adds to its gram's diagonal."""
    scale = side.penalty.per_observation
    weights: Array = data.row_weights[lo:hi]
    return scale * data.scale * weights if scale else np.zeros(len(weights))


def _penalised(data: Any, side: Side, linear: Array | None, systems: Array, lo: int, hi: int) -> Systems:
    """The rows' systems with the penalty of a side."""
    rank = _rank(systems.shape[1])
    matrix = side.penalty.matrix(rank)
    packed = systems
    if matrix.any():
        packed = systems.copy()
        packed[:, rank:] += matrix[np.triu_indices(rank)]
    shift = np.zeros((1, rank)) if linear is None else 0.5 * (linear[None] if linear.ndim == 1 else linear[lo:hi])
    free = np.ones(rank, bool)
    free[list(side.update.fixed)] = False
    return Systems(packed, np.ascontiguousarray(shift, np.float64), ridge_of(data, side, lo, hi), free)


def _rank(numbers: int) -> int:
    """k from k + k (k + 1) / 2."""
    return int((np.sqrt(9 + 8 * numbers) - 3) / 2 + 0.5)


@dataclass(frozen=True)
class _Gains:
    """2 r·x − xGx of each row."""

    widths: tuple[int, ...] = (1,)

    def __call__(
        self, part: Any, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[float]]:
        factor, gains, gram = tall[0].factor, np.empty((part.shape[0], 1)), gram_of(shared[0])

        def block(lo: int, hi: int) -> None:
            for at, end in _tiles(lo, hi, factor.shape[1]):
                row_gains(part.systems(at, end, shared[0], gram), factor[at:end], gains[at:end, 0])

        workers.map(block, part.blocks)
        return [gains], [0.0]


@dataclass(frozen=True)
class _Check:
    """The stationarity check of the rows."""

    side: Side
    gram: Array
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Any, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, slack = tall[0].factor, float(np.sqrt(np.finfo(part.dtype).eps))

        def block(lo: int, hi: int) -> tuple[float, int]:
            squares, locked = 0.0, 0
            for at, end in _tiles(lo, hi, factor.shape[1]):
                systems = part.systems(at, end, shared[0], self.gram)
                rows = _penalised(part, self.side, tall[0].linear, systems, at, end)
                known = (rows.packed, rows.linear, rows.ridge, rows.free)
                more, zeros = system_stationarity(*known, factor[at:end], slack)
                squares, locked = squares + float(more), locked + int(zeros)
            return squares, locked

        return [], workers.map(block, part.blocks)
