"""What the Poisson loss does with each part of the data in a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from partwise import kernels
from partwise.data.passes import Tall, component_totals
from partwise.threads.pool import Workers
from partwise.types import Array, Part


class RowSums(Protocol):
    """What a pass asks of the loss (see ``losses/poisson``)."""

    def row_sums(self, part: Any, lo: int, hi: int, fixed: Array, sums: Array, gathered: Array | None) -> Array: ...
    def fitted(self, weights: Array, rows: Array) -> float: ...


def with_linear(sums: Array, linear: Array | None, lo: int, hi: int) -> Array:
    """Sums of some rows with the linear part of the penalty, 1 × k or rows × k."""
    if linear is None:
        return sums
    shifted: Array = sums + (linear if linear.ndim == 1 else linear[lo:hi])
    return shifted


@dataclass(frozen=True)
class WeightSums:
    """Σ_j v_ij f_j of the rows that lie scattered over parts."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Any, tall: Sequence[Tall], shared: object, shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[float]]:
        turned, factor = part.T, tall[0].factor
        shares[0] += turned.weight_sums(0, turned.shape[0], factor, component_totals(factor))
        return [], [0.0]


@dataclass(frozen=True)
class Logs:
    """Σ a log(a/y), and the entries with y = 0, of the rows of a part."""

    loss: RowSums
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Array]]:
        factor, sums = tall[0].factor, component_totals(shared[0])[None]

        def block(lo: int, hi: int) -> Array:
            logs = np.zeros(2)
            kernels.poisson.log_sums(*part.entries(lo, hi), shared[0], factor[lo:hi], logs)
            logs[0] += self.loss.fitted(self.loss.row_sums(part, lo, hi, shared[0], sums, None), factor[lo:hi])
            return logs

        return [], workers.map(block, part.blocks)


@dataclass(frozen=True)
class Entropy:
    """Σ a log(a/total) of a part."""

    total: float
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: object, shared: object, shares: object, workers: Workers
    ) -> tuple[list[Array], list[float]]:
        return [], workers.map(lambda lo, hi: kernels.poisson.entropy(*part.entries(lo, hi), self.total), part.blocks)


@dataclass(frozen=True)
class Check:
    """The stationarity check of the rows of a part."""

    loss: RowSums
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, sums = tall[0].factor, component_totals(shared[0])[None]

        def block(lo: int, hi: int) -> tuple[float, int]:
            ratios = np.empty((hi - lo, factor.shape[1]))
            weights = self.loss.row_sums(part, lo, hi, shared[0], sums, None)
            kernels.poisson.ratio_rows(*part.entries(lo, hi), shared[0], factor[lo:hi], ratios, np.zeros(2))
            own = with_linear(weights, tall[0].linear, lo, hi)
            squares, locked = kernels.poisson.stationarity_rows(ratios, factor[lo:hi], own, part.row_sums[lo:hi])
            return float(squares), int(locked)

        return [], workers.map(block, part.blocks)


@dataclass(frozen=True)
class RowLosses:
    """Σ a log(a/y) of each row of a part (axis 0), or of each of its columns, as its share of them (axis 1)."""

    axis: int = 0

    @property
    def widths(self) -> tuple[int, ...]:
        """One number a row."""
        return () if self.axis else (1,)

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[float]]:
        rows, factor, other = (part.T, shared[0], tall[0].factor) if self.axis else (part, tall[0].factor, shared[0])
        losses = np.empty((rows.shape[0], 1))

        def block(lo: int, hi: int) -> None:
            kernels.poisson.row_losses(*rows.entries(lo, hi), other, factor[lo:hi], losses[lo:hi, 0])

        workers.map(block, rows.blocks)
        if self.axis:
            shares[0] += losses.astype(shares[0].dtype)
            return [], [0.0]
        return [losses.astype(part.dtype)], [0.0]
