"""The squared error with weights and unknown entries, Σ v (a − y)², y = WH: every row has a gram of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.penalties import PerObservation
from partwise.algorithms.table import als_hals, anls, extrapolated, penalised
from partwise.algorithms.updates import exact
from partwise.data.base import Pieces
from partwise.data.passes import Tall, sum_rows, walk
from partwise.data.products import gram_of
from partwise.losses.base import Batch, Fill, HalfStep, Line, Loss, Share, SideCheck
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part, SharedGram, Systems

SLIGHT, STRONG = 0.001, 0.036
"""The penalty by observation is SLIGHT + STRONG u⁴ in units of the mean entry, u the unknown share of the entries: with
few known ones, a row may fit those at any price of the rest."""
WIDE = 12
"""The least rank at which sweeps over the entries cost less than the grams of the rows."""
TILE = 2**17
"""The numbers of the systems that are made at a time, so that they stay near."""


@dataclass(frozen=True)
class WeightedSquared(Loss):
    """Σ v_ij (a_ij − (WH)_ij)²: row i needs G_i = Σ_j v f fᵀ and r_i = Σ_j v a f (Law 1′).

    The relative error is √(Σ v (a − y)² / Σ v a²). The KKT residual is that of the squared loss with b_ic = √(G_i)_cc
    in place of the lengths of components. The value comes from Σ v a² − Σ_i (2 r·x − xGx), so a relative error below
    1e-7 is rounding. Rows that lie scattered over the parts of A are made from the sum of what each part gives them.
    """

    mean: float
    """The mean entry, which penalties by observation are relative to."""
    name: str = "squared"
    default_algorithm = "als-hals"
    divergence = 0.5
    squares = True
    streams = False
    comparable = False
    gram_form = False
    no_targets = None
    units: ClassVar[tuple[str, str]] = ("of √Σva² over the known entries", "of the variance around the mean explained")

    def suited(self, data: Data) -> Algorithm | None:
        """A penalty by observation where entries are unknown, and exact rows with momentum where most are."""
        known = data.row_counts.sum() / np.prod(data.shape)  # type: ignore[attr-defined]
        if known == 1:
            return None
        penalty = PerObservation(float(SLIGHT + STRONG * (1 - known) ** 4))
        return penalised(als_hals() if known > 0.5 else extrapolated(anls()), w=penalty, h=penalty)

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if refusal := super().refuses(data, algorithm):
            return refusal
        if all(side.update.own_systems for side in algorithm.sides):
            return None
        return f"{algorithm.name} takes one gram for all rows; with weights or unknown entries use als, hals or anls."

    def share_width(self, rank: int) -> int:
        return kernels.row_systems.width(rank)

    def gather(
        self, data: Data, side: Side | None, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        shares = [self.share_width(fixed.rows.shape[1])]
        nothing = np.empty((0, 0), data.dtype)
        return walk(data.T, Share(self), [Tall(factor=fixed.rows)], [nothing], workers, shares, both=True).shares[0]

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        turned: Any = part.T
        gram = gram_of(rows)

        def block(lo: int, hi: int) -> None:
            for at, end in _tiles(lo, hi, rows.shape[1]):
                out[at:end] += turned.systems(at, end, rows, gram)

        workers.map(block, turned.blocks)

    def fill(self, batch: Batch) -> Fill:
        part: Any = batch.part

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            for i, (step, arrays) in enumerate(zip(batch.steps, batch.tall, strict=True)):
                shared = arrays.rhs is None and _forms_no_gram(part, step)
                solve = self._solve_shared if shared else self._solve_own
                for at, end in [(lo, hi)] if shared else _tiles(lo, hi, len(step.gram)):
                    x = batch.new[i][at:end]
                    gains = solve(part, step, arrays, batch.fixed[i], at, end, x)
                    if step.measured:
                        pairs[i][0, 0] += gains.sum()
                        kernels.products.column_dots(x, x if arrays.old is None else arrays.old[at:end], pairs[i][1])

        return fill

    def _solve_own(self, part: Any, step: HalfStep, arrays: Tall, fixed: Array, lo: int, hi: int, out: Array) -> Array:
        """Some rows from the system of each; what they gain, where it is measured."""
        systems = _systems(part, arrays, lo, hi, fixed, step.gram)
        before = np.zeros_like(out) if arrays.factor is None else arrays.factor[lo:hi]
        rows = self._penalised(part, step.side, arrays.linear, systems, lo, hi)
        step.side.update.solve_systems(rows, before, out)
        gains = np.empty(hi - lo)
        if step.measured:
            kernels.row_systems.row_gains(systems, out, gains)
        return gains

    def _solve_shared(
        self, part: Any, step: HalfStep, arrays: Tall, fixed: Array, lo: int, hi: int, out: Array
    ) -> Array:
        """The same rows without forming the systems."""
        indptr, indices, values, weights = part.special
        entries = (indptr[lo : hi + 1], indices, values, weights)
        right, gains = np.empty(out.shape, out.dtype), np.empty(hi - lo)
        part.base.product(lo, hi, fixed, right)
        right *= out.dtype.type(part.outside)
        before = np.zeros_like(out) if arrays.factor is None else arrays.factor[lo:hi]
        shift, ridge = _shift(arrays.linear, len(step.gram), lo, hi), self._ridge(part, step.side, lo, hi)
        rows = SharedGram(entries, fixed, part.outside * step.gram, right, shift, ridge)
        step.side.update.solve_shared(rows, before, out, gains)
        return gains

    def line(self, data: Data, fixed: Factor, workers: Workers) -> Line:
        if data.split == 1:
            systems = np.asarray(self.gather(data, None, fixed, None, workers), np.float64)
        else:
            walked = walk(data, _Systems(fixed.gram), [], [np.asarray(fixed.rows)], workers)
            systems = np.asarray(walked.rows[0], np.float64)
        rank = len(fixed.gram)
        place = np.zeros((rank, rank), np.intp)
        place[kernels.row_systems.triangle(rank)] = np.arange(rank, systems.shape[1])
        place = np.maximum(place, place.T)

        def line(x: Array, c: int) -> tuple[Array, Array]:
            return systems[:, c] - np.einsum("ij,ij->i", systems[:, place[c]], x), systems[:, place[c, c]]

        return line

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        return sum_rows(gram_of, factor), float(self._gains(data, fixed, factor, workers).sum())

    def _gains(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> Array:
        """2 r·x − xGx of each row of a factor."""
        if data.split == 1:
            tall, shared = Tall(factor, self.gather(data, None, Factor(fixed, _NO_GRAM), None, workers)), _NO_GRAM
        else:
            tall, shared = Tall(factor), np.asarray(fixed)
        gains = walk(data, _Gains(), [tall], [shared], workers).sums
        whole: Array = gains[0].whole
        return whole

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        error2 = max(0.0, data.norm2 - inner)
        return (float(np.sqrt(error2 / data.norm2)) if data.norm2 > 0 else 0.0), error2

    def explained(self, data: Any, error: float) -> float:
        """Around the mean of the known entries."""
        around = data.norm2 - data.row_weights.sum() * data.mean**2
        return float(1 - error**2 * data.norm2 / around) if around > 0 else 1 - error**2

    def penalty(self, data: Data, side: Side, factor: Factor) -> float:
        if not side.penalty.per_observation:
            return 0.0
        ridge, rows = self._ridge(data, side), np.asarray(factor.rows, np.float64)
        return float(ridge @ np.einsum("ij,ij->i", rows, rows))

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        tall, shared = Tall(factor, linear=side.linear(len(fixed.gram))), _NO_GRAM
        if data.split == 1:
            systems = self.gather(data, side, fixed, None, workers) if fixed.rhs is None else fixed.rhs
            tall = tall._replace(rhs=systems)
        else:
            shared = np.asarray(fixed.rows)
        squares, locked = walk(data, _Check(self, side, fixed.gram), [tall], [shared], workers).sums
        return SideCheck(float(squares), int(locked), tall.rhs)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        misfit: Array = data.T.row_norms2 - self._gains(data.T, w.rows, h, workers)
        return misfit

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)

    def _ridge(self, data: Any, side: Side, lo: int = 0, hi: int | None = None) -> Array:
        """λ · mean · n_i for each row: what a penalty in units of observations adds to its gram's diagonal."""
        weights: Array = data.row_weights[lo:hi]
        return side.penalty.per_observation * self.mean * weights

    def _penalised(self, data: Any, side: Side, linear: Array | None, systems: Array, lo: int, hi: int) -> Systems:
        """The rows' systems with the penalty of a side."""
        rank = _rank(systems.shape[1])
        matrix = side.penalty.matrix(rank)
        packed = systems
        if matrix.any():
            packed = systems.copy()
            packed[:, rank:] += matrix[kernels.row_systems.triangle(rank)]
        free = np.ones(rank, bool)
        free[list(side.update.fixed)] = False
        return Systems(packed, _shift(linear, rank, lo, hi), self._ridge(data, side, lo, hi), free)


_NO_GRAM = np.empty((0, 0))


def _forms_no_gram(part: Any, step: HalfStep) -> bool:
    """Whether rows need no grams of their own: these differ from one by few entries, and the update can do without."""
    rank, update = len(step.gram), step.side.update
    cheaper = update.shared_gram and rank >= WIDE and not step.side.penalty.matrix(rank).any()
    return cheaper and part.base is not None and part._thin is None


def _shift(linear: Array | None, rank: int, lo: int, hi: int) -> Array:
    """Half of the linear penalty of some rows, 1 × k or rows × k."""
    if linear is None:
        return np.zeros((1, rank))
    return np.ascontiguousarray(0.5 * (linear[None] if linear.ndim == 1 else linear[lo:hi]), np.float64)


def _systems(part: Any, arrays: Tall, lo: int, hi: int, fixed: Array, gram: Array) -> Array:
    """The systems of the rows lo:hi, in float64, from their entries or from what all parts gave."""
    if arrays.rhs is None:
        systems: Array = part.systems(lo, hi, fixed, gram)
        return systems
    return np.asarray(arrays.rhs[lo:hi], np.float64)


def _tiles(lo: int, hi: int, rank: int) -> list[tuple[int, int]]:
    """Ranges of rows whose systems stay near."""
    tile = max(1, TILE // kernels.row_systems.width(rank))
    return [(at, min(at + tile, hi)) for at in range(lo, hi, tile)]


def _rank(numbers: int) -> int:
    """k from k + k (k + 1) / 2."""
    return int((np.sqrt(9 + 8 * numbers) - 3) / 2 + 0.5)


@dataclass(frozen=True)
class _Systems:
    """The systems of the rows, kept."""

    gram: Array

    @property
    def widths(self) -> list[int]:
        """All numbers of a system."""
        return [kernels.row_systems.width(len(self.gram))]

    def __call__(
        self, part: Any, tall: object, shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        systems = np.empty((part.shape[0], kernels.row_systems.width(len(self.gram))))

        def block(lo: int, hi: int) -> None:
            systems[lo:hi] = part.systems(lo, hi, shared[0], self.gram)

        workers.map(block, part.blocks)
        return [systems], [0.0]


@dataclass(frozen=True)
class _Gains:
    """2 r·x − xGx of each row."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Any, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, gains, gram = tall[0].factor, np.empty(part.shape[0]), gram_of(shared[0])

        def block(lo: int, hi: int) -> None:
            for at, end in _tiles(lo, hi, factor.shape[1]):
                kernels.row_systems.row_gains(
                    _systems(part, tall[0], at, end, shared[0], gram), factor[at:end], gains[at:end]
                )

        workers.map(block, part.blocks)
        return [], [[Pieces((gains,), 0)]]


@dataclass(frozen=True)
class _Check:
    """The stationarity check of the rows."""

    loss: WeightedSquared
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
                systems = _systems(part, tall[0], at, end, shared[0], self.gram)
                rows = self.loss._penalised(part, self.side, tall[0].linear, systems, at, end)
                known = (rows.packed, rows.linear, rows.ridge, rows.free)
                more, zeros = kernels.row_systems.system_stationarity(*known, factor[at:end], slack)
                squares, locked = squares + float(more), locked + int(zeros)
            return squares, locked

        return [], workers.map(block, part.blocks)
