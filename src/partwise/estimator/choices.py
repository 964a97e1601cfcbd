"""What scikit-learn's parameters mean here: solver, beta_loss, n_components, init, W and H."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import Quadratic
from partwise.algorithms.table import ALGORITHMS
from partwise.arguments import choose, is_whole, number, quoted
from partwise.data.as_data import as_factor
from partwise.engine.half_step import Job, half_step
from partwise.inits.base import Given, Init, Start, declared
from partwise.inits.table import as_init
from partwise.losses.table import ALIASES, LOSSES, algorithm_for, beta, loss_of
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor

SOLVERS = {
    "cd": {"squared": "hals"},
    "mu": {"squared": "multiplicative", "poisson": "kl-multiplicative", "β": "beta-multiplicative"},
}
"""scikit-learn's solvers -> loss -> algorithm; "β" stands for every other β-divergence."""
BETAS = {2.0: "squared", 1.0: "poisson"}
"""β -> loss; scikit-learn's names are those of the losses' aliases."""


SIDES = {"W": "n_samples × n_components", "H": "n_components × n_features"}


def loss_for(beta_loss: Any) -> str:
    """The loss that scikit-learn calls ``beta_loss``: a name, or β itself."""
    if isinstance(beta_loss, str):
        name = ALIASES.get(beta_loss, beta_loss)
        if name in LOSSES:
            return name
    elif isinstance(beta_loss, Real) and not isinstance(beta_loss, bool):
        return BETAS.get(float(beta_loss)) or beta(number("beta_loss", beta_loss, -10, 10))
    raise ValueError(
        f"beta_loss={quoted(beta_loss)} is not one of the losses here; use 'frobenius' (2), 'kullback-leibler' (1), "
        "'itakura-saito' (0), or a number."
    )


def chosen_algorithm(solver: Any, algorithm: Any, beta_loss: Any) -> Algorithm:
    """The algorithm that ``solver`` or ``algorithm`` names, for the loss that ``beta_loss`` names."""
    if solver is not None and algorithm is not None:
        raise ValueError(f"solver={solver!r} and algorithm={algorithm!r} name the same thing; give one of them.")
    parameter, chosen = ("solver", solver) if algorithm is None else ("algorithm", algorithm)
    loss, name = loss_for(beta_loss), chosen
    if isinstance(chosen, str):
        choose(parameter, chosen, SOLVERS | ALGORITHMS)
        kind = loss if loss in BETAS.values() else "β"
        name = SOLVERS.get(chosen, {kind: chosen}).get(kind)
    elif chosen is not None and not isinstance(chosen, Algorithm):
        raise TypeError(f"{parameter} must be a name or an algorithm such as partwise.hals(), not {chosen!r}.")
    if chosen is not None and loss == "squared" and beta_loss == "frobenius":
        return algorithm_for(name)  # beta_loss was left alone: an algorithm for another loss brings its own
    try:
        if name is None and chosen is not None:
            raise ValueError
        return algorithm_for(name, loss)
    except ValueError:
        raise ValueError(
            f"Invalid beta_loss parameter: {parameter} {str(chosen)!r} does not handle beta_loss = {beta_loss!r}; use "
            f"solver='mu', or leave out {parameter}."
        ) from None


def with_penalties(algorithm: Algorithm, shape: tuple[int, int], alpha_w: Any, alpha_h: Any, ratio: Any) -> Algorithm:
    """The algorithm with scikit-learn's penalties for so many samples and features."""
    on_weights, share = number("alpha_W", alpha_w), number("l1_ratio", ratio, 0, 1)
    if isinstance(alpha_h, str) and alpha_h != "same":
        raise ValueError(f'alpha_H must be a finite number ≥ 0 or "same", not {quoted(alpha_h)}.')
    on_components = on_weights if isinstance(alpha_h, str) else number("alpha_H", alpha_h)
    if not on_weights and not on_components:
        return algorithm
    if algorithm.w.penalty or algorithm.h.penalty:
        raise ValueError(
            f"{algorithm} has penalties of its own; leave alpha_W and alpha_H at 0, or use another one, such as hals."
        )
    if share < 1 and not all(side.update.quadratic for side in algorithm.sides):
        raise ValueError(f"{algorithm.name} takes L1 penalties alone; set l1_ratio=1, or alpha_W and alpha_H to 0.")
    if share > 0 and not all(side.update.linear for side in algorithm.sides):
        raise ValueError(f"{algorithm.name} takes squared penalties alone; set l1_ratio=0, or use solver='cd'.")
    samples, features = shape
    unit = loss_of(algorithm).divergence
    w, h = (
        Quadratic((1 - share) * scale / (2 * unit), None, share * scale / unit)
        for scale in (on_components * samples, on_weights * features)
    )
    return replace(algorithm.with_penalties(w, h), one_sided=True)


def is_scikit_learns(solver: Any) -> bool:
    """Whether a solver has scikit-learn's name, and so its usual start."""
    return isinstance(solver, str) and solver in SOLVERS


def component_count(n_components: Any, shape: tuple[int, int], w: Any = None, h: Any = None) -> int:
    """The number of components: as given, all features for None, and for "auto" that of W or H, or 10 at most."""
    if n_components is None:
        return shape[1]
    if isinstance(n_components, str) and n_components == "auto":
        ranks = [np.shape(factor)[axis] for factor, axis in ((h, 0), (w, -1)) if np.ndim(factor) == 2]
        return int(ranks[0]) if ranks else min(10, *shape)
    if not is_whole(n_components):
        kind = ValueError if isinstance(n_components, str) else TypeError
        raise kind(f'n_components must be a whole number, "auto" or None, not {n_components!r}.')
    if n_components < 1:
        raise ValueError(f"n_components must be at least 1, not {n_components}.")
    return int(n_components)


def chosen_start(init: Any, solver: Any, rank: int, X: Data, w: Any, h: Any) -> Any:
    """The start for X = samples × features: ``init`` as ``factorize`` takes it, for Xᵀ; None is the algorithm's own."""
    if isinstance(init, str) and init == "custom":
        return _custom(rank, X, w, h)
    if w is not None or h is not None:
        warnings.warn(
            "When init!='custom', provided W or H are ignored; set init='custom' to start from them.",
            RuntimeWarning,
            stacklevel=4,
        )
    fits = rank <= min(X.shape)
    if init is None:
        if is_scikit_learns(solver):
            return "nndsvda" if fits else "random"
        return None if fits else "random"
    if isinstance(init, tuple) or not (isinstance(init, str | list) or callable(init) or hasattr(init, "shape")):
        raise TypeError(
            f"init must be a name, a start or an array n_features × n_components, not a {type(init).__name__}; a pair "
            "goes to fit(X, W=..., H=...) with init='custom'."
        )
    if hasattr(init, "shape") or isinstance(init, list):
        return Given(_array(init, (X.shape[1], rank)))
    start = as_init(init)
    if not fits and declared(start).within_sides:
        raise ValueError(
            f"init = {init!r} can only be used when n_components <= min(n_samples, n_features); use init='random'."
        )
    return start


def _array(init: Any, shape: tuple[int, int]) -> Array:
    """The components to start from, in columns."""
    if np.shape(init) != shape and np.shape(init) == shape[::-1]:
        raise ValueError(
            f"init must be n_features × n_components here, {shape[0]} × {shape[1]}, not {shape[1]} × {shape[0]}; "
            "components in rows go to fit(X, H=...) with init='custom'."
        )
    start = as_factor(init, "init", shape)
    if not start.any():
        raise ValueError("init is full of zeros, from which nothing can grow; use init='random'.")
    return start


def _custom(rank: int, X: Data, w: Any, h: Any) -> Init:
    """The start that W (samples × components), H (components × features) or both give."""
    if w is None and h is None:
        raise ValueError("init='custom' needs a start: fit(X, W=..., H=...), or one of the two.")
    samples, features = X.shape
    h, w = _checked(h, "H", (rank, features)), _checked(w, "W", (samples, rank))
    kinds = {f"{name}.dtype = {factor.dtype}" for name, factor in (("H", h), ("W", w)) if factor is not None}
    if any(factor is not None and factor.dtype != X.dtype for factor in (h, w)):
        listed = " and ".join(sorted(kinds))
        raise TypeError(f"H and W should have the same dtype as X, which is {X.dtype}; got {listed}.")
    if h is None:
        return FromWeights(w)
    return Given(h.T, None if w is None else w.T)


def _checked(factor: Any, name: str, shape: tuple[int, int]) -> Any:
    """A given factor with its own name and sides, as an array."""
    if factor is None:
        return None
    if np.ma.is_masked(factor):
        raise ValueError(f"{name} (input of NMF) has masked entries; fill them first, e.g. with {name}.filled(0).")
    array = factor.toarray() if sp.issparse(factor) else np.asarray(factor)
    for axis, words in enumerate(("first", "second")):
        if array.ndim == 2 and array.shape[axis] != shape[axis]:
            raise ValueError(
                f"Array with wrong {words} dimension passed to NMF (input {name}): it must be {SIDES[name]}, here "
                f"{shape[0]} × {shape[1]}, not {array.shape[0]} × {array.shape[1]}."
            )
    if array.ndim == 2 and array.dtype.kind in "if" and (array < 0).any():
        row, column = (int(place[0]) for place in np.nonzero(array < 0))
        raise ValueError(
            f"Negative values in data passed to NMF (input {name}): {array[row, column]:g} at row {row}, "
            f"column {column}."
        )
    checked = as_factor(array, f"{name} (input of NMF)", shape)
    if not checked.any():
        raise ValueError(f"Array passed to NMF (input {name}) is full of zeros, from which nothing can grow.")
    return array


@dataclass(frozen=True, eq=False)
class FromWeights(Start):
    """The components that least squares gives for weights of the samples that are known."""

    weights: Array
    seeded = False

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        loss, algorithm = LOSSES["squared"], algorithm_for("als")
        h = np.ascontiguousarray(self.weights, data.dtype)
        fixed = Factor(data.T.hold(h), h.astype(np.float64).T @ h.astype(np.float64))
        rows = half_step(data, loss, Job(algorithm.w, fixed, measured=False), workers).factor.rows
        return np.ascontiguousarray(np.asarray(rows))
