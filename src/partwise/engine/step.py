"""A step of a run: the pair, what is known about it, and what the next one goes on from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar, cast

from partwise.algorithms.base import Algorithm
from partwise.engine.component_sparsity import Thetas, at_pair
from partwise.types import Array, Factor, FactorRows

T = TypeVar("T")
Record = tuple[int, float, float, float, float]
"""A row of the history: iteration, seconds, error, angle, kkt."""


@dataclass(frozen=True)
class Optimality:
    """How far a pair is from a stationary point, and the zeros that should not be zero."""

    residual: float | None
    """The KKT residual r; None where it is not defined."""
    locked_w: int
    locked_h: int
    bounded: bool
    """Whether the penalised row problems have a minimum."""


@dataclass(frozen=True)
class Check:
    """The stationarity check at a pair, with the two products that it took."""

    optimality: Optimality
    rhs_w: FactorRows | None
    """A H, as rows of W."""
    rhs_h: FactorRows | None
    """AᵀW, as rows of H."""


class Deferred(Generic[T]):
    """A value that is computed when it is first asked for, and then kept."""

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute
        self._value: T | None = None

    @property
    def done(self) -> bool:
        """Whether it has been computed."""
        return self._value is not None

    def again(self) -> Deferred[T]:
        """The same, not yet computed."""
        return Deferred(self._compute)

    def __call__(self) -> T:
        if self._value is None:
            self._value = self._compute()
        return self._value


@dataclass(frozen=True)
class StartCost:
    """The cost of a start: seconds, and the bytes of W⁽⁰⁾ as it came, sparse or dense."""

    seconds: float
    nbytes: int


@dataclass(frozen=True)
class Momentum:
    """The extrapolation's memory, part of a step so that a run can be resumed."""

    beta: float
    ceiling: float
    ahead: Factor
    """The point ahead of W, from which the next H is made."""
    h: FactorRows
    """H before it was moved ahead."""


@dataclass(frozen=True, eq=False)
class Step:
    """The pair after an iteration; its arrays are never written again. ``error`` is relative, ‖A − WH‖_F / ‖A‖_F."""

    iteration: int
    seconds: float
    error: float
    objective: float
    """The loss with the penalties: what the algorithm minimises."""
    basis: Factor = field(repr=False)
    """W; its ``rhs`` is AᵀW, for H's next half-step."""
    weights: Factor = field(repr=False)
    """H, tall; its ``rhs`` is A h, for W's next half-step."""
    previous_w: Array | None = field(default=None, repr=False)
    previous_error: float | None = None
    angles: Array | None = field(default=None, repr=False)
    """How far each component turned since the previous iteration, in degrees; columns as they stand."""
    momentum: Momentum | None = field(default=None, repr=False)
    reseeded: tuple[int, ...] = ()
    """The columns of A that have replaced dead components so far."""
    scales: tuple[float, float] | None = None
    """The mean diagonals of HHᵀ and WᵀW at step 0, where a penalty is relative to them."""
    thetas: Thetas | None = None
    """The strengths of the penalties that the engine adjusts (``engine/component_sparsity``)."""
    start: StartCost | None = None
    """The cost of W⁽⁰⁾, at iteration 0."""
    ready: bool = False
    """Whether H is already the half-step from W, so that the next iteration need not make it again."""
    onward: Factor | None = field(default=None, repr=False, metadata={"stored": False})
    """The next H, where the pass that told the loss of this pair has made it."""
    reported: Step | None = field(default=None, repr=False, metadata={"stored": False})
    """Within an iteration, the step as it was reported, where dead components have been re-seeded since."""
    between: tuple[Record, ...] = field(default=(), repr=False, metadata={"stored": False})
    """The iterations since the step before, where one step was made for several (``engine/stretch``)."""
    deferred: Deferred[Check] | None = field(default=None, repr=False, metadata={"stored": False})
    """The stationarity check, made by the problem when it is asked for."""

    @property
    def w(self) -> Array:
        """W, m × k; on a cluster it may lie in parts, which ``np.asarray`` brings here."""
        return cast(Array, self.basis.rows)

    @property
    def h(self) -> Array:
        """H as a tall factor, n × k; likewise."""
        return cast(Array, self.weights.rows)

    def own(self, algorithm: Algorithm, weights: Factor | None = None) -> Algorithm:
        """The algorithm with the penalties that it has at this pair, or at this W with another H."""
        return at_pair(algorithm.scaled(self.scales), self.thetas, self.basis, weights or self.weights)

    @property
    def check(self) -> Check:
        """The stationarity check at this pair; it costs two products with A, one of which the next step reuses."""
        if self.deferred is None:
            raise ValueError("This step belongs to no run, so there is nothing to check it against.")
        return self.deferred()

    @property
    def optimality(self) -> Optimality:
        """The result of the stationarity check."""
        return self.check.optimality

    @property
    def checked(self) -> bool:
        """Whether the stationarity check has been made."""
        return self.deferred is not None and self.deferred.done

    @property
    def rhs(self) -> FactorRows | None:
        """AᵀW, where the pass that made W or the stationarity check has left it."""
        return self.check.rhs_h if self.checked else self.basis.rhs

    @property
    def kkt(self) -> float:
        """The KKT residual r at this pair (NaN where it is not defined)."""
        residual = self.optimality.residual
        return float("nan") if residual is None else residual

    @property
    def angle(self) -> float:
        """The largest angle by which a component turned since the previous iteration, in degrees (NaN at the first)."""
        return float("nan") if self.angles is None else float(self.angles.max())

    @cached_property
    def collapsed(self) -> bool:
        """Whether a whole factor has become zero."""
        return not (self.basis.gram.trace() > 0 and self.weights.gram.trace() > 0)

    @property
    def finite(self) -> bool:
        """Whether every number is still finite."""
        return math.isfinite(self.objective)

    def refuse_not_finite(self) -> None:
        """Raise where this is the iterate to return, and a number is not finite."""
        if not self.finite:
            raise ValueError("A number left the range of the precision at the start; rescale the matrix or the start.")
