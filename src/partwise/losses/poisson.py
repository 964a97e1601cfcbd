"""The Poisson likelihood: the Kullback–Leibler divergence D(A | WH) = Σ a log(a/y) − a + y, y = WH."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from partwise.algorithms.base import Side
from partwise.algorithms.updates import exact
from partwise.data.passes import Tall, as_part, sum_rows, walk
from partwise.data.products import gram_of
from partwise.kernels.poisson import ratio_rows, row_losses, stationarity_rows
from partwise.kernels.products import column_dots
from partwise.losses.base import Batch, Fill, Loss, SideCheck
from partwise.threads.pool import Workers
from partwise.types import Array, Data, EntryUpdate, Factor, FactorRows, Part

LIFT = 1e-3
"""The share of the best model of rank 1 that is mixed into a start, so that every entry is fitted with more than 0."""


def column_sums(rows: Array) -> Array:
    """Fᵀ1 in float64."""
    sums: Array = rows.sum(axis=0, dtype=np.float64)
    return sums


class Poisson(Loss):
    """D(A | WH) for counts: only the entries above 0 are visited, since Σ WH = (Wᵀ1)·(H1).

    The relative error is √(D/D₀) with D₀ the divergence of the best model of rank 1, r cᵀ/N, so that 1 − error² is the
    share of the deviance that is explained. The KKT residual is √(Σ_i 1/n_i Σ_c min(x s, n_i (1 − c/s))² / ΣA), free of
    the scale of A and of the components.
    """

    name = "poisson"
    default_algorithm = "kl-sweeps"
    local_only = True
    streams = False
    comparable = False

    def first(self, side: Side) -> Side:
        return side

    def start(self, data: Data, w: FactorRows) -> FactorRows:
        """W with a little of the rank-1 model, r_i/N of each column's sum, so that no row of A is fitted with 0."""
        rows = np.asarray(w, np.float64)
        shares = data.row_sums / data.row_sums.sum()
        mixed = (1 - LIFT) * rows + LIFT * np.outer(shares, rows.sum(axis=0))
        return np.ascontiguousarray(mixed, data.dtype)

    def gather(self, data: Data, fixed: Factor, workers: Workers) -> Array | None:
        raise NotImplementedError

    def share(self, part: Part, rows: Array, out: Array, workers: Workers) -> None:
        raise NotImplementedError

    def fill(self, batch: Batch) -> Fill:
        part, fixed = batch.part, batch.fixed
        known = zip(batch.steps, fixed, batch.tall, strict=True)
        sums = [_sums(step.side, rows, arrays) for step, rows, arrays in known]

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            entries = part.entries(lo, hi)
            for i, (step, arrays) in enumerate(zip(batch.steps, batch.tall, strict=True)):
                x, update, logs = batch.new[i][lo:hi], cast(EntryUpdate, step.side.update), np.zeros(2)
                before = cold(part, lo, hi, sums[i]) if arrays.factor is None else arrays.factor[lo:hi]
                update.solve(entries, fixed[i], sums[i], before, x, logs)
                if step.measured:
                    pairs[i][0, 0] += np.inf if logs[1] else logs[0]
                    column_dots(x, x if arrays.old is None else arrays.old[lo:hi], pairs[i][1])

        return fill

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        logs = walk(data, _Ratios(), [Tall(factor=factor)], [np.asarray(fixed)], workers).sums
        return sum_rows(gram_of, factor), np.inf if logs[1] else float(logs[0])

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        total, baseline = self._constants(data)
        fitted = float(sum_rows(column_sums, w.rows) @ sum_rows(column_sums, h.rows))
        divergence = inner - total + fitted
        if not np.isfinite(divergence):
            return np.inf, np.inf
        divergence = max(0.0, divergence)
        return float(np.sqrt(divergence / baseline)), divergence

    def distance(self, data: Data, error: float) -> float:
        """√(2D), as scikit-learn reports it."""
        return error * float(np.sqrt(2 * self._constants(data)[1]))

    def scale(self, data: Data) -> float:
        return self._constants(data)[0]

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        other = np.asarray(fixed.rows)
        sums = _sums(side, other, Tall(linear=side.linear(len(fixed.gram))))
        walked = walk(data, _Ratios(keep=len(fixed.gram)), [Tall(factor=factor)], [other], workers)
        squares, locked = stationarity_rows(walked.rows[0], np.asarray(factor), sums, data.row_sums)
        return SideCheck(float(squares), int(locked), None)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        part, misfit = as_part(data.T), np.empty(data.shape[1])
        fixed, rows = np.asarray(w.rows), np.asarray(h)
        workers.map(lambda lo, hi: row_losses(*part.entries(lo, hi), fixed, rows[lo:hi], misfit[lo:hi]), part.blocks)
        return misfit

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)

    def _constants(self, data: Data) -> tuple[float, float]:
        """(Σ a, D₀): the divergence of r cᵀ/N, the best model of rank 1."""
        if self.name not in data.memo:
            part, rows, columns = as_part(data), data.row_sums[:, None], data.T.row_sums[:, None]
            total, losses = float(rows.sum()), np.empty(data.shape[0])
            for lo, hi in data.blocks:
                row_losses(*part.entries(lo, hi), columns / total, rows[lo:hi], losses[lo:hi])
            baseline = float(losses.sum())  # nil for data of rank 1, whose errors are relative to their sum
            data.memo[self.name] = total, baseline if baseline > 1e-12 * total else total
        constants: tuple[float, float] = data.memo[self.name]
        return constants


def cold(part: Part, lo: int, hi: int, sums: Array) -> Array:
    """Rows to begin with: n_i/Σs in every component, whose sum is right."""
    whole = sums.sum()
    level = part.row_sums[lo:hi] / whole if whole > 0 else np.zeros(hi - lo)
    return np.ascontiguousarray(level[:, None] * (sums > 0), part.dtype)


def _sums(side: Side, fixed: Array, tall: Tall) -> Array:
    """Fᵀ1 with the linear part of the penalty."""
    sums = column_sums(fixed)
    return sums if tall.linear is None else sums + tall.linear


@dataclass(frozen=True)
class _Ratios:
    """Σ_j (a_j/y_j) f_j for each row of a part, kept on request, and Σ a log(a/y)."""

    keep: int = 0

    @property
    def widths(self) -> list[int]:
        """The ratios, where they are kept."""
        return [self.keep] if self.keep else []

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Array]]:
        factor, ratios = tall[0].factor, np.empty((part.shape[0], shared[0].shape[1]))

        def block(lo: int, hi: int) -> Array:
            logs = np.zeros(2)
            ratio_rows(*part.entries(lo, hi), shared[0], factor[lo:hi], ratios[lo:hi], logs)
            return logs

        sums = workers.map(block, part.blocks)
        return [ratios] if self.keep else [], sums
