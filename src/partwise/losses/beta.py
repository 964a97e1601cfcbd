"""The β-divergence of dense data: Itakura–Saito (β = 0), Kullback–Leibler (1), half the squares (2), and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, cast

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.updates import exact
from partwise.algorithms.updates.beta import DenseUpdate, beta_name
from partwise.data.products import gram_matrix
from partwise.losses.base import Batch, Fill, Loss, SideCheck, cold_rows, lifted
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows, Part


@dataclass(frozen=True)
class Beta(Loss):
    """D(A | WH) = Σ d(a | y), d = (a^β + (β − 1) y^β − β a y^(β−1)) / (β(β − 1)), with its limits at β = 0 and 1.

    All entries are visited, so the data must be dense and in memory. The relative error is √(D/D₀) with D₀ the
    divergence of the mean of A, the best constant model for every β. The KKT residual is √(Σ_i 1/n_i Σ_c min(x p,
    n_i (1 − q/p))² / Σ n_i) with the gradient p − q and n_i = Σ_j a_ij^β, free of the scale of A and of the components.

    ``transform`` finds the minimum for β in [1, 2], where rows are convex problems. Outside they may have several
    minima: the multiplicative half-step is repeated from the same start for every row, in the fit and later.
    """

    beta: float
    name: str = field(init=False)
    settings: Mapping[str, float] = field(init=False, compare=False)
    default_algorithm = "beta-multiplicative"
    local_only = True
    streams = False
    comparable = False
    units: ClassVar[tuple[str, str]] = ("√(D/D₀), D₀ the divergence of the mean", "of the divergence explained")

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", beta_name(self.beta))
        object.__setattr__(self, "settings", {"beta": self.beta})

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if refusal := super().refuses(data, algorithm):
            return refusal
        if any(side.update.fixed for side in algorithm.sides):
            return f"{algorithm.name} takes no frozen components; use hals or anls with them."
        if data.nnz < data.shape[0] * data.shape[1]:
            return (
                f"The loss {self.name} visits every entry, so it takes dense data only; use kullback-leibler or "
                "frobenius on sparse data, or give a dense array."
            )
        if self.beta <= 0 and not all(np.all(data.rows(lo, hi) > 0) for lo, hi in data.blocks):
            return (
                f"The loss {self.name} is infinite where an entry is 0; add a little to all entries, or use "
                "kullback-leibler or another β above 0."
            )
        return None

    def first(self, side: Side) -> Side:
        return side

    def start(self, data: Data, w: FactorRows) -> FactorRows:
        return lifted(data, w)

    def gather(
        self, data: Data, side: Side, fixed: Factor, before: FactorRows | None, workers: Workers
    ) -> Array | None:
        raise NotImplementedError

    def share(self, part: Part, rows: Array, other: Array, out: Array, workers: Workers) -> None:
        raise NotImplementedError

    def fill(self, batch: Batch) -> Fill:
        part, wides = batch.part, [_wide(fixed) for fixed in batch.fixed]

        def fill(lo: int, hi: int, pairs: Sequence[Array]) -> None:
            values = _values(part, lo, hi)
            for step, arrays, wide, new, pair in zip(batch.steps, batch.tall, wides, batch.new, pairs, strict=True):
                update, x = cast(DenseUpdate, step.side.update), new[lo:hi]
                if arrays.factor is None:
                    before = cold_rows(values.sum(axis=1), wide.sum(axis=1)[None])
                else:
                    before = np.asarray(arrays.factor[lo:hi], np.float64)
                x[:] = update.solve(values, wide, _linear(arrays.linear, lo, hi, x.shape), np.ascontiguousarray(before))
                if step.measured:
                    pair[0, 0] += self._divergences(values, wide, x).sum()
                    kernels.products.column_dots(x, x if arrays.old is None else arrays.old[lo:hi], pair[1])

        return fill

    def sums(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> tuple[Array, float]:
        gram = gram_matrix(factor, data.blocks, workers)
        return gram, float(sum(part.sum() for part in self._walk(data, fixed, factor, workers)))

    def entrywise(self, values: Array, fitted: Array) -> Array:
        a, y, beta = np.asarray(values, np.float64), np.asarray(fitted, np.float64), self.beta
        with np.errstate(divide="ignore", invalid="ignore"):
            if beta == 0:
                divergences: Array = a / y - np.log(a / y) - 1
            elif beta == 1:
                divergences = np.where(a > 0, a * np.log(a / y), 0.0) - a + y
            else:
                divergences = (a**beta + (beta - 1) * y**beta - beta * a * y ** (beta - 1)) / (beta * (beta - 1))
        return divergences

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        if not np.isfinite(inner):
            return np.inf, np.inf
        return float(np.sqrt(inner / self._constants(data)[1])), inner

    def distance(self, data: Data, error: float) -> float:
        """√(2D), as scikit-learn reports it."""
        return error * float(np.sqrt(2 * self._constants(data)[1]))

    def scale(self, data: Data) -> float:
        return self._constants(data)[0]

    def check(self, data: Data, side: Side, fixed: Factor, factor: FactorRows, workers: Workers) -> SideCheck:
        part, wide, linear = cast(Part, data), _wide(np.asarray(fixed.rows)), side.linear(len(fixed.gram))

        def block(lo: int, hi: int) -> tuple[float, int]:
            values, x = _values(part, lo, hi), np.ascontiguousarray(np.asarray(factor)[lo:hi], np.float64)
            p, q, whole = np.empty(x.shape), np.empty(x.shape), np.empty(hi - lo)
            kernels.beta.slope_rows(values, wide, _linear(linear, lo, hi, x.shape), x, self.beta, p, q)
            kernels.beta.power_sums(values, self.beta, whole)
            gradient = np.zeros(x.shape)
            np.divide(p - q, p, out=gradient, where=(p > 0) & (whole > 0)[:, None])
            slack = np.minimum(x * p, gradient * whole[:, None])
            squares = np.divide((slack**2).sum(axis=1), whole, out=np.zeros(hi - lo), where=whole > 0)
            return float(squares.sum()), int(np.count_nonzero((x == 0) & (gradient < -1e-8)))

        checked = workers.map(block, part.blocks)
        return SideCheck(sum(squares for squares, _ in checked), sum(locked for _, locked in checked), None)

    def column_misfit(self, data: Data, w: Factor, h: FactorRows, workers: Workers) -> Array:
        return np.concatenate(self._walk(data.T, w.rows, h, workers))

    def exact(self, side: Side, gram: Array) -> Side:
        return Side(exact(side.update), side.penalty)

    def _divergences(self, values: Array, wide: Array, factor: Array) -> Array:
        """The divergence of each row."""
        out = np.empty(len(values))
        kernels.beta.divergence_rows(values, wide, np.ascontiguousarray(factor, np.float64), self.beta, out)
        return out

    def _walk(self, data: Data, fixed: FactorRows, factor: FactorRows, workers: Workers) -> list[Array]:
        """The divergence of each row of the pair, a block at a time."""
        part, wide, rows = cast(Part, data), _wide(np.asarray(fixed)), np.asarray(factor)
        return workers.map(lambda lo, hi: self._divergences(_values(part, lo, hi), wide, rows[lo:hi]), part.blocks)

    def _constants(self, data: Data) -> tuple[float, float]:
        """(Σ a^β over the entries above 0, D₀ of the mean)."""
        if self.name not in data.memo:
            part, (m, n) = cast(Part, data), data.shape
            mean, whole, baseline = data.row_sums.sum() / (m * n), 0.0, 0.0
            for lo, hi in data.blocks:
                values, powers = _values(part, lo, hi), np.empty(hi - lo)
                kernels.beta.power_sums(values, self.beta, powers)
                whole += float(powers.sum())
                baseline += float(self._divergences(values, np.ones((1, n)), np.full((hi - lo, 1), mean)).sum())
            # nil for a constant matrix, whose errors are relative to its size
            data.memo[self.name] = whole, baseline if baseline > 1e-12 * whole else whole
        constants: tuple[float, float] = data.memo[self.name]
        return constants


def _values(part: Part, lo: int, hi: int) -> Array:
    """The rows of A as the kernels take them."""
    return np.ascontiguousarray(part.rows(lo, hi), np.float64)


def _wide(fixed: Array) -> Array:
    """The transpose of the fixed factor."""
    return np.ascontiguousarray(fixed.T, np.float64)


def _linear(linear: Array | None, lo: int, hi: int, shape: tuple[int, ...]) -> Array:
    """The linear penalty by row."""
    if linear is None:
        return np.zeros(shape)
    return np.ascontiguousarray(np.broadcast_to(linear if linear.ndim == 1 else linear[lo:hi], shape), np.float64)
