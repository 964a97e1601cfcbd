"""Columns of one factor in the order of another's."""

from __future__ import annotations

import numpy as np

from partwise.types import Array


def align(best: Array, other: Array) -> tuple[Array, Array]:
    """(the column of ``other`` for each column of ``best``, their cosines), both with columns of length 1."""
    from scipy.optimize import linear_sum_assignment  # imported late: it takes a quarter of a second

    cosines = best.T @ other
    _, order = linear_sum_assignment(-cosines)
    matched: Array = cosines[np.arange(len(order)), order]
    return order, matched
