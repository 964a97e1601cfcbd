"""Exact rows by block principal pivoting."""

from typing import ClassVar

import numpy as np

from partwise import kernels
from partwise.algorithms.updates.clipped_least_squares import Clipped, lapack_inverse
from partwise.algorithms.updates.scaling import rescaled, unit_diagonal
from partwise.types import Array, Rows, Systems, Update

SWEEPS, SETTLED = 4, 0.01


class Pivoting(Update):
    """The minimiser of ½ xGxᵀ − r·x over x ≥ 0 by block principal pivoting (Kim and Park 2011).

    It starts from the support of the clipped least-squares solution; with many components after a few coordinate
    sweeps, which leave mostly the right one, with few in a kernel that solves a row in every lane of its vectors. A row
    with a singular subsystem, or on which pivoting cycles, is solved by FNNLS instead.
    """

    cold = True
    own_systems: ClassVar[bool] = True

    def solve_systems(self, rows: Systems, before: Array, out: Array) -> None:
        kernels.row_systems.exact_rows(rows.packed, rows.linear, rows.ridge, before, rows.free, out)

    def prepare(self, gram: Array) -> Rows:
        if kernels.nnls_lanes.suits(len(gram)):
            return lambda rhs, factor, out: kernels.nnls_lanes.exact_lanes(gram, rhs, out)
        scaled, scale = unit_diagonal(gram)
        start, ones = Clipped(_inverse(scaled)), np.ones(len(scaled))

        def solve(rhs: Array, out: Array) -> None:
            clipped, guess = np.empty_like(rhs), np.empty_like(rhs)
            start(rhs, rhs, clipped)
            kernels.coordinate.coordinate_rows(scaled, ones, rhs, clipped, SWEEPS, SETTLED, guess)
            kernels.nnls.pivoting_rows(scaled, rhs, guess, out)

        return rescaled(scale, solve)


def _inverse(gram: Array) -> Array:
    """G⁻¹ by LAPACK, good enough for a guess: a kernel would be compiled for one call in a fit."""
    try:
        inverse: Array = np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        return lapack_inverse(gram)
    return inverse
