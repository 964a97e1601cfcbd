"""Columns of A, each the longest after the span of those before has been taken away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.compact import apart, compact
from partwise.threads.pool import Workers
from partwise.types import Array, Data

TIE = 1e-6
"""Lengths that differ by less than this share are equal."""


@dataclass(frozen=True)
class SuccessiveProjection(Start):
    """The k columns of A that successive orthogonal projection picks (Araújo et al. 2001; Gillis and Vavasis 2014).

    Pick the column with the longest residual, then project all columns off it: with q the unit residual picked,
    ‖r_j‖² ← ‖r_j‖² − (qᵀ a_j)², one product Aᵀ q for each topic. Ties go to the longer column of A, then to the first.
    It finds the topics of a separable matrix exactly. Once the columns are spent the longest of the rest follow.
    The seed plays no part unless A has fewer directions than topics.
    """

    seeded = False
    within_sides = True

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        w = np.zeros((data.shape[0], rank), data.dtype)
        for c, column in enumerate(projected_columns(data, rank, workers)):
            w[:, c] = data.T.rows(column, column + 1)[0]
        return compact(apart(w, rng))


def projected_columns(data: Data, rank: int, workers: Workers) -> list[int]:
    """The columns picked, in their order; fewer than ``rank`` where A has fewer that are not zero."""
    lengths2 = data.T.row_norms2
    slack = 64 * float(np.finfo(data.dtype).eps)
    left = lengths2.copy()
    basis = np.zeros((data.shape[0], 0))
    chosen: list[int] = []
    for _ in range(min(rank, int(np.count_nonzero(lengths2)))):
        chosen.append(_next(left, lengths2, chosen))
        q = _off(basis, data.T.rows(chosen[-1], chosen[-1] + 1)[0].astype(np.float64))
        basis = np.column_stack([basis, q])
        left = left - product(data.T, q[:, None], workers)[:, 0].astype(np.float64) ** 2
        left[left <= slack * lengths2] = 0
        left[chosen] = 0
    return chosen


def _next(left: Array, lengths2: Array, chosen: list[int]) -> int:
    """The longest residual; ties by length, then by place. When none is left, the longest column not chosen."""
    rest = lengths2.copy()
    rest[chosen] = 0
    among = left >= (1 - TIE) * left.max() if left.max() > 0 else rest > 0
    length = np.where(among, rest, 0)
    return int(np.argmax(length >= (1 - TIE) * length.max()))


def _off(basis: Array, column: Array) -> Array:
    """The unit residual of a column off an orthonormal basis; zero where nothing but rounding is left of it."""
    whole = float(np.linalg.norm(column))
    for _ in range(2):
        column = column - basis @ (basis.T @ column)
    length = float(np.linalg.norm(column))
    return column / length if length > 1e-12 * whole else 0 * column
