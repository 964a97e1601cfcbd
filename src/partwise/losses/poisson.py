"""The Poisson likelihood: the Kullback–Leibler divergence D(A | WH) = Σ a log(a/y) − a + y, y = WH."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.table import kl_newton
from partwise.algorithms.updates import exact
from partwise.data.passes import Tall, as_part, sum_rows, walk
from partwise.data.products import gram_of
from partwise.kernels.poisson import entropy, log_sums, ratio_rows, row_losses, stationarity_rows
from partwise.kernels.products import column_dots
from partwise.kernels.row_systems import poisson_systems, width
from partwise.losses.base import Batch, Fill, Loss, Share, SideCheck
from partwise.threads.pool import Workers
from partwise.types import Array, Data, EntryRows, EntryUpdate, Factor, FactorRows, Part

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

    Rows that lie scattered over the parts of A are made from (c, M), sums over their entries at the pair (see
    ``kernels/row_systems``), which the pass that made the other factor leaves behind.
    """

    name = "poisson"
    default_algorithm = "kl-sweeps"
    everywhere = "kl-newton"
    streams = False
    gram_form = False
    late = True
    comparable = False
    counts = True
    units: ClassVar[tuple[str, str]] = (
        "√(D/D₀), D₀ the divergence of the best rank-1 model",
        "of the deviance explained",
    )

    def entrywise(self, values: Array, fitted: Array) -> Array:
        """a log(a/y) − a + y; infinite where y is 0 and a is not."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(values > 0, values * np.log(values / fitted), 0.0)
        divergences: Array = logs - values + fitted
        return divergences

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if data.weighted:
            return "The poisson loss cannot take weights or unknown entries yet; use the squared one."
        return super().refuses(data, algorithm)

    def suited(self, data: Data) -> Algorithm | None:
        return None if data.split is None else kl_newton()

    def first(self, side: Side) -> Side:
        return side

    def start(self, data: Data, w: FactorRows) -> FactorRows:
        """W with a little of the rank-1 model, r_i/N of each column's sum, so that no row of A is fitted with 0."""
        rows = np.asarray(w, np.float64)
        shares = data.row_sums / data.row_sums.sum()
        mixed = (1 - LIFT) * rows + LIFT * np.outer(shares, rows.sum(axis=0))
        held: FactorRows = data.hold(np.ascontiguousarray(mixed, data.dtype))
        return held

    def share_width(self, rank: int) -> int:
        return width(rank)

    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        if before is None:
            before = cold(as_part(data), 0, data.shape[0], _sums(side, fixed.rows, side.linear(len(fixed.gram))))
        shares = [self.share_width(len(fixed.gram))]
        tall = Tall(factor=fixed.rows)
        return walk(data.T, Share(self), [tall], [np.asarray(before)], workers, shares, both=True).shares[0]

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        turned = part.T

        def block(lo: int, hi: int) -> None:
            poisson_systems(*turned.entries(lo, hi), rows, other[lo:hi], out[lo:hi], np.zeros(2))

        workers.map(block, turned.blocks)

    def fill(self, batch: Batch) -> Fill:
        part = batch.part
        sums = [
            _sums(step.side, rows, arrays.linear)
            for step, rows, arrays in zip(batch.steps, batch.fixed, batch.tall, strict=True)
        ]

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            for i, (step, arrays) in enumerate(zip(batch.steps, batch.tall, strict=True)):
                x, update = batch.new[i][lo:hi], cast(EntryUpdate, step.side.update)
                own = sums[i] if len(sums[i]) == 1 else sums[i][lo:hi]
                before = cold(part, lo, hi, own) if arrays.factor is None else arrays.factor[lo:hi]
                logs, logs_before, systems = np.zeros(2), np.zeros(2), arrays.rhs
                entries, fixed = (None, None) if systems is not None else (part.entries(lo, hi), batch.fixed[i])
                rows = EntryRows(entries, fixed, own, part.row_sums[lo:hi], before, logs, logs_before)
                if systems is None:
                    update.solve(rows, x)
                else:
                    logs[0] = np.nan
                    update.solve_systems(rows, systems[lo:hi], x)
                if step.measured:
                    inner, empty = logs_before if step.late else logs
                    pairs[i][0, 0] += np.inf if empty else inner
                    column_dots(x, x if arrays.old is None else arrays.old[lo:hi], pairs[i][1])

        return fill

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        gram = sum_rows(gram_of, factor)
        if data.split == 1:
            data, fixed, factor = data.T, factor, fixed
        logs = walk(data, _Logs(), [Tall(factor=factor)], [np.asarray(fixed)], workers).sums
        return gram, np.inf if logs[1] else float(logs[0])

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        if np.isnan(inner):
            inner = self.sums(data, h.rows, w.rows, workers)[1]
        total, baseline = self._constants(data, workers)
        fitted = float(sum_rows(column_sums, w.rows) @ sum_rows(column_sums, h.rows))
        divergence = inner - total + fitted
        if not np.isfinite(divergence):
            return np.inf, np.inf
        divergence = max(0.0, divergence)
        return float(np.sqrt(divergence / baseline)), divergence

    def distance(self, data: Data, error: float) -> float:
        """√(2D), as scikit-learn reports it."""
        return error * float(np.sqrt(2 * self._constants(data, None)[1]))

    def scale(self, data: Data) -> float:
        return float(data.row_sums.sum())

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        linear = side.linear(len(fixed.gram))
        sums = _sums(side, fixed.rows, linear)
        if data.split == 1:
            systems = self.gather(data, side, fixed, factor, workers)
            assert systems is not None
            squares, locked = stationarity_rows(systems, np.asarray(factor), sums, data.row_sums)
        else:
            tall = Tall(factor=factor, linear=linear)
            squares, locked = walk(data, _Check(side), [tall], [np.asarray(fixed.rows)], workers).sums
        return SideCheck(float(squares), int(locked), None)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        turned: Any = data.T
        if turned.split == 1:
            walked = walk(data, _RowLosses(1), [Tall(factor=w.rows)], [np.asarray(h)], workers, [1], both=True)
            return np.asarray(walked.shares[0], np.float64)[:, 0]
        walked = walk(turned, _RowLosses(), [Tall(factor=h)], [np.asarray(w.rows)], workers)
        return np.asarray(walked.rows[0], np.float64)[:, 0]

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)

    def _constants(self, data: Data, workers: Workers | None) -> tuple[float, float]:
        """(N, D₀): Σ a and the divergence of r cᵀ/N, Σ a log(a/N) − Σ r log(r/N) − Σ c log(c/N)."""
        if self.name not in data.memo:
            rows, columns = data.row_sums, data.T.row_sums
            total = float(rows.sum())
            with Workers(1) as own:
                logs = float(walk(data, _Entropy(total), [], [], workers or own).sums)
            terms = [x[x > 0] / total for x in (rows, columns)]
            baseline = logs - total * sum(float(x @ np.log(x)) for x in terms)
            # nil for data of rank 1, whose errors are relative to their sum
            data.memo[self.name] = total, baseline if baseline > 1e-12 * total else total
        constants: tuple[float, float] = data.memo[self.name]
        return constants


def cold(part: Part, lo: int, hi: int, sums: Array) -> Array:
    """Rows to begin with: n_i/Σs in every component, whose sum is right."""
    whole = sums.sum(axis=1)
    level = np.divide(part.row_sums[lo:hi], whole, out=np.zeros(hi - lo), where=whole > 0)
    return np.ascontiguousarray(level[:, None] * (sums > 0), part.dtype)


def _sums(side: Side, fixed: FactorRows, linear: Array | None) -> Array:
    """Fᵀ1 with the linear part of the penalty, 1 × k or rows × k."""
    sums = sum_rows(column_sums, fixed)[None]
    return sums if linear is None else sums + linear


@dataclass(frozen=True)
class _Logs:
    """Σ a log(a/y), and the entries with y = 0, of the rows of a part."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Array]]:
        factor = tall[0].factor

        def block(lo: int, hi: int) -> Array:
            logs = np.zeros(2)
            log_sums(*part.entries(lo, hi), shared[0], factor[lo:hi], logs)
            return logs

        return [], workers.map(block, part.blocks)


@dataclass(frozen=True)
class _Entropy:
    """Σ a log(a/total) of a part."""

    total: float
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: object, shared: object, shares: object, workers: Workers
    ) -> tuple[list[Array], list[float]]:
        return [], workers.map(lambda lo, hi: entropy(*part.entries(lo, hi), self.total), part.blocks)


@dataclass(frozen=True)
class _Check:
    """The stationarity check of the rows of a part."""

    side: Side
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, sums = tall[0].factor, _sums(self.side, shared[0], tall[0].linear)

        def block(lo: int, hi: int) -> tuple[float, int]:
            ratios, own = np.empty((hi - lo, factor.shape[1])), sums if len(sums) == 1 else sums[lo:hi]
            ratio_rows(*part.entries(lo, hi), shared[0], factor[lo:hi], ratios, np.zeros(2))
            squares, locked = stationarity_rows(ratios, factor[lo:hi], own, part.row_sums[lo:hi])
            return float(squares), int(locked)

        return [], workers.map(block, part.blocks)


@dataclass(frozen=True)
class _RowLosses:
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
            row_losses(*rows.entries(lo, hi), other, factor[lo:hi], losses[lo:hi, 0])

        workers.map(block, rows.blocks)
        if self.axis:
            shares[0] += losses.astype(shares[0].dtype)
            return [], [0.0]
        return [losses.astype(part.dtype)], [0.0]
