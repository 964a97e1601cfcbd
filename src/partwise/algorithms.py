"""Algorithms by name. A new one is a half-step in ``updates/``, a factory here and a line in ``ALGORITHMS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from partwise.algorithm import Algorithm, Extrapolation, Side, penalty_settings
from partwise.names import choose
from partwise.penalties import Penalty
from partwise.types import Update
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
    return Algorithm(name, Side(update, w), Side(update, h), settings=penalty_settings(w, h))


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


def recipe_of(algorithm: Algorithm) -> dict[str, Any] | None:
    """What a file keeps of an algorithm; None where the table could not make it again from that."""
    recipe = {
        "name": algorithm.name,
        "settings": algorithm.knobs,
        "penalties": [[side.penalty.lam, side.penalty.alpha] for side in (algorithm.w, algorithm.h)],
        "extrapolated": bool(algorithm.extrapolation),
    }
    again = from_recipe(recipe)
    same = again is None or replace(again, settings=algorithm.settings, lead=algorithm.lead) == algorithm
    return recipe if same else None


def from_recipe(recipe: Mapping[str, Any] | None) -> Algorithm | None:
    """The algorithm again, or None where it is not in the table."""
    if recipe is None or recipe["name"] not in ALGORITHMS:
        return None
    made = ALGORITHMS[recipe["name"]](**recipe["settings"])
    w, h = (_penalty(made.name, s, *p) for s, p in zip("wh", recipe["penalties"], strict=True))
    made = made.with_penalties(w, h)
    return extrapolated(made) if recipe["extrapolated"] else made
