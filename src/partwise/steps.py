"""A step of a run: the pair, what is known about it, and what the next one goes on from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partwise.types import Array


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
    rhs_w: Any
    """A H, as rows of W."""
    rhs_h: Any
    """AᵀW, as rows of H."""


@dataclass(frozen=True)
class StartCost:
    """What a start took: seconds, and the bytes of W⁽⁰⁾ as it came, sparse or dense."""

    seconds: float
    nbytes: int


@dataclass(frozen=True)
class Momentum:
    """The extrapolation's memory, part of a step so that a run can be taken up again."""

    beta: float
    ceiling: float
    w: Array
    """The point ahead of W, from which the next H is made."""
    gram_w: Array
    h: Array
    """H before it was moved ahead."""
    rhs: Array | None = None
    """Aᵀ times the point ahead of W, where the pass that made it left it."""


@dataclass(frozen=True, eq=False)
class Step:
    """The pair after an iteration; its arrays are never written again. ``error`` is ‖A − WH‖_F / ‖A‖_F."""

    iteration: int
    seconds: float
    error: float
    objective: float
    """‖A − WH‖² with the penalties, which is what the algorithm minimises."""
    w: Array = field(repr=False)
    h: Array = field(repr=False)
    gram_w: Array = field(repr=False)
    gram_h: Array = field(repr=False)
    measure: Callable[[Step], Check] = field(repr=False)
    previous_w: Array | None = field(default=None, repr=False)
    previous_error: float | None = None
    angles: Array | None = field(default=None, repr=False)
    """How far each topic turned since the previous iteration, in degrees; columns as they stand."""
    momentum: Momentum | None = field(default=None, repr=False)
    reseeded: tuple[int, ...] = ()
    """The columns of A that have replaced dead topics so far."""
    reported: Step | None = field(default=None, repr=False)
    """The step as it was reported, where dead topics have been given a new start since."""
    start: StartCost | None = None
    """What W⁽⁰⁾ took, at iteration 0."""
    ready: bool = False
    """Whether H is already the half-step from W, so that the next iteration need not make it again."""
    onward_w: Array | None = field(default=None, repr=False)
    """A h, where the pass that made H left it."""
    onward_h: Array | None = field(default=None, repr=False)
    """AᵀW, where the pass that made W left it."""

    @cached_property
    def check(self) -> Check:
        """The stationarity check at this pair; it costs two products with A, one of which the next step reuses."""
        return self.measure(self)

    @property
    def optimality(self) -> Optimality:
        """What the stationarity check found."""
        return self.check.optimality

    @property
    def checked(self) -> bool:
        """Whether the stationarity check has been made."""
        return "check" in vars(self)

    @property
    def rhs(self) -> Array | None:
        """AᵀW, where the pass that made W or the stationarity check has left it."""
        return self.check.rhs_h if self.checked else self.onward_h

    @property
    def kkt(self) -> float:
        """The KKT residual r at this pair (NaN where it is not defined)."""
        residual = self.optimality.residual
        return float("nan") if residual is None else residual

    @property
    def angle(self) -> float:
        """The largest angle by which a topic turned since the previous iteration, in degrees (NaN at the first)."""
        return float("nan") if self.angles is None else float(self.angles.max())

    @property
    def collapsed(self) -> bool:
        """Whether a whole factor has become zero."""
        return not (np.trace(self.gram_w) > 0 and np.trace(self.gram_h) > 0)

    @property
    def finite(self) -> bool:
        """Whether every number is still finite."""
        return bool(np.isfinite(self.objective))

    def refuse_not_finite(self) -> None:
        """Raise where this is what there is to return, and a number is not finite."""
        if not self.finite:
            raise ValueError("A number left the range of the precision at the start; rescale the matrix or the start.")
