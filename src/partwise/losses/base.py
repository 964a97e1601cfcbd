"""What a loss is: everything the engine must know about what is minimised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from partwise.algorithms.base import Algorithm, Side
from partwise.data.passes import Tall
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part

Fill: TypeAlias = Callable[[int, int, Sequence[Array]], None]
"""(lo, hi, sums): make the rows lo:hi of each half-step, and add to its pair of sums what is measured by column."""


@dataclass(frozen=True)
class HalfStep:
    """One half-step without its long arrays: small enough to be sent to every part."""

    side: Side
    gram: Array
    """fixedᵀ fixed"""
    measured: bool = True
    """Whether the sums are wanted that tell how good the new factor is and how far it turned."""
    beta: float | None = None
    """The momentum with which the new factor is moved ahead of the old one."""


@dataclass(frozen=True)
class SideCheck:
    """The stationarity check of one side."""

    squares: float
    """Its share of the squared KKT residual, not yet divided by ‖A‖²."""
    locked: int
    """Zeros that should not be zero."""
    rhs: Any
    """A · fixed, as rows of this side."""


class Loss(ABC):
    """What is minimised. Law 1′: row i of a new factor depends on A[i], the fixed factor and row i as it was.

    ``fill`` works on data in memory. Where the rows of A lie in parts along the columns, ``gather`` first makes what
    the half-step needs from all parts.
    """

    name: ClassVar[str]
    default_algorithm: ClassVar[str]
    """The algorithm where none is named."""
    local_only: ClassVar[bool] = False
    """Whether all of A must be in memory."""
    streams: ClassVar[bool] = True
    """Whether W follows from sums over the samples that have come by."""
    stationarity: ClassVar[bool] = True
    """Whether the KKT residual is defined."""
    why_not_stationary: ClassVar[str] = ""
    """The verdict where it is not."""

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        """Why this loss cannot be minimised on these data, or None."""
        if self.local_only and data.split is not None:
            return f"{algorithm} needs all of the matrix in memory, so it cannot run on a matrix on disk or on Dask."
        return None

    @abstractmethod
    def gather(self, data: Data, fixed: Factor, workers: Workers) -> Array | None:
        """The right-hand side of rows that lie scattered over the parts of A."""

    @abstractmethod
    def fill(
        self,
        part: Part,
        steps: Sequence[HalfStep],
        fixed: Sequence[Array],
        tall: Sequence[Tall],
        new: Sequence[Array],
        workers: Workers,
    ) -> Fill:
        """Do once what depends on the fixed factors alone; the result makes any block of rows of ``new``."""

    @abstractmethod
    def share(self, part: Part, rows: Array, out: Array, workers: Workers) -> None:
        """Add to ``out`` what these rows of a part give the other side's half-step."""

    @abstractmethod
    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        """(the gram of a factor of these rows, the inner term of the loss at the pair)."""

    @abstractmethod
    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        """(the relative error of the pair, the loss itself)."""

    @abstractmethod
    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        """The stationarity check of one side; ``fixed.rhs`` is used where it is known."""

    @abstractmethod
    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        """The loss of each column of A, by which the worst fitted one is chosen."""

    @abstractmethod
    def exact(self, side: Side, gram: Array) -> Side:
        """The side whose half-step solves the row problem to the end, whatever the rows were before."""
