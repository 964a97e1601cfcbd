"""Algorithms by name. A new one is a half-step in ``updates/``, a factory here and a line in ``ALGORITHMS``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from partwise.algorithms.base import Algorithm, Extrapolation, Side, penalty_settings
from partwise.algorithms.penalties import ComponentSparsity, Penalty, Quadratic
from partwise.algorithms.relative import Relative
from partwise.algorithms.updates import (
    Barrier,
    BetaMultiplicative,
    CoordinateSweeps,
    FastActiveSet,
    Frozen,
    HoyerCone,
    LawsonHanson,
    LeastAbsolute,
    LeastSquares,
    Multiplicative,
    Pivoting,
    PoissonMultiplicative,
    PoissonNewton,
    PoissonSweeps,
    ProjectedGradient,
)
from partwise.algorithms.updates.beta import beta_name
from partwise.arguments import choose, number, shortened, whole_number
from partwise.types import Update

Pair: TypeAlias = tuple[Any, Any]
MOST_SWEEPS = 10**6
"""More sweeps over a row would never end."""
Lam: TypeAlias = float | Relative
"""λ itself, or a share of the data's own scale."""
USUAL, SMALLER = Relative(0.05), Relative(0.01)
"""λ of acls and gdcls, and of ahcls, where none is given: AHCLS's penalty is not bounded below, so that .05 can
collapse a run on dense data."""


def quadratic(where: str, side: str, lam: Any, alpha: Any = None, l1: Any = 0.0) -> Penalty:
    """λ, α and λ₁ of one side, checked."""
    checked = None if alpha is None else number(f"{where}(alpha_{side}=...)", alpha, 0, 1)
    strength = lam if isinstance(lam, Relative) else number(f"{where}(lam_{side}=...)", lam)
    return Quadratic(strength, checked, number(f"{where}(l1_{side}=...)", l1))


def _build(name: str, update: Update, lam: Pair, alpha: Pair = (None, None), l1: Pair = (0, 0)) -> Algorithm:
    """One half-step on both sides, each with its own penalty; the settings are pairs, W's and H's."""
    w, h = (quadratic(name, *side) for side in zip("wh", lam, alpha, l1, strict=True))
    return Algorithm(name, Side(update, w), Side(update, h), settings=penalty_settings(w, h))


def als() -> Algorithm:
    """Alternating least squares, negative entries set to 0 (Paatero and Tapper 1994)."""
    return _build("als", LeastSquares(), (0, 0))


def acls(lam_w: Lam = USUAL, lam_h: Lam = USUAL, *, l1_w: float = 0.0, l1_h: float = 0.0) -> Algorithm:
    """Alternating constrained least squares: clip(R (G + λI)⁻¹) (the paper, 3.1).

    A number is λ itself; ``relative(.05)``, the default, is a share of the data's own scale.
    """
    return _build("acls", LeastSquares(), (lam_w, lam_h), l1=(l1_w, l1_h))


def ahcls(
    lam_w: Lam = SMALLER,
    lam_h: Lam = SMALLER,
    alpha_w: float = 0.5,
    alpha_h: float = 0.5,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Alternating Hoyer-constrained least squares: clip(R (G + λβI − λE)⁻¹) (the paper, 3.2).

    The paper says "each column of the factors", writes spar(W_j*) and builds β on √k: we read vectors of length k,
    rows of W and columns of H. α is approached, not met; see ``hoyer`` for targets that are met.
    """
    return _build("ahcls", LeastSquares(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def multiplicative(lam_w: Lam = 0.0, lam_h: Lam = 0.0) -> Algorithm:
    """Lee and Seung's multiplicative updates for the squared error: X ∘ R / (XG)."""
    return _build("multiplicative", Multiplicative(), (lam_w, lam_h))


def gdcls(lam_w: Lam = 0.0, lam_h: Lam = USUAL) -> Algorithm:
    """W multiplicative, H by the ACLS half-step (Shahnaz, Berry, Pauca and Plemmons 2006)."""
    both = _build("gdcls", LeastSquares(), (lam_w, lam_h))
    return replace(both, w=replace(both.w, update=Multiplicative()))


def anls(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Exact nonnegative least squares rows by block principal pivoting (Kim and Park 2011)."""
    return _build("anls", Pivoting(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def anls_fnnls(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """The same rows by the fast active set of Bro and de Jong 1997."""
    return _build("anls-fnnls", FastActiveSet(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def anls_lawson_hanson(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """The same rows by Lawson and Hanson's NNLS, the slow yardstick the paper speaks of."""
    return _build("anls-lawson-hanson", LawsonHanson(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def projected_gradient(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Projected gradient with a line search on every row (Lin 2007)."""
    return _build("projected-gradient", ProjectedGradient(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def hals(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    sweeps: int = 3,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Coordinate sweeps, several per product (Cichocki and Phan 2009; Gillis and Glineur 2012)."""
    return _sweeps("hals", (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h), sweeps)


def _sweeps(name: str, lam: Pair, alpha: Pair, l1: Pair, sweeps: Any, settled: float = 0.0) -> Algorithm:
    update = CoordinateSweeps(whole_number(f"{name}(sweeps=...)", sweeps, most=MOST_SWEEPS), settled)
    algorithm = _build(name, update, lam, alpha, l1)
    return replace(algorithm, settings={**algorithm.settings, "sweeps": update.sweeps})


def barrier(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Exact rows by a logarithmic barrier, the penalty the paper leaves to future work (3.3.4)."""
    return _build("barrier", Barrier(), (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h))


def alp() -> Algorithm:
    """Alternating linear programming for the least absolute error (the paper, 3.3.4); small data only."""
    return replace(_build("alp", LeastAbsolute(), (0, 0)), loss="absolute")


def hoyer_target(sparsity_w: float | None = 0.5, sparsity_h: float | None = 0.5) -> Algorithm:
    """Rows whose Hoyer sparsity is met, by projection on its cone; None leaves a side free (after Hoyer 2004)."""
    sides = {"sparsity_w": sparsity_w, "sparsity_h": sparsity_h}
    targets = {k: number(f"hoyer({k}=...)", v, 0, 1, ends="[)") for k, v in sides.items() if v is not None}
    w, h = (Side(HoyerCone(targets[k]) if k in targets else Pivoting()) for k in sides)
    return Algorithm("hoyer", w, h, settings={k: targets.get(k) for k in sides})


def als_hals(
    lam_w: Lam = 0.0,
    lam_h: Lam = 0.0,
    alpha_w: float | None = None,
    alpha_h: float | None = None,
    sweeps: int = 5,
    *,
    l1_w: float = 0.0,
    l1_h: float = 0.0,
) -> Algorithm:
    """Three clipped least-squares iterations, then extrapolated coordinate sweeps: a fast run and its polish in one.

    The three are left out after a start that is a run already: ``svd-best``, its own, ``sample``, or a pair (W, H). A
    row ends its sweeps when one gains at most a tenth of what its first one gained.
    """
    main = _sweeps("als-hals", (lam_w, lam_h), (alpha_w, alpha_h), (l1_w, l1_h), sweeps, settled=0.1)
    lead = als().with_penalties(main.w.penalty, main.h.penalty)
    momentum = Extrapolation(beta=0.7)
    return replace(main, extrapolation=momentum, lead=lead, lead_iterations=3, init="svd-best", thorough=True)


def kl_sweeps(sweeps: int = 2, *, l1_w: float = 0.0, l1_h: float = 0.0) -> Algorithm:
    """Safe coordinate sweeps with momentum for the Poisson likelihood, in memory."""
    update = PoissonSweeps(whole_number("kl-sweeps(sweeps=...)", sweeps, most=MOST_SWEEPS))
    algorithm = _build("kl-sweeps", update, (0, 0), l1=(l1_w, l1_h))
    settings = {**algorithm.settings, "sweeps": update.sweeps}
    return replace(algorithm, extrapolation=Extrapolation(), loss="poisson", settings=settings, init="spa")


def kl_newton(*, l1_w: float = 0.0, l1_h: float = 0.0) -> Algorithm:
    """A damped Newton step on every row for the Poisson likelihood: the same factors in memory, on disk, on Dask."""
    return replace(_build("kl-newton", PoissonNewton(), (0, 0), l1=(l1_w, l1_h)), loss="poisson")


def kl_multiplicative(*, l1_w: float = 0.0, l1_h: float = 0.0) -> Algorithm:
    """Lee and Seung's multiplicative updates for the Kullback–Leibler divergence."""
    return replace(_build("kl-multiplicative", PoissonMultiplicative(), (0, 0), l1=(l1_w, l1_h)), loss="poisson")


def beta_multiplicative(beta: float = 1.5, *, l1_w: float = 0.0, l1_h: float = 0.0) -> Algorithm:
    """Multiplicative updates for a β-divergence, monotone for every β (Févotte and Idier 2011); dense data in memory.

    β = 2 is half the squared error, 1 the Kullback–Leibler divergence, 0 that of Itakura and Saito.
    """
    update = BetaMultiplicative(number("beta-multiplicative(beta=...)", beta, -10, 10))
    algorithm = _build("beta-multiplicative", update, (0, 0), l1=(l1_w, l1_h))
    settings = {**algorithm.settings, "beta": update.beta}
    return replace(algorithm, loss=beta_name(update.beta), settings=settings)


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
    "kl-sweeps": kl_sweeps,
    "kl-newton": kl_newton,
    "kl-multiplicative": kl_multiplicative,
    "beta-multiplicative": beta_multiplicative,
}
"""Name -> factory; add a line to add an algorithm."""


def as_algorithm(algorithm: str | Algorithm) -> Algorithm:
    """An algorithm by name with its usual settings, or the object itself."""
    if isinstance(algorithm, Algorithm):
        return algorithm
    named: Algorithm = choose("algorithm", algorithm, ALGORITHMS)()
    return named


def extrapolated(algorithm: str | Algorithm) -> Algorithm:
    """The same algorithm with safeguarded momentum (Ang and Gillis 2019); any half-step but hoyer's can have it."""
    chosen = as_algorithm(algorithm)
    return replace(chosen, extrapolation=chosen.extrapolation or Extrapolation())


def penalised(algorithm: str | Algorithm, *, w: Penalty | None = None, h: Penalty | None = None) -> Algorithm:
    """The same algorithm with another penalty on W, on H, or on both; None leaves a side as it is."""
    chosen = as_algorithm(algorithm)
    for penalty in (w, h):
        if penalty is not None and not isinstance(penalty, Penalty):
            raise TypeError(
                f"A penalty must be one of partwise.PENALTIES or of your own, not {shortened(repr(penalty))}."
            )
    return chosen.with_penalties(chosen.w.penalty if w is None else w, chosen.h.penalty if h is None else h)


def sparse_parts(
    algorithm: str | Algorithm = "als-hals",
    *,
    w: float | Iterable[float] | None = None,
    h: float | Iterable[float] | None = None,
) -> Algorithm:
    """The same algorithm with components of W, of H, or of both that have this Hoyer sparsity, one for all or one each.

    A component of W at .8 has few pixels a part, few terms a topic; a component of H few columns of A. None leaves a
    side free. A side with a target is made by coordinate sweeps that set θ_c in the penalty θ_c‖w_c‖₁‖h_c‖₂ so that
    each column has its target, a free one by the algorithm's half-step; once θ has settled it is frozen, and objective
    and certificate are those of the frozen θ. A component that is sparser without a penalty stays as it is. L1 shrinks,
    so the error is larger than that of parts which are free.
    """
    chosen = as_algorithm(algorithm)
    if any(side.penalty for side in chosen.sides):
        raise ValueError(f"{chosen} has a penalty already; give sparse_parts an algorithm without one.")
    sides = {"w": w, "h": h}
    if all(value is None for value in sides.values()):
        raise ValueError("sparse_parts needs a target for w, for h, or for both, e.g. w=.75.")
    targets = {name: _sparsities(f"sparse_parts({name}=...)", value) for name, value in sides.items()}
    return chosen.with_penalties(*(ComponentSparsity(target) for target in targets.values()))


def _sparsities(where: str, value: Any) -> float | tuple[float, ...] | None:
    """Targets in [0, 1), one or several."""
    if value is None:
        return None
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(number(where, one, 0, 1, ends="[)") for one in value)
    return number(where, value, 0, 1, ends="[)")


def frozen(algorithm: str | Algorithm, *, w: Iterable[int] = (), h: Iterable[int] = ()) -> Algorithm:
    """The same algorithm with some components of W or of H held as the start has them; the others adapt to them."""
    chosen = as_algorithm(algorithm)
    for components in (w, h):
        if not isinstance(components, Iterable) or isinstance(components, str):
            raise TypeError(
                f"The frozen components must be a list of their numbers, not {shortened(repr(components))}."
            )
    fixed = [tuple(sorted({whole_number("A frozen component", c, 0) for c in components})) for components in (w, h)]
    sides = [
        replace(side, update=Frozen(side.update, components)) if components else side
        for side, components in zip(chosen.sides, fixed, strict=True)
    ]
    lead = chosen.lead and frozen(chosen.lead, w=fixed[0], h=fixed[1])
    return replace(chosen, w=sides[0], h=sides[1], lead=lead)
