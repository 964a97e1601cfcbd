"""Strengths of penalties that the engine adjusts, so that each component has the sparsity that was asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import ComponentSparsity
from partwise.data.passes import component_totals, sum_rows
from partwise.linalg.measures import sparsity_of
from partwise.losses.base import Line
from partwise.types import Array, Factor, FactorRows

NEAR = 0.01
"""How far a component may be from its target."""
NOTHING = 1 - 1e-6
"""The relative error of a pair that explains nothing."""
HAS, SPARSER, HELD = "met", "sparser already", "it is frozen"
HALVINGS = 40
SWEEPS = 2
"""Passes over the components of a factor in an iteration that adjusts θ."""


@dataclass(frozen=True)
class Thetas:
    """θ of the components of W and of H, empty where a side is free."""

    w: tuple[float, ...] = ()
    h: tuple[float, ...] = ()
    frozen: bool = False
    """Whether they stay as they are to the end of the run."""

    def of(self, side: int) -> tuple[float, ...]:
        """W's (0) or H's (1)."""
        return (self.w, self.h)[side]


def at_pair(algorithm: Algorithm, thetas: Thetas | None, basis: Factor, weights: Factor) -> Algorithm:
    """The algorithm whose penalties are those of the pair (W, H)."""
    if thetas is None or not algorithm.adjusts:
        return algorithm
    factors, rank = (basis, weights), len(basis.gram)
    lengths = [np.sqrt(np.diag(factor.gram)) for factor in factors]
    penalties = []
    for side, other in ((0, 1), (1, 0)):
        linear, ridge = np.zeros(rank), np.zeros(rank)
        if thetas.of(side):
            linear = np.array(thetas.of(side)) * lengths[other]
        if thetas.of(other):
            pull = 0.5 * np.array(thetas.of(other)) * component_totals(factors[other].rows)
            np.divide(pull, lengths[side], out=ridge, where=lengths[side] > 0)
        target = algorithm.sides[side].penalty.target
        penalties.append(ComponentSparsity(target, tuple(linear.tolist()), tuple(ridge.tolist())))
    return algorithm.with_penalties(*penalties)


def first_thetas(algorithm: Algorithm, rank: int) -> Thetas:
    """No penalty yet, on the sides that have a target."""
    w, h = ((0.0,) * rank if side.penalty.target is not None else () for side in algorithm.sides)
    return Thetas(w, h)


def sweep_columns(rows: Array, line: Line, ridge: Array, free: Array, goals: Array, linear: Array | None) -> Array:
    """Improve a factor in place by sweeps over its columns; θ‖y‖₂ of each component, set on the way where it is None.

    With the others fixed, column c of least error is max(0, u − τ/h), u = x_c + g/h with g half the negative gradient
    of each row along it and h its curvature, and τ half the linear penalty. Where ``linear`` is not known yet, τ ≥ 0 is
    the least one at which the column is as sparse as its goal.
    """
    penalties = np.zeros(len(goals)) if linear is None else linear
    for _ in range(SWEEPS):
        for c in free:
            gradient, curvature = line(rows, c)
            slope = np.divide(1.0, curvature + ridge[c], out=np.zeros(len(rows)), where=curvature + ridge[c] > 0)
            u = rows[:, c] + (gradient - ridge[c] * rows[:, c]) * slope
            tau = threshold(u, goals[c], slope) if linear is None else linear[c] / 2
            rows[:, c] = np.maximum(0, u - tau * slope)
            penalties[c] = 2 * tau
    return penalties


def threshold(column: Array, goal: float, slope: Array | float = 1.0) -> float:
    """The least τ ≥ 0 at which max(0, u − τ s) has Hoyer's sparsity ``goal``, leaving an entry above 0."""
    slopes = np.broadcast_to(slope, column.shape)
    low, high = 0.0, float(np.divide(column, slopes, out=np.zeros(len(column)), where=slopes > 0).max())
    if not high > 0 or not _sparsity(np.maximum(column, 0)) < goal:
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _sparsity(np.maximum(column - middle * slopes, 0)) < goal:
            low = middle
        else:
            high = middle
    return low


def _sparsity(column: Array) -> float:
    return float(sparsity_of(column.sum(), column @ column, len(column)))


def component_sparsities(rows: FactorRows) -> Array:
    """Hoyer's sparsity of each column; NaN for a zero one."""
    squares = sum_rows(lambda part: np.einsum("ij,ij->j", part, part, dtype=np.float64), rows)
    return sparsity_of(component_totals(rows), squares, rows.shape[0])


@dataclass(frozen=True)
class ComponentTarget:
    """One component of W or of H: the Hoyer sparsity that was asked for, what it has, its θ, and a word on both."""

    factor: str
    component: int
    target: float
    sparsity: float | None
    """None for a zero component, which has none."""
    theta: float
    verdict: str

    @property
    def fulfilled(self) -> bool:
        """Whether it has its target or was sparser already."""
        return self.verdict in (HAS, SPARSER)


def component_targets(
    algorithm: Algorithm, thetas: Thetas, basis: Factor, weights: Factor, error: float
) -> tuple[ComponentTarget, ...]:
    """Every component that has a target, and whether it has it; ``error`` is the relative one."""
    rows = []
    for side, (name, factor) in enumerate((("W", basis), ("H", weights))):
        goals = algorithm.sides[side].penalty.goals(len(basis.gram))
        if goals is None:
            continue
        fixed = algorithm.sides[side].update.fixed
        sparsities = component_sparsities(factor.rows)
        for c, (goal, sparsity, theta) in enumerate(zip(goals, sparsities, thetas.of(side), strict=True)):
            word = HELD if c in fixed else _verdict(goal, sparsity, theta, thetas.frozen)
            word = "the penalty that it needs leaves nothing to fit" if error > NOTHING else word
            known = None if np.isnan(sparsity) else float(sparsity)
            rows.append(ComponentTarget(name, c, float(goal), known, float(theta), word))
    return tuple(rows)


def _verdict(goal: float, sparsity: float, theta: float, frozen: bool) -> str:
    if np.isnan(sparsity):
        return "it is zero"
    if abs(sparsity - goal) <= NEAR:
        return HAS
    if sparsity > goal and theta == 0:
        return SPARSER
    if theta == 0 and not frozen:
        return "the run ended before an iteration"
    return "it moved after its penalty was fixed" if frozen else "its largest entries are equal"
