"""Penalties on the rows of a factor: a quadratic part for the gram, a linear part for the right-hand side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partwise.algorithms.relative import Relative
from partwise.arguments import number
from partwise.types import Array


class Penalty:
    """What is added to ‖A − WH‖² for a factor X: <M, XᵀX> + <L, X>. This one adds nothing.

    Law: M = ``matrix(k)`` is symmetric and the same for every row; L = ``linear(k)`` is None, k numbers (one for each
    component), or rows × k. ``convex`` says that every Gram matrix plus M is positive semidefinite, ``nonnegative``
    that M has no negative entry. ``needs_other`` says that it is void where the other factor is free: W → cW,
    H → H/c with c → 0 leaves WH as it is and takes the penalty to 0.
    """

    convex: bool = True
    nonnegative: bool = True
    needs_other: bool = False
    relative: bool = False
    """Whether it has its strength from the Gram matrix at step 0 of a run, by ``scaled``."""

    def scaled(self, scale: float) -> Penalty:
        """The penalty in a run where the mean diagonal of the Gram matrix at step 0 is ``scale``."""
        return self

    target: float | tuple[float, ...] | None = None
    """Hoyer's sparsity that each component of the factor should have, which the engine brings about."""

    per_observation: float = 0.0
    """λ of an addition λ · mean · Σ_i n_i ‖x_i‖², n_i the observations of row i and mean that of A's entries."""

    def goals(self, rank: int) -> Array | None:
        """The target of each component."""
        return None if self.target is None else np.broadcast_to(np.asarray(self.target, np.float64), (rank,))

    def matrix(self, rank: int) -> Array:
        """M, which is added to the gram."""
        return np.zeros((rank, rank))

    def linear(self, rank: int) -> Array | None:
        """L, half of which is taken off the right-hand side."""
        return None

    def quadratic(self, gram: Array) -> float:
        """The quadratic part of a factor with this gram: <M, XᵀX>."""
        return float(np.vdot(self.matrix(len(gram)), gram))

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
    """λ‖x‖² + λ₁‖x‖₁ on every row x (ACLS and L1), or with α λ(β‖x‖₂² − ‖x‖₁²) + λ₁‖x‖₁, β = ((1 − α)√k + α)² (AHCLS).

    It adds λI to the gram, or λ(βI − E) with E all ones (Langville et al., sections 3.1 and 3.2), and takes λ₁/2 off
    the right-hand side. The objective of the squared loss is ‖A − WH‖² + λ‖X‖² + λ₁ΣX for each factor X, without the ½
    that scikit-learn has before the squares: its α·l1_ratio is λ₁/2, its α·(1 − l1_ratio) is λ. That of the Poisson
    loss is D(A | WH) + λ₁ΣX. L1 on one factor alone is void. λ may be :func:`relative` to the data.
    """

    lam: float | Relative = 0.0
    alpha: float | None = None
    l1: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.lam, Relative):
            number("Quadratic(lam=...)", self.lam)
        if self.alpha is not None:
            number("Quadratic(alpha=...)", self.alpha, 0, 1, hint="or None")
        number("Quadratic(l1=...)", self.l1)

    @property
    def strength(self) -> float:
        """λ as a number."""
        return self.lam.value if isinstance(self.lam, Relative) else self.lam

    @property
    def relative(self) -> bool:  # type: ignore[override]
        """Whether λ is a share of the Gram matrix."""
        return isinstance(self.lam, Relative)

    def scaled(self, scale: float) -> Quadratic:
        return replace(self, lam=self.lam.at(scale)) if isinstance(self.lam, Relative) else self

    def matrix(self, rank: int) -> Array:
        if not self.lam:
            return np.zeros((rank, rank))
        if self.alpha is None:
            return self.strength * np.eye(rank)
        beta = ((1 - self.alpha) * np.sqrt(rank) + self.alpha) ** 2
        matrix: Array = self.strength * (beta * np.eye(rank) - np.ones((rank, rank)))
        return matrix

    def linear(self, rank: int) -> Array | None:
        return np.full(rank, self.l1) if self.l1 else None

    @property
    def needs_other(self) -> bool:  # type: ignore[override]
        """L1 does."""
        return bool(self.l1)

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """kI − E is positive semidefinite, so α = 0 is convex too."""
        return not self.lam or not self.alpha

    @property
    def nonnegative(self) -> bool:  # type: ignore[override]
        """λI has no negative entry; −λE has."""
        return not self.lam or self.alpha is None

    def __bool__(self) -> bool:
        return bool(self.lam or self.l1)

    def __str__(self) -> str:
        l1 = f" with L1 (λ₁ = {self.l1:g})" if self.l1 else ""
        if self.alpha is None:
            return f"ACLS's penalty (λ = {self.lam:g}){l1}"
        return f"AHCLS's penalty (λ = {self.lam:g}, α = {self.alpha:g}){l1}"


@dataclass(frozen=True)
class PerObservation(Penalty):
    """λ · mean · n_i ‖x_i‖² on row i: n_i is the weight of its known entries, mean that of A's entries.

    A row with many observations is penalised in proportion, as in Zhou, Wilkinson, Schreiber and Pan (2008); the mean
    makes the same λ good for A and cA.
    """

    lam: float = 0.0

    def __post_init__(self) -> None:
        number("PerObservation(lam=...)", self.lam)

    @property
    def per_observation(self) -> float:  # type: ignore[override]
        """λ."""
        return self.lam

    def __bool__(self) -> bool:
        return bool(self.lam)

    def __str__(self) -> str:
        return f"The penalty by observation (λ = {self.lam:g})"


@dataclass(frozen=True)
class ComponentSparsity(Penalty):
    """θ_c ‖x_c‖₁ ‖y_c‖₂ on every component c, x_c its column of this factor and y_c that of the other one.

    It is θ_c‖x_c‖₁ with the other factor's columns at unit length, written so that W → WD, H → D⁻¹H leaves it as it is.
    Half-steps for X see a linear part θ_c‖y_c‖₂; those for Y a ridge ½ θ_c‖x_c‖₁/‖y_c‖₂, which lies above the penalty
    and touches it where Y is, so that the objective never rises. The driver chooses θ for the ``target`` of X.
    """

    target: float | tuple[float, ...] | None = None
    linear_part: tuple[float, ...] = ()
    """θ_c‖y_c‖₂ at the pair of a step; none before there is one."""
    ridge: tuple[float, ...] = ()
    """½ θ_c‖y_c‖₁/‖x_c‖₂ of the other factor's θ."""

    def matrix(self, rank: int) -> Array:
        return np.diag(self.ridge) if self.ridge else np.zeros((rank, rank))

    def linear(self, rank: int) -> Array | None:
        return np.array(self.linear_part) if any(self.linear_part) else None

    def quadratic(self, gram: Array) -> float:
        """Nothing: the ridge stands for what the other factor's linear part counts."""
        return 0.0

    def __str__(self) -> str:
        return f"The target of {self.target} for the sparsity of components"


NO_PENALTY = Penalty()

PENALTIES: dict[str, type[Penalty]] = {
    "none": Penalty,
    "quadratic": Quadratic,
    "per-observation": PerObservation,
    "component-sparsity": ComponentSparsity,
}
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
