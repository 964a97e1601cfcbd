"""What an algorithm is: a half-step and a penalty for each side, and what the engine does around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from partwise.algorithms.penalties import NO_PENALTY, Penalty, Quadratic, indefinite
from partwise.algorithms.relative import Relative
from partwise.types import Array, NoMinimum, Rows, Update

PENALTY_SETTINGS = ("lam_", "alpha_", "l1_", "per_observation_", "parts_")
"""How the names of settings that make penalties begin."""


@dataclass(frozen=True)
class Side:
    """How one factor is made: a half-step and the penalty on its rows. The only place where a penalty is applied."""

    update: Update
    penalty: Penalty = NO_PENALTY

    def penalised(self, gram: Array) -> Array:
        """The gram with the quadratic part of the penalty."""
        if not self.penalty:
            return gram
        penalised: Array = gram + self.penalty.matrix(len(gram))
        return penalised

    def scaled(self, scale: float) -> Side:
        """The side in a run where the mean diagonal of the Gram matrix at step 0 is ``scale``."""
        return replace(self, penalty=self.penalty.scaled(scale)) if self.penalty.relative else self

    def prepare(self, gram: Array) -> Rows:
        """The half-step with all that depends on the fixed factor's gram alone."""
        return self.update.prepare(self.penalised(gram))

    def linear(self, rank: int) -> Array | None:
        """The linear part of the penalty."""
        return self.penalty.linear(rank)

    def shifted(self, rhs: Array, linear: Array | None, lo: int = 0, hi: int | None = None) -> Array:
        """The right-hand side of the rows lo:hi less half of the linear part, where there is one."""
        if linear is None:
            return rhs
        shifted: Array = rhs - (0.5 * (linear if linear.ndim == 1 else linear[lo:hi])).astype(rhs.dtype, copy=False)
        return shifted

    def value(self, gram: Array, linear: float = 0.0) -> float:
        """The penalty of a whole factor, from its gram and its inner product with the linear part."""
        return self.penalty.quadratic(gram) + linear

    def check_minimum(self, gram: Array) -> None:
        """Refuse a penalised problem that has no minimum, before any row is made."""
        if self.update.needs_convex and not self.penalty.convex and indefinite(self.penalised(gram)):
            raise NoMinimum(
                f"{self.penalty} makes the Gram matrix indefinite here, so rows with nonnegativity properly enforced "
                "may have no minimum; use a smaller λ or α, or the clipping method ahcls."
            )


@dataclass(frozen=True)
class Extrapolation:
    """Momentum on both factors, dropped when the objective rises (Ang and Gillis 2019: β₁, γ, γ̄, η)."""

    beta: float = 0.5
    growth: float = 1.05
    ceiling_growth: float = 1.01
    shrink: float = 1.5


@dataclass(frozen=True)
class Algorithm:
    """Two sides, and what the engine does around them: momentum, and another algorithm for the first iterations."""

    name: str
    w: Side
    h: Side
    extrapolation: Extrapolation | None = None
    lead: Algorithm | None = None
    """The algorithm of the first ``lead_iterations`` iterations."""
    lead_iterations: int = 0
    init: str = "random-acol"
    """The start where none is named."""
    loss: str = "squared"
    """The name of the loss that it minimises, in ``LOSSES``."""
    settings: Mapping[str, float | Relative | None] = field(default_factory=dict)
    """The arguments of the factory in the table, for the reader; the penalties that count are those of the sides."""
    open: bool = field(default=False, compare=False)
    """Whether the choice was left to the loss, which may take another one that suits the data."""
    plain: bool = False
    """Whether it runs as the paper writes it: the last iterate is returned and dead components stay, unless asked."""
    thorough: bool = False
    """Whether it is fast enough near a stationary point to go on to one, unless another stop is named."""
    one_sided: bool = False
    """Whether a penalty that is void on one side alone is taken all the same, and zeros where it leaves nothing else
    are the result, as in scikit-learn."""

    def at(self, iteration: int) -> Algorithm:
        """The algorithm that makes this iteration."""
        return self.lead if self.lead is not None and iteration <= self.lead_iterations else self

    @property
    def sides(self) -> tuple[Side, Side]:
        """W's and H's."""
        return self.w, self.h

    @cached_property
    def monotone(self) -> bool:
        """Whether the objective cannot rise from one iteration to the next."""
        return all(side.update.monotone for side in self.sides) and self.lead is None

    @cached_property
    def convex(self) -> bool:
        """Whether the penalised objective is bounded below for certain."""
        return all(side.penalty.convex for side in self.sides)

    @cached_property
    def relative(self) -> bool:
        """Whether a penalty has its strength from step 0 of a run."""
        return any(side.penalty.relative for side in self.sides)

    @cached_property
    def adjusts(self) -> bool:
        """Whether the engine sets the strength of a penalty, so that components have their target sparsity."""
        return any(side.penalty.target is not None for side in self.sides)

    def scaled(self, scales: tuple[float, float] | None) -> Algorithm:
        """The algorithm in a run whose Gram matrices HHᵀ and WᵀW have these mean diagonals at step 0."""
        if scales is None:
            return self
        return self.with_penalties(self.w.penalty.scaled(scales[0]), self.h.penalty.scaled(scales[1]))

    def with_penalties(self, w: Penalty, h: Penalty) -> Algorithm:
        """The same method for another objective: a polish keeps the penalty of what it polishes."""
        return replace(
            self,
            w=replace(self.w, penalty=w),
            h=replace(self.h, penalty=h),
            lead=self.lead and self.lead.with_penalties(w, h),
            settings=penalty_settings(w, h) | self.knobs,
        )

    @property
    def knobs(self) -> dict[str, float | Relative | None]:
        """The settings apart from the penalties."""
        return {name: value for name, value in self.settings.items() if not name.startswith(PENALTY_SETTINGS)}

    def refuses(self, rank: int, shape: tuple[int, int] | None = None) -> str | None:
        """Why this algorithm cannot work at a rank, on a matrix of a shape where that is known, or None."""
        for side, rows in zip(self.sides, shape or (None, None), strict=True):
            update, penalty, linear = side.update, side.penalty, side.linear(rank)
            if refusal := update.refuses(rank):
                return refusal
            if self.extrapolation and update.constraint:
                return f"Momentum would carry {self.name} off {update.constraint}; use it without."
            if update.needs_nonnegative_gram and not penalty.nonnegative:
                return (
                    f"The multiplicative half-step of {self.name} cannot carry {penalty}, which makes entries of "
                    "the Gram matrix negative; use a penalty without alpha, or hals or anls with this one."
                )
            if not update.linear and linear is not None:
                return f"The half-step of {self.name} cannot carry a linear penalty; use hals or anls with this one."
            if linear is not None and rows is not None and linear.shape not in ((rank,), (rows, rank)):
                return (
                    f"The linear part of {penalty} has the shape {linear.shape}; give {rank} numbers, one for each "
                    f"component, or {rows} × {rank}."
                )
            if not update.quadratic and penalty.matrix(rank).any():
                return f"The half-step of {self.name} cannot carry a quadratic penalty; use l1_w and l1_h alone."
        return self._void_penalty() or self._void_target(rank)

    def _void_target(self, rank: int) -> str | None:
        if not self.adjusts:
            return None
        targets = [np.size(side.penalty.target) for side in self.sides if side.penalty.target is not None]
        if any(size not in (1, rank) for size in targets):
            return f"There are {rank} components, so give one sparsity target or {rank} of them, not {max(targets)}."
        able = (side.update.linear and side.update.quadratic and not side.update.constraint for side in self.sides)
        if all(able):
            return None
        return f"{self.name} cannot carry the penalty that makes components sparse; use hals, als-hals or anls."

    def _void_penalty(self) -> str | None:
        for name, side, other in (("w", self.w, self.h), ("h", self.h, self.w)):
            if side.penalty.needs_other and not other.penalty and not self.one_sided:
                factor, free = name.upper(), "WH".replace(name.upper(), "")
                return (
                    f"L1 on {factor} alone is void: {factor} can shrink and {free} grow with the same product; "
                    f"penalise {free} too (l1_{free.lower()}=... or lam_{free.lower()}=...)."
                )
        return None

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value:g}" for name, value in self.settings.items() if value is not None)
        moving = "extrapolated " if self.extrapolation and not self.lead else ""
        written = " as written" if self.plain else ""
        fixed = "".join(
            f", {name} {' and '.join(map(str, side.update.fixed))} frozen"
            for name, side in zip("WH", self.sides, strict=True)
            if side.update.fixed
        )
        return (f"{moving}{self.name}({settings})" if settings else f"{moving}{self.name}") + fixed + written


def penalty_settings(w: Penalty, h: Penalty) -> dict[str, float | Relative | None]:
    """λ, α and λ₁ as the factories name them, where there is such a penalty."""
    sides = [(side, penalty) for side, penalty in (("w", w), ("h", h)) if isinstance(penalty, Quadratic) and penalty]
    lams: dict[str, float | Relative | None] = {f"lam_{side}": p.lam for side, p in sides if p.lam or not p.l1}
    alphas = {f"alpha_{side}": penalty.alpha for side, penalty in sides if penalty.alpha is not None}
    by_count = {f"per_observation_{side}": p.per_observation for side, p in (("w", w), ("h", h)) if p.per_observation}
    targets = {f"parts_{side}": float(np.mean(p.target)) for side, p in (("w", w), ("h", h)) if p.target is not None}
    return by_count | lams | alphas | targets | {f"l1_{side}": penalty.l1 for side, penalty in sides if penalty.l1}
