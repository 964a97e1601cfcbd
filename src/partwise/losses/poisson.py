"""The Poisson likelihood: the Kullback–Leibler divergence D(A | WH) = Σ a log(a/y) − a + y, y = WH."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.table import kl_newton
from partwise.algorithms.updates import exact
from partwise.data.passes import Tall, component_totals, sum_rows, walk
from partwise.data.products import gram_of
from partwise.losses.base import Batch, Fill, Loss, Share, SideCheck, cold_rows, lifted
from partwise.losses.poisson_passes import Check, Entropy, Logs, RowLosses, WeightSums, with_linear
from partwise.threads.pool import Workers
from partwise.types import Array, Data, EntryRows, EntryUpdate, Factor, FactorRows, Part


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
    value_needs_pass = True
    comparable = False
    counts = True
    no_targets = "an L1 penalty scales the fitted counts and makes nothing sparse; use the squared loss"
    units: ClassVar[tuple[str, str]] = (
        "√(D/D₀), D₀ the divergence of the best rank-1 model",
        "of the deviance explained",
    )
    weighted_units = ("√(D/D₀), D₀ the divergence of the weighted mean", "of the deviance explained")

    def on(self, data: Data) -> Loss:
        return WeightedPoisson() if data.weighted else self

    def entrywise(self, values: Array, fitted: Array) -> Array:
        """a log(a/y) − a + y; infinite where y is 0 and a is not."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(values > 0, values * np.log(values / fitted), 0.0)
        divergences: Array = logs - values + fitted
        return divergences

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if data.weighted and any(side.penalty.per_observation for side in algorithm.sides):
            return "The poisson loss takes no penalty by observation; use l1_w and l1_h."
        if any(side.update.fixed for side in algorithm.sides):
            return (
                "The poisson loss takes no biases, since its factors scale with the sums of rows and columns anyway, "
                "and no frozen components; use the squared one."
            )
        return super().refuses(data, algorithm)

    def suited(self, data: Data) -> Algorithm | None:
        return None if data.split is None else kl_newton()

    def first(self, side: Side) -> Side:
        return side

    def start(self, data: Data, w: FactorRows) -> FactorRows:
        return lifted(data, w)

    def share_width(self, rank: int) -> int:
        return kernels.row_systems.width(rank)

    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        if before is None:
            sums = self._scattered_sums(data, side, fixed, workers)
            before = np.ascontiguousarray(cold_rows(data.row_sums, sums), data.dtype)
        shares = [self.share_width(len(fixed.gram))]
        tall = Tall(factor=fixed.rows)
        return walk(data.T, Share(self), [tall], [np.asarray(before)], workers, shares, both=True).shares[0]

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        turned = part.T

        def block(lo: int, hi: int) -> None:
            kernels.row_systems.poisson_systems(*turned.entries(lo, hi), rows, other[lo:hi], out[lo:hi], np.zeros(2))

        workers.map(block, turned.blocks)

    def fill(self, batch: Batch) -> Fill:
        part = batch.part
        sums = [component_totals(rows)[None] for rows in batch.fixed]

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            for i, (step, arrays) in enumerate(zip(batch.steps, batch.tall, strict=True)):
                x, update = batch.new[i][lo:hi], cast(EntryUpdate, step.side.update)
                weights = self.row_sums(part, lo, hi, batch.fixed[i], sums[i], arrays.rhs)
                own = with_linear(weights, arrays.linear, lo, hi)
                before = cold_rows(part.row_sums[lo:hi], own) if arrays.factor is None else arrays.factor[lo:hi]
                before = np.ascontiguousarray(before, part.dtype)
                logs, logs_before, systems = np.zeros(2), np.zeros(2), arrays.rhs
                entries, fixed = (None, None) if systems is not None else (part.entries(lo, hi), batch.fixed[i])
                rows = EntryRows(entries, fixed, own, part.row_sums[lo:hi], before, logs, logs_before)
                if systems is None:
                    update.solve(rows, x)
                else:
                    logs[0] = np.nan
                    update.solve_systems(rows, self.systems(systems[lo:hi]), x)
                if step.measured:
                    (inner, empty), at = (logs_before, before) if step.at_old_rows else (logs, x)
                    pairs[i][0, 0] += np.inf if empty else inner + self.fitted(weights, at)
                    kernels.products.column_dots(x, x if arrays.old is None else arrays.old[lo:hi], pairs[i][1])

        return fill

    def row_sums(self, part: Any, lo: int, hi: int, fixed: Array, sums: Array, gathered: Array | None) -> Array:
        """What one unit of each component adds to the fitted sum of a row, the same for all rows: Fᵀ1, 1 × k."""
        return sums

    def systems(self, gathered: Array) -> Array:
        """(c, M) of some rows, from all that the parts gave them."""
        return gathered

    def fitted(self, weights: Array, rows: Array) -> float:
        """What the inner term holds of the fitted sum, which here follows from the sums of the factors."""
        return 0.0

    def _scattered_sums(self, data: Data, side: Side, fixed: Factor, workers: Workers) -> Array:
        """What one unit of each component adds to a row that lies scattered over parts, with the penalty."""
        sums = component_totals(fixed.rows)[None]
        return with_linear(sums, side.linear(len(fixed.gram)), 0, data.shape[0])

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        gram = sum_rows(gram_of, factor)
        if data.split == 1:
            data, fixed, factor = data.T, factor, fixed
        logs = walk(data, Logs(self), [Tall(factor=factor)], [np.asarray(fixed)], workers).sums
        return gram, np.inf if logs[1] else float(logs[0])

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        if np.isnan(inner):
            inner = self.sums(data, h.rows, w.rows, workers)[1]
        total, baseline = self._constants(data, workers)
        fitted = float(component_totals(w.rows) @ component_totals(h.rows))
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
        if data.split == 1:
            gathered = self.gather(data, side, fixed, factor, workers)
            assert gathered is not None
            sums = component_totals(fixed.rows)[None]
            weights = self.row_sums(data, 0, data.shape[0], _NOTHING, sums, gathered)
            own = with_linear(weights, linear, 0, data.shape[0])
            squares, locked = kernels.poisson.stationarity_rows(
                self.systems(gathered), np.asarray(factor), own, data.row_sums
            )
        else:
            tall = Tall(factor=factor, linear=linear)
            squares, locked = walk(data, Check(self), [tall], [np.asarray(fixed.rows)], workers).sums
        return SideCheck(float(squares), int(locked), None)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        turned: Any = data.T
        if turned.split == 1:
            walked = walk(data, RowLosses(1), [Tall(factor=w.rows)], [np.asarray(h)], workers, [1], both=True)
            return np.asarray(walked.shares[0], np.float64)[:, 0]
        walked = walk(turned, RowLosses(), [Tall(factor=h)], [np.asarray(w.rows)], workers)
        return np.asarray(walked.rows[0], np.float64)[:, 0]

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)

    def _constants(self, data: Data, workers: Workers | None) -> tuple[float, float]:
        """(N, D₀): Σ a and the divergence of r cᵀ/N, Σ a log(a/N) − Σ r log(r/N) − Σ c log(c/N)."""
        if self.name not in data.memo:
            rows, columns = data.row_sums, data.T.row_sums
            total = float(rows.sum())
            with Workers(1) as own:
                logs = float(walk(data, Entropy(total), [], [], workers or own).sums)
            terms = [x[x > 0] / total for x in (rows, columns)]
            baseline = logs - total * sum(float(x @ np.log(x)) for x in terms)
            # nil for data of rank 1, whose errors are relative to their sum
            data.memo[self.name] = total, baseline if baseline > 1e-12 * total else total
        constants: tuple[float, float] = data.memo[self.name]
        return constants


class WeightedPoisson(Poisson):
    """Σ v (a log(a/y) − a + y): counts v·a, and for each row the sums s_i = Σ_j v_ij f_j in place of Fᵀ1.

    The relative error is √(D/D₀) with D₀ the divergence of the weighted mean, the best constant model: with weights the
    best model of rank 1 has no closed form. What parts give a row that lies scattered over them ends in s_i.
    """

    units = Poisson.weighted_units

    def on(self, data: Data) -> Loss:
        return self

    def share_width(self, rank: int) -> int:
        return kernels.row_systems.width(rank) + rank

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        turned: Any = part.T
        sums, rank = component_totals(rows), rows.shape[1]

        def block(lo: int, hi: int) -> None:
            systems = np.zeros((hi - lo, kernels.row_systems.width(rank)))
            kernels.row_systems.poisson_systems(*turned.entries(lo, hi), rows, other[lo:hi], systems, np.zeros(2))
            out[lo:hi, :-rank] += systems
            out[lo:hi, -rank:] += turned.weight_sums(lo, hi, rows, sums)

        workers.map(block, turned.blocks)

    def row_sums(self, part: Any, lo: int, hi: int, fixed: Array, sums: Array, gathered: Array | None) -> Array:
        if gathered is not None:
            return np.ascontiguousarray(gathered[lo:hi, -sums.shape[1] :], np.float64)
        weights: Array = part.weight_sums(lo, hi, fixed, sums[0])
        return weights

    def systems(self, gathered: Array) -> Array:
        return np.ascontiguousarray(gathered[:, : kernels.row_systems.width(_rank(gathered.shape[1]))])

    def fitted(self, weights: Array, rows: Array) -> float:
        return float(np.vdot(weights, rows.astype(np.float64, copy=False)))

    def _scattered_sums(self, data: Data, side: Side, fixed: Factor, workers: Workers) -> Array:
        rank = len(fixed.gram)
        shares = walk(data.T, WeightSums(), [Tall(factor=fixed.rows)], [], workers, [rank], both=True).shares
        return with_linear(np.asarray(shares[0], np.float64), side.linear(rank), 0, data.shape[0])

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        if np.isnan(inner):
            inner = self.sums(data, h.rows, w.rows, workers)[1]
        constant, baseline = self._constants(data, workers)
        if not np.isfinite(inner):
            return np.inf, np.inf
        divergence = max(0.0, inner - constant)
        return float(np.sqrt(divergence / baseline)), divergence

    def _constants(self, data: Any, workers: Workers | None) -> tuple[float, float]:
        """(Σ v a (1 + log v), D₀ = Σ v a log(a/mean))."""
        if self.name not in data.memo:
            total, logs = float(data.row_sums.sum()), float(data.row_logs.sum())
            with Workers(1) as own:
                entropy = float(walk(data, Entropy(data.mean), [], [], workers or own).sums)
            baseline = entropy - logs
            data.memo[self.name] = total + logs, baseline if baseline > 1e-12 * total else total
        constants: tuple[float, float] = data.memo[self.name]
        return constants


def _rank(numbers: int) -> int:
    """k from 2 k + k (k + 1) / 2."""
    return int((np.sqrt(25 + 8 * numbers) - 5) / 2 + 0.5)


_NOTHING = np.empty((0, 0))
