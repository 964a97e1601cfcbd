"""What an algorithm is: a half-step and a penalty for each side, and what the loop does around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from partwise.penalties import Penalty
from partwise.types import DataUpdate, Update

NO_PENALTY = Penalty()
LARGEST_FOR_ALP = 40_000


@dataclass(frozen=True)
class Side:
    """How one factor is made: a half-step and the penalty on its rows."""

    update: Update
    penalty: Penalty = NO_PENALTY


@dataclass(frozen=True)
class Extrapolation:
    """Momentum on both factors, dropped when the objective rises (Ang and Gillis 2019: β₁, γ, γ̄, η)."""

    beta: float = 0.5
    growth: float = 1.05
    ceiling_growth: float = 1.01
    shrink: float = 1.5


@dataclass(frozen=True)
class Algorithm:
    """Two sides, and what the loop does around them: momentum, and another algorithm for the first iterations."""

    name: str
    w: Side
    h: Side
    extrapolation: Extrapolation | None = None
    lead: Algorithm | None = None
    lead_iterations: int = 0
    init: str = "random-acol"
    """The start where none is given."""
    settings: Mapping[str, float | None] = field(default_factory=dict)
    """What the factory in the table was given, for the reader; the penalties that count are those of the sides."""

    def at(self, iteration: int) -> Algorithm:
        """The algorithm that makes this iteration."""
        return self.lead if self.lead is not None and iteration <= self.lead_iterations else self

    @property
    def monotone(self) -> bool:
        """Whether the objective cannot rise from one iteration to the next."""
        return self.w.update.monotone and self.h.update.monotone and self.lead is None

    @property
    def needs_data(self) -> bool:
        """Whether a half-step reads A itself."""
        return isinstance(self.w.update, DataUpdate) or isinstance(self.h.update, DataUpdate)

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
    def knobs(self) -> dict[str, float | None]:
        """The settings apart from the penalties."""
        return {name: value for name, value in self.settings.items() if not name.startswith(("lam_", "alpha_"))}

    def refuses(self, rank: int, shape: tuple[int, int]) -> str | None:
        """Why this algorithm cannot work at a rank on a matrix of this shape, or None."""
        for side in (self.w, self.h):
            if refusal := side.update.refuses(rank):
                return refusal
            if self.extrapolation and not side.update.extrapolates:
                return f"Momentum would carry {self.name} off its sparsity targets; use it without."
            if side.update.needs_nonnegative_gram and not side.penalty.nonnegative:
                return (
                    f"The multiplicative half-step of {self.name} cannot carry AHCLS's penalty, which makes entries of "
                    "the Gram matrix negative; use a penalty without alpha, or hals or anls with this one."
                )
        if self.needs_data and shape[0] * shape[1] > LARGEST_FOR_ALP:
            return (
                f"{self.name} solves a linear programme for every row and every column and is meant for matrices "
                f"of at most {LARGEST_FOR_ALP:,} entries, not {shape[0]:,} × {shape[1]:,}; "
                "use anls, or a sample of the data."
            )
        return None

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value:g}" for name, value in self.settings.items() if value is not None)
        moving = "extrapolated " if self.extrapolation and not self.lead else ""
        return f"{moving}{self.name}({given})" if given else f"{moving}{self.name}"


def penalty_settings(w: Penalty, h: Penalty) -> dict[str, float | None]:
    """λ and α as the factories name them, where there is a penalty."""
    sides = [(side, penalty) for side, penalty in (("w", w), ("h", h)) if penalty.lam]
    lams: dict[str, float | None] = {f"lam_{side}": penalty.lam for side, penalty in sides}
    return lams | {f"alpha_{side}": penalty.alpha for side, penalty in sides if penalty.alpha is not None}
