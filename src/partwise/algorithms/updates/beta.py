"""Half-steps for the β-divergence; they see their rows of A, all entries of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.types import Array, Rows, Update

ROUNDS = 100
"""The most Newton steps of a row; a handful is usual."""


def beta_name(beta: float) -> str:
    """The name of the loss with this β: "itakura-saito" for 0, else such as "beta=1.5"."""
    return "itakura-saito" if beta == 0 else f"beta={int(beta) if beta == int(beta) else beta!r}"


class DenseUpdate(Update):
    """A half-step of a loss that sees all entries of its rows of A.

    Law 1′: row i of the result depends on A[i], the fixed factor and ``before[i]``; it is ≥ 0 and has the shape and
    dtype of ``before``.
    """

    quadratic = False
    ahead_floor = 1e-3  # a row of zeros would fit its entries with 0

    def prepare(self, gram: Array) -> Rows:
        raise TypeError(f"{type(self).__name__} needs the rows of the data, not a Gram matrix.")

    def solve(self, rows: Array, wide: Array, linear: Array, before: Array) -> Array:
        """The new rows in float64, from A's rows, the transpose of the fixed factor and the linear penalty by row."""
        raise NotImplementedError


@dataclass(frozen=True)
class BetaMultiplicative(DenseUpdate):
    """x ∘ (Σ f a y^(β−2) / (Σ f y^(β−1) + λ))^γ, with γ = 1/(2 − β) below 1, 1/(β − 1) above 2, and 1 between.

    The exponent makes it monotone for every β, with a linear penalty too (Févotte and Idier 2011). A zero stays zero.
    """

    beta: float = 1.5
    zero_floor = 1e-4

    @property
    def gamma(self) -> float:
        """The exponent."""
        return 1 / (2 - self.beta) if self.beta < 1 else 1 / (self.beta - 1) if self.beta > 2 else 1.0

    def solve(self, rows: Array, wide: Array, linear: Array, before: Array) -> Array:
        return self.repeated(rows, wide, linear, before, times=1, settled=0.0)

    def repeated(self, rows: Array, wide: Array, linear: Array, before: Array, times: int, settled: float) -> Array:
        """Up to so many half-steps; a row ends when no entry changes by more than its share ``settled``."""
        out = np.empty(before.shape)
        kernels.beta.multiplicative_rows(rows, wide, linear, before, self.beta, self.gamma, times, settled, out)
        return out

    def exact(self) -> Update:
        """The minimum for β in [1, 2], where rows are convex; else this half-step again and again, from one start."""
        if 1 <= self.beta <= 2:
            return BetaNewton(self.beta)
        return BetaRepeated(self.beta)


@dataclass(frozen=True)
class BetaRepeated(BetaMultiplicative):
    """Multiplicative half-steps until they settle, from rows that the data and the fixed factor alone give."""

    cold = True
    zero_floor = 0.0

    def solve(self, rows: Array, wide: Array, linear: Array, before: Array) -> Array:
        return self.repeated(rows, wide, linear, before, times=1000, settled=1e-10)


@dataclass(frozen=True)
class BetaNewton(DenseUpdate):
    """The minimum of each row for β in [1, 2], by Newton steps under x ≥ 0."""

    beta: float = 1.5
    cold = True

    def solve(self, rows: Array, wide: Array, linear: Array, before: Array) -> Array:
        out = np.empty(before.shape)
        kernels.beta.divergence_newton_rows(rows, wide, linear, before, self.beta, ROUNDS, out)
        return out

    def exact(self) -> Update:
        return self
