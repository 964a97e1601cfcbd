"""Unit-diagonal form of a gram, in which the tolerances of the exact solvers are relative."""

from collections.abc import Callable

import numpy as np

from partwise.types import Array, Rows


def unit_diagonal(gram: Array) -> tuple[Array, Array]:
    """(D⁻¹GD⁻¹, 1/D) with D = √diag G; a topic whose diagonal is 0 gets a 1 of its own, so that its entry is 0."""
    diagonal = np.sqrt(np.maximum(gram.diagonal(), 0))
    if diagonal.all():
        scale = 1.0 / diagonal
    else:
        scale = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
    scaled = gram * scale
    scaled *= scale[:, None]
    scaled.flat[:: len(gram) + 1] = 1.0
    return scaled, scale


def rescaled(scale: Array, solve: Callable[[Array, Array], None]) -> Rows:
    """Rows that give ``solve`` the scaled right-hand side in float64 and undo the scaling of what it fills."""

    def rows(rhs: Array, factor: Array, out: Array) -> None:
        solution = np.empty(rhs.shape)
        solve(rhs * scale, solution)
        np.multiply(solution, scale, out=out, casting="same_kind")

    return rows
