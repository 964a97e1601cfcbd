"""An algorithm as a file keeps it, and again from that: its line in the table, its settings and its penalties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.algorithms.as_written import as_written
from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import Penalty, Quadratic
from partwise.algorithms.relative import Relative
from partwise.algorithms.table import ALGORITHMS, extrapolated, frozen, quadratic
from partwise.arguments import number
from partwise.storage.settings import Digests, Foreign, plain, rebuild


def recipe_of(algorithm: Algorithm) -> dict[str, Any] | None:
    """What a file keeps of an algorithm; None where the table could not make it again from that."""
    fixed = [side.update.fixed for side in algorithm.sides]
    recipe = {
        "name": algorithm.name,
        "settings": algorithm.knobs,
        "penalties": [_penalty_recipe(side.penalty) for side in algorithm.sides],
        "extrapolated": bool(algorithm.extrapolation),
        **({"as_written": True} if algorithm.plain else {}),
        **({"frozen": [list(held) for held in fixed]} if any(fixed) else {}),
    }
    try:
        again = from_recipe(recipe)
    except Foreign:  # a penalty that is in no table
        return None
    if again is not None:
        again = replace(again, settings=algorithm.settings, lead=algorithm.lead, one_sided=algorithm.one_sided)
    return recipe if again in (None, algorithm) else None


def _penalty_recipe(penalty: Penalty) -> Any:
    if not isinstance(penalty, Quadratic):
        return plain(penalty)
    lam = {"share": penalty.lam.share, "of": penalty.lam.of} if isinstance(penalty.lam, Relative) else penalty.lam
    return [lam, penalty.alpha, penalty.l1] if penalty.l1 else [lam, penalty.alpha]


def from_recipe(recipe: Mapping[str, Any] | None) -> Algorithm | None:
    """The algorithm again, or None where it is not in the table."""
    if recipe is None or recipe["name"] not in ALGORITHMS:
        return None
    algorithm = ALGORITHMS[recipe["name"]](**recipe["settings"])
    w, h = (
        quadratic(algorithm.name, side, _lam(known[0]), *known[1:]) if isinstance(known, list) else rebuild(known)
        for side, known in zip("wh", recipe["penalties"], strict=True)
    )
    algorithm = algorithm.with_penalties(w, h)
    algorithm = extrapolated(algorithm) if recipe["extrapolated"] else algorithm
    algorithm = as_written(algorithm) if recipe.get("as_written") else algorithm
    w_fixed, h_fixed = recipe.get("frozen", ((), ()))
    return frozen(algorithm, w=w_fixed, h=h_fixed)


def check_penalties(algorithm: Algorithm, rank: int) -> None:
    """Raise where a penalty of an algorithm from a file is not one for ``rank`` components."""
    for side in algorithm.sides:
        matrix, linear = side.penalty.matrix(rank), side.penalty.linear(rank)
        if matrix.shape != (rank, rank) or not np.isfinite(matrix).all():
            raise ValueError("The quadratic part is not that of a penalty of this rank.")
        if linear is not None and (linear.shape[-1:] != (rank,) or not np.isfinite(linear).all()):
            raise ValueError("The linear part is not that of a penalty of this rank.")


def _lam(known: Any) -> Any:
    """λ as a recipe has it: a number, or a share and, of a run, what it is a share of."""
    if not isinstance(known, dict):
        return known
    of = known["of"]
    return Relative(number("relative(share)", known["share"]), None if of is None else number("of", of))


def algorithm_fields(algorithm: Algorithm) -> dict[str, Any]:
    """The recipe, or where there is none what tells the algorithm from others."""
    sides = [plain(side, Digests()) for side in algorithm.sides]
    return recipe_of(algorithm) or {"name": algorithm.name, "sides": sides, "extrapolation": algorithm.extrapolation}


def algorithm_from(fields: Mapping[str, Any]) -> Algorithm:
    """The algorithm that gave these fields; :class:`Foreign` where the table has no such line."""
    algorithm = from_recipe(fields) if "penalties" in fields else None
    if algorithm is None:
        raise Foreign(fields.get("name"))
    return algorithm
