"""What a loss is: everything the engine must know about what is minimised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.updates import LeastSquares
from partwise.data.passes import Tall
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part

LIFT = 1e-3
"""The share of the best model of rank 1 that :func:`lifted` mixes in."""
Fill: TypeAlias = Callable[[int, int, Sequence[Array]], None]
"""(lo, hi, sums): make the rows lo:hi of each half-step, and add to its pair of sums what is measured by column."""

Line: TypeAlias = Callable[[Array, int], tuple[Array, Array]]
"""(X, c) -> half the negative gradient of each row of X along component c, and its curvature there."""


class HalfStep(NamedTuple):
    """One half-step without its long arrays: small enough to be sent to every part."""

    side: Side
    gram: Array
    """fixedᵀ fixed"""
    measured: bool = True
    """Whether the sums are wanted that tell how good the new factor is and how far it turned."""
    beta: float | None = None
    """The momentum with which the new factor is moved ahead of the old one."""
    at_old_rows: bool = False
    """Whether the inner term of the loss is wanted at the rows as they were, not at the new ones."""


class Batch(NamedTuple):
    """Half-steps to make on one part, with its rows of their long arrays."""

    part: Part
    steps: Sequence[HalfStep]
    fixed: Sequence[Any]
    tall: Sequence[Tall]
    new: Sequence[Array]
    """The rows to fill."""
    workers: Workers


@dataclass(frozen=True)
class SideCheck:
    """The stationarity check of one side."""

    squares: float
    """Its share of the squared KKT residual, not yet divided by ‖A‖²."""
    locked: int
    """Zeros that should not be zero."""
    rhs: FactorRows | None
    """A · fixed, as rows of this side, where the next half-step can use it."""


@dataclass(frozen=True)
class Share:
    """What the parts of A give the rows that lie scattered over them."""

    loss: Loss
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        self.loss.share(part, tall[0].factor, shared[0], shares[0], workers)
        return [], [0.0]


class Loss(ABC):
    """What is minimised. Law 1′: row i of a new factor depends on A[i], the fixed factor and row i as it was.

    ``fill`` works on data in memory. Where the rows of A lie in parts along the columns, ``gather`` first makes what
    the half-step needs from all parts.
    """

    name: str
    divergence: ClassVar[float] = 1.0
    """What scikit-learn's beta divergence is of this loss: ½ for the squared one."""
    default_algorithm: ClassVar[str]
    """The algorithm where none is named."""
    everywhere: ClassVar[str | None] = None
    """The algorithm where none is named and the data come in parts, where that is another one."""
    units: ClassVar[tuple[str, str]] = ("of ‖A‖", "of the squares explained")
    """What the relative error, and what is explained, are shares of,"""
    weighted_units: ClassVar[tuple[str, str]] = units
    """and the same for data with weights or unknown entries."""
    settings: Mapping[str, float] = {}
    """What the default algorithm must be given to minimise this very loss."""
    local_only: ClassVar[bool] = False
    """Whether all of A must be in memory."""
    streams: ClassVar[bool] = True
    """Whether W follows from sums over the samples that have come by."""
    gram_form: ClassVar[bool] = True
    """Whether rows need the gram and A · fixed alone."""
    trace_form: ClassVar[bool] = False
    """Whether the value of a pair is ‖A‖² − 2<A Hᵀ, W> + <HHᵀ, WᵀW>."""
    value_needs_pass: ClassVar[bool] = False
    """Whether the value of a pair takes a pass over A where the rows that were made last lie scattered over parts."""
    squares: ClassVar[bool] = False
    """Whether the relative error is √(Σ v (a − y)² / Σ v a²)."""
    comparable: ClassVar[bool] = True
    """Whether the relative error is ‖A − WH‖/‖A‖, so that it can be compared with the SVD's."""
    counts: ClassVar[bool] = False
    """Whether it is the likelihood of counts, so that a share of each can be held out."""
    no_targets: ClassVar[str | None] = "it needs the squared one"
    """Why components cannot be given a sparsity, where they cannot."""
    stationarity: ClassVar[bool] = True
    """Whether the KKT residual is defined."""
    why_not_stationary: ClassVar[str] = ""
    """The verdict where it is not."""

    def on(self, data: Data) -> Loss:
        """The loss as these data need it."""
        return self

    def suited(self, data: Data) -> Algorithm | None:
        """The algorithm where none is named and the data ask for another than the usual one."""
        return None

    def penalty(self, data: Data, side: Side, factor: Factor) -> float:
        """What a penalty by observation adds to the objective."""
        return 0.0

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        """Why this loss cannot be minimised on these data, or None."""
        if data.weighted and self.gram_form:
            return f"The {self.name} loss cannot take weights or unknown entries; use the squared one."
        if algorithm.adjusts and self.no_targets:
            return f"The {self.name} loss takes no sparsity targets for components: {self.no_targets}."
        if not data.weighted and any(side.penalty.per_observation for side in algorithm.sides):
            return "A penalty by observation is for data with weights or unknown entries; use lam_w and lam_h here."
        if data.split is None or not (self.local_only or any(side.update.needs_memory for side in algorithm.sides)):
            return None
        instead = f"; use {self.everywhere}." if self.everywhere and not self.local_only else "."
        return (
            f"{algorithm} needs all of the matrix in memory, so it cannot run on a matrix on disk or on Dask{instead}"
        )

    def first(self, side: Side) -> Side:
        """How H⁽⁰⁾ is made from W⁽⁰⁾: by the side itself where it needs no earlier rows, else by least squares."""
        return side if side.update.cold else Side(LeastSquares(), side.penalty)

    def start(self, data: Data, w: FactorRows) -> FactorRows:
        """W⁽⁰⁾ as this loss can begin with it."""
        return w

    def share_width(self, rank: int) -> int:
        """How many numbers the parts of A give a row that lies scattered over them: its right-hand side."""
        return rank

    @abstractmethod
    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        """What rows need that lie scattered over the parts of A, from a pass over those."""

    def line(self, data: Data, fixed: Factor, workers: Workers) -> Line:
        """What a step along one component of all rows needs, for a loss that is quadratic in them."""
        raise NotImplementedError

    @abstractmethod
    def fill(self, batch: Batch) -> Fill:
        """Do once what depends on the fixed factors alone; the result makes any block of the batch's new rows."""

    @abstractmethod
    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        """Add to ``out`` what these rows of a part give the other side's half-step from ``other``, its own rows."""

    @abstractmethod
    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        """(the gram of a factor of these rows, the inner term of the loss at the pair)."""

    def entrywise(self, values: Array, fitted: Array) -> Array:
        """The loss of single entries, whose sum over A is that of a pair: the squares."""
        squares: Array = (values - fitted) ** 2
        return squares

    @abstractmethod
    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        """(the relative error of the pair, the loss itself)."""

    def explained(self, data: Data, error: float) -> float:
        """The share of what there is to explain that a pair with this relative error explains."""
        return 1 - error**2

    def distance(self, data: Data, error: float) -> float:
        """The error in the units of A, as scikit-learn reports it: ‖A − WH‖_F."""
        return error * float(np.sqrt(data.norm2))

    @abstractmethod
    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        """The stationarity check of one side; ``fixed.rhs`` is used where it is known."""

    def scale(self, data: Data) -> float:
        """What the squared KKT residual is divided by."""
        return data.norm2

    @abstractmethod
    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        """The loss of each column of A, by which the worst fitted one is chosen."""

    @abstractmethod
    def exact(self, side: Side, gram: Array) -> Side:
        """The side whose half-step solves the row problem to the end, whatever the rows were before."""


def lifted(data: Data, w: FactorRows) -> FactorRows:
    """W with a little of the rank-1 model, r_i/N of each column's sum, so that no row of A is fitted with 0."""
    rows = np.asarray(w, np.float64)
    shares = data.row_sums / data.row_sums.sum()
    mixed = (1 - LIFT) * rows + LIFT * np.outer(shares, rows.sum(axis=0))
    held: FactorRows = data.hold(np.ascontiguousarray(mixed, data.dtype))
    return held


def cold_rows(totals: Array, sums: Array) -> Array:
    """Rows to begin with: n_i/Σs in every component that adds s > 0 to the fitted sum, so that this is right."""
    whole = sums.sum(axis=1)
    level = np.divide(totals, whole, out=np.zeros(len(totals)), where=whole > 0)
    rows: Array = level[:, None] * (sums > 0)
    return rows
