"""Columns of one factor matched with those of another by assignment on their cosines."""

from __future__ import annotations

import numpy as np

from partwise.types import Array


def unit_columns(w: Array) -> Array:
    """W with columns of length 1; a dead column stays zero."""
    tall = w.astype(np.float64, copy=False)
    length = np.linalg.norm(tall, axis=0)
    unit: Array = tall / np.where(length > 0, length, 1)
    return unit


def largest(scores: Array, n: int) -> Array:
    """The places of the ``n`` largest scores, the largest first, of equal ones the first place first.

    Where enough scores are above the least one, as those of terms are above 0, the others are left out first: numpy's
    partition takes thirty times as long among many equal numbers.
    """
    n = min(n, len(scores))
    if not n:
        return np.empty(0, np.intp)
    above = np.flatnonzero(scores > scores.min())
    candidates = above if len(above) >= n else np.arange(len(scores))
    values = scores[candidates]
    candidates = candidates[values >= np.partition(values, -n)[-n]]
    places: Array = candidates[np.argsort(-scores[candidates], kind="stable")[:n]]
    return places


def assign(scores: Array) -> tuple[Array, Array]:
    """(rows, columns): the pairs with the largest sum of scores, each row and each column at most once."""
    from scipy.optimize import linear_sum_assignment  # imported late: it takes a quarter of a second

    rows, columns = linear_sum_assignment(-scores)
    return rows, columns


def matched_cosines(w: Array, other: Array) -> Array:
    """For each unit column of ``w`` the cosine with the unit column of ``other`` that it is assigned to."""
    cosines = w.T @ other
    matched: Array = cosines[assign(cosines)]
    return matched


def angles_between(cosines: Array) -> Array:
    """Degrees from cosines."""
    degrees: Array = np.degrees(np.arccos(np.minimum(np.maximum(cosines, -1), 1)))
    return degrees


def matched_angles(new: Array, old: Array) -> Array:
    """The angle of each column of ``new`` with the column of ``old`` it is matched to; dead with dead is none."""
    cosines = unit_columns(new).T @ unit_columns(old)
    cosines[np.ix_(~new.any(axis=0), ~old.any(axis=0))] = 1
    return angles_between(cosines[assign(cosines)])
