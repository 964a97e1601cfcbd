"""Algorithms by name. A new one is a half-step in ``updates/``, a factory here and a line in ``ALGORITHMS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from partwise.names import choose
from partwise.penalties import Penalty
from partwise.types import DataUpdate, Update
from partwise.updates import (
    Barrier,
    CoordinateSweeps,
    FastActiveSet,
    HoyerCone,
    LawsonHanson,
    LeastAbsolute,
    LeastSquares,
    Multiplicative,
    Pivoting,
    ProjectedGradient,
)

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
            settings=_penalty_settings(w, h) | self._knobs,
        )

    @property
    def _knobs(self) -> dict[str, float | None]:
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

    def recipe(self) -> dict[str, Any] | None:
        """What a file keeps of an algorithm; None where the table could not make it again from that."""
        recipe = {
            "name": self.name,
            "settings": self._knobs,
            "penalties": [[side.penalty.lam, side.penalty.alpha] for side in (self.w, self.h)],
            "extrapolated": bool(self.extrapolation),
        }
        again = self.from_recipe(recipe)
        same = again is None or replace(again, settings=self.settings, lead=self.lead) == self
        return recipe if same else None

    @staticmethod
    def from_recipe(recipe: Mapping[str, Any] | None) -> Algorithm | None:
        """The algorithm again, or None where it is not in the table."""
        if recipe is None or recipe["name"] not in ALGORITHMS:
            return None
        made = ALGORITHMS[recipe["name"]](**recipe["settings"])
        w, h = (_penalty(made.name, s, *p) for s, p in zip("wh", recipe["penalties"], strict=True))
        made = made.with_penalties(w, h)
        return extrapolated(made) if recipe["extrapolated"] else made

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value:g}" for name, value in self.settings.items() if value is not None)
        moving = "extrapolated " if self.extrapolation and not self.lead else ""
        return f"{moving}{self.name}({given})" if given else f"{moving}{self.name}"


def _penalty_settings(w: Penalty, h: Penalty) -> dict[str, float | None]:
    """λ and α as the factories name them, where there is a penalty."""
    sides = [(side, penalty) for side, penalty in (("w", w), ("h", h)) if penalty.lam]
    lams: dict[str, float | None] = {f"lam_{side}": penalty.lam for side, penalty in sides}
    return lams | {f"alpha_{side}": penalty.alpha for side, penalty in sides if penalty.alpha is not None}


def _number(where: str, name: str, value: Any, low: float, high: float, *, open_end: bool = False) -> float:
    """A setting within its range, or a sentence that says what it must be."""
    ok = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if ok and low <= value and (value < high or (value == high and not open_end)):
        return float(value)
    allowed = f"≥ {low:g}" if high == np.inf else f"in [{low:g}, {high:g}{')' if open_end else ']'}"
    raise ValueError(f"{where}({name}=...) must be a finite number {allowed}, not {value!r}.")


def _whole(where: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{where}({name}=...) must be a whole number of at least 1, not {value!r}.")
    return int(value)


def _penalty(where: str, side: str, lam: Any, alpha: Any = None) -> Penalty:
    checked = None if alpha is None else _number(where, f"alpha_{side}", alpha, 0, 1)
    return Penalty(_number(where, f"lam_{side}", lam, 0, np.inf), checked)


def _build(name: str, update: Update, lam_w: Any, lam_h: Any, alpha_w: Any, alpha_h: Any) -> Algorithm:
    """One half-step on both sides, each with its own penalty."""
    w, h = _penalty(name, "w", lam_w, alpha_w), _penalty(name, "h", lam_h, alpha_h)
    return Algorithm(name, Side(update, w), Side(update, h), settings=_penalty_settings(w, h))


def als() -> Algorithm:
    """Alternating least squares, negative entries set to 0 (Paatero and Tapper 1994)."""
    return _build("als", LeastSquares(), 0, 0, None, None)


def acls(lam_w: float = 0.5, lam_h: float = 0.5) -> Algorithm:
    """Alternating constrained least squares: clip(R (G + λI)⁻¹) (the paper, 3.1)."""
    return _build("acls", LeastSquares(), lam_w, lam_h, None, None)


def ahcls(lam_w: float = 0.5, lam_h: float = 0.5, alpha_w: float = 0.5, alpha_h: float = 0.5) -> Algorithm:
    """Alternating Hoyer-constrained least squares: clip(R (G + λβI − λE)⁻¹) (the paper, 3.2).

    The paper says "each column of the factors", writes spar(W_j*) and builds β on √k: we read vectors of length k,
    rows of W and columns of H. α is approached, not met; see ``hoyer`` for targets that are met.
    """
    return _build("ahcls", LeastSquares(), lam_w, lam_h, alpha_w, alpha_h)


def multiplicative(lam_w: float = 0.0, lam_h: float = 0.0) -> Algorithm:
    """Lee and Seung's multiplicative updates for the squared error: X ∘ R / (XG)."""
    return _build("multiplicative", Multiplicative(), lam_w, lam_h, None, None)


def gdcls(lam_w: float = 0.0, lam_h: float = 0.5) -> Algorithm:
    """W multiplicative, H by the ACLS half-step (Shahnaz, Berry, Pauca and Plemmons 2006)."""
    both = _build("gdcls", LeastSquares(), lam_w, lam_h, None, None)
    return replace(both, w=replace(both.w, update=Multiplicative()))


def anls(
    lam_w: float = 0.0, lam_h: float = 0.0, alpha_w: float | None = None, alpha_h: float | None = None
) -> Algorithm:
    """Exact nonnegative least squares rows by block principal pivoting (Kim and Park 2011)."""
    return _build("anls", Pivoting(), lam_w, lam_h, alpha_w, alpha_h)


def anls_fnnls(
    lam_w: float = 0.0, lam_h: float = 0.0, alpha_w: float | None = None, alpha_h: float | None = None
) -> Algorithm:
    """The same rows by the fast active set of Bro and de Jong 1997."""
    return _build("anls-fnnls", FastActiveSet(), lam_w, lam_h, alpha_w, alpha_h)


def anls_lawson_hanson(
    lam_w: float = 0.0, lam_h: float = 0.0, alpha_w: float | None = None, alpha_h: float | None = None
) -> Algorithm:
    """The same rows by Lawson and Hanson's NNLS, the slow yardstick the paper speaks of."""
    return _build("anls-lawson-hanson", LawsonHanson(), lam_w, lam_h, alpha_w, alpha_h)


def projected_gradient(
    lam_w: float = 0.0, lam_h: float = 0.0, alpha_w: float | None = None, alpha_h: float | None = None
) -> Algorithm:
    """Projected gradient with a line search on every row (Lin 2007)."""
    return _build("projected-gradient", ProjectedGradient(), lam_w, lam_h, alpha_w, alpha_h)


def hals(
    lam_w: float = 0.0,
    lam_h: float = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    sweeps: int = 3,
) -> Algorithm:
    """Coordinate sweeps, several per product (Cichocki and Phan 2009; Gillis and Glineur 2012)."""
    return _sweeps("hals", lam_w, lam_h, alpha_w, alpha_h, sweeps)


def _sweeps(
    name: str, lam_w: Any, lam_h: Any, alpha_w: Any, alpha_h: Any, sweeps: Any, settled: float = 0.0
) -> Algorithm:
    update = CoordinateSweeps(_whole(name, "sweeps", sweeps), settled)
    made = _build(name, update, lam_w, lam_h, alpha_w, alpha_h)
    return replace(made, settings={**made.settings, "sweeps": update.sweeps})


def barrier(
    lam_w: float = 0.0, lam_h: float = 0.0, alpha_w: float | None = None, alpha_h: float | None = None
) -> Algorithm:
    """Exact rows by a logarithmic barrier, the penalty the paper leaves to future work (3.3.4)."""
    return _build("barrier", Barrier(), lam_w, lam_h, alpha_w, alpha_h)


def alp() -> Algorithm:
    """Alternating linear programming for the least absolute error (the paper, 3.3.4); small data only."""
    return _build("alp", LeastAbsolute(), 0, 0, None, None)


def hoyer_target(sparsity_w: float | None = 0.5, sparsity_h: float | None = 0.5) -> Algorithm:
    """Rows whose Hoyer sparsity is met, by projection on its cone; None leaves a side free (after Hoyer 2004)."""
    given = {"sparsity_w": sparsity_w, "sparsity_h": sparsity_h}
    targets = {k: _number("hoyer", k, v, 0, 1, open_end=True) for k, v in given.items() if v is not None}
    w, h = (Side(HoyerCone(targets[k]) if k in targets else Pivoting()) for k in given)
    return Algorithm("hoyer", w, h, settings={k: targets.get(k) for k in given})


def als_hals(
    lam_w: float = 0.0,
    lam_h: float = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    sweeps: int = 5,
) -> Algorithm:
    """Three clipped least-squares iterations, then extrapolated coordinate sweeps: a fast run and its polish in one.

    The three are left out after a start that is a run already: ``sample``, its own, where the data are large enough, or
    a pair (W, H). A row ends its sweeps when one gains at most a tenth of what its first one gained.
    """
    main = _sweeps("als-hals", lam_w, lam_h, alpha_w, alpha_h, sweeps, settled=0.1)
    lead = als().with_penalties(main.w.penalty, main.h.penalty)
    return replace(main, extrapolation=Extrapolation(), lead=lead, lead_iterations=3, init="sample")


ALGORITHMS: dict[str, Callable[..., Algorithm]] = {
    "als": als,
    "acls": acls,
    "ahcls": ahcls,
    "multiplicative": multiplicative,
    "gdcls": gdcls,
    "anls": anls,
    "anls-fnnls": anls_fnnls,
    "anls-lawson-hanson": anls_lawson_hanson,
    "projected-gradient": projected_gradient,
    "hals": hals,
    "als-hals": als_hals,
    "barrier": barrier,
    "alp": alp,
    "hoyer": hoyer_target,
}
"""Name -> factory; add a line to add an algorithm."""


def as_algorithm(given: str | Algorithm) -> Algorithm:
    """An algorithm by name with its usual settings, or the object itself."""
    if isinstance(given, Algorithm):
        return given
    algorithm: Algorithm = choose("algorithm", given, ALGORITHMS)()
    return algorithm


def extrapolated(algorithm: str | Algorithm) -> Algorithm:
    """The same algorithm with safeguarded momentum (Ang and Gillis 2019); any half-step but hoyer's can have it."""
    chosen = as_algorithm(algorithm)
    return replace(chosen, extrapolation=chosen.extrapolation or Extrapolation())
