"""Penalties on the rows of a factor: a quadratic part for the gram, a linear part for the right-hand side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.types import Array


class Penalty:
    """What is added to ‖A − WH‖² for a factor X: <M, XᵀX> + <L, X>. This one adds nothing.

    Law: M = ``matrix(k)`` is symmetric and the same for every row; L = ``linear(k)`` is None, k numbers (one for each
    component), or rows × k. ``convex`` says that every Gram matrix plus M is positive semidefinite, ``nonnegative``
    that M has no negative entry.
    """

    convex: bool = True
    nonnegative: bool = True

    def matrix(self, rank: int) -> Array:
        """M, which is added to the gram."""
        return np.zeros((rank, rank))

    def linear(self, rank: int) -> Array | None:
        """L, half of which is taken off the right-hand side."""
        return None

    def __bool__(self) -> bool:
        """Whether it penalises anything."""
        return type(self) is not Penalty

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).items()))

    def __str__(self) -> str:
        return f"The penalty {self!r}"


@dataclass(frozen=True)
class Quadratic(Penalty):
    """λ‖x‖² on every row x (ACLS), or with α the paper's λ(β‖x‖₂² − ‖x‖₁²), β = ((1 − α)√k + α)² (AHCLS).

    It adds λI to the gram, or λ(βI − E) with E all ones. Langville et al., sections 3.1 and 3.2.
    """

    lam: float = 0.0
    alpha: float | None = None

    def matrix(self, rank: int) -> Array:
        if self.alpha is None:
            return self.lam * np.eye(rank)
        beta = ((1 - self.alpha) * np.sqrt(rank) + self.alpha) ** 2
        matrix: Array = self.lam * (beta * np.eye(rank) - np.ones((rank, rank)))
        return matrix

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """kI − E is positive semidefinite, so α = 0 is convex too."""
        return not self.lam or not self.alpha

    @property
    def nonnegative(self) -> bool:  # type: ignore[override]
        """λI has no negative entry; −λE has."""
        return not self.lam or self.alpha is None

    def __bool__(self) -> bool:
        return bool(self.lam)

    def __str__(self) -> str:
        if self.alpha is None:
            return f"ACLS's penalty (λ = {self.lam:g})"
        return f"AHCLS's penalty (λ = {self.lam:g}, α = {self.alpha:g})"


NO_PENALTY = Penalty()

PENALTIES: dict[str, type[Penalty]] = {"none": Penalty, "quadratic": Quadratic}
"""Name -> class; add a line so that files can hold a penalty of your own."""


def indefinite(gram: Array) -> bool:
    """Whether a symmetric matrix has an eigenvalue that is negative beyond rounding."""
    values = np.linalg.eigvalsh(gram)
    return bool(values[0] < -gram.shape[0] * np.finfo(np.float64).eps * abs(values).max())


def unbounded(gram: Array) -> bool:
    """Whether some x ≥ 0 with xGxᵀ < 0 is found among the natural candidates, so that the rows have no minimum.

    Deciding this for every matrix is a hard problem; the all-ones vector (the direction that AHCLS rewards) and the
    parts of the lowest eigenvector are tried.
    """
    if not indefinite(gram):
        return False
    vector = np.linalg.eigh(gram)[1][:, 0]
    candidates = [np.ones(len(gram)), abs(vector), np.maximum(vector, 0), np.maximum(-vector, 0)]
    return any(x @ gram @ x < 0 for x in candidates)
