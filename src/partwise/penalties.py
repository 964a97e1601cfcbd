"""Penalties on the rows of a factor. A penalty changes only the gram."""

from dataclasses import dataclass

import numpy as np

from partwise.types import Array


@dataclass(frozen=True)
class Penalty:
    """λ‖x‖² on every row x (ACLS), or with α the paper's λ(β‖x‖₂² − ‖x‖₁²), β = ((1 − α)√k + α)² (AHCLS).

    It adds λI to the gram, or λ(βI − E) with E all ones, and the penalty of a whole factor X is the inner product of
    that matrix with XᵀX. Langville et al., sections 3.1 and 3.2.
    """

    lam: float = 0.0
    alpha: float | None = None

    def matrix(self, rank: int) -> Array:
        """What is added to the gram."""
        if self.alpha is None:
            return self.lam * np.eye(rank)
        beta = ((1 - self.alpha) * np.sqrt(rank) + self.alpha) ** 2
        matrix: Array = self.lam * (beta * np.eye(rank) - np.ones((rank, rank)))
        return matrix

    @property
    def convex(self) -> bool:
        """Whether the penalised gram is positive semidefinite for certain (kI − E is, so α = 0 is)."""
        return not self.lam or not self.alpha

    @property
    def nonnegative(self) -> bool:
        """Whether it adds no negative entry to the gram."""
        return not self.lam or self.alpha is None


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
