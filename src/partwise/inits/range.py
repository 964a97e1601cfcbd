"""A start in the range of numbers: components moved by powers of two, and only where products would leave it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.types import Array, Data


@dataclass(frozen=True)
class Range:
    """Powers of two that a precision allows, with room for sums."""

    side: int
    """Of an entry of W or of H, whose squares are summed."""
    solved: int
    """Of an entry of the other one, when it is solved for."""
    apart: int
    """Of the product of a topic beside the matrix."""
    product: int
    """Of that product itself, whose square is summed."""
    mixed: int
    """Of that product times the matrix."""


RANGES = {8: Range(400, 490, 400, 480, 900), 4: Range(48, 60, 60, 90, 110)}


def in_range(data: Data, w: Array, h: Array | None = None) -> tuple[Array, Array | None]:
    """(W, H) with products in the range of the data's precision; those whose products are there already as they are.

    W alone is moved column by column to the size of the matrix, since H is solved for. In a pair what a column is
    divided by its row of H is multiplied by, and both are moved together where their product itself is out of range.
    """
    bounds, size = RANGES[data.dtype.itemsize], int(np.frexp(np.sqrt(data.norm2))[1])
    if h is None:
        return _moved(w, _alone(_sizes(w, 0), size, bounds)), None
    moves = _together(_sizes(w, 0), _sizes(h, 1), size, bounds)
    return _moved(w, moves[0]), _moved(h, moves[1][:, None])


def _sizes(factor: Array, axis: int) -> Array:
    """The power of two that each topic's largest entry is below, NaN for a topic of zeros."""
    largest = factor.max(axis=axis)
    return np.where(largest > 0, np.frexp(largest)[1], np.nan)


def _sound(sizes: Array, size: int, bounds: Range) -> Array:
    """Whether the topics of a factor, and of the other one when it is solved for, are in range; zeros always are."""
    sound: Array = np.isnan(sizes) | (_within(sizes, size, bounds.side) & _within(size - sizes, size, bounds.solved))
    return sound


def _within(sizes: Array, size: int, bound: int) -> Array:
    """Whether powers are inside a bound, or no farther out than a start that is made from the matrix itself."""
    inside: Array = (min(-bound, size - 16) <= sizes) & (sizes <= max(bound, size))
    return inside


def _alone(sizes: Array, size: int, bounds: Range) -> Array:
    target = int(np.clip(size, -bounds.side, bounds.side))
    return _moves(_sound(sizes, size, bounds), target - sizes)


def _together(down: Array, across: Array, size: int, bounds: Range) -> tuple[Array, Array]:
    """How far the columns of W and the rows of H are moved."""
    both = down + across
    common = _common(both[~np.isnan(both)], size, bounds)
    still = _sound(down, size, bounds) & _sound(across, size, bounds) & (common == 0)
    target = np.where(np.isnan(both), 0, both + common)
    half = target // 2
    return _moves(still, half - down), _moves(still, target - half - across)


def _moves(still: Array, moves: Array) -> Array:
    """The moves of the topics that are not to stand still; one of zeros has none."""
    return np.where(still | np.isnan(moves), 0, moves).astype(np.int64)


def _common(both: Array, size: int, bounds: Range) -> int:
    """How far all topics are moved so that the largest product is no longer out of range."""
    if not len(both):
        return 0
    largest = int(both.max())
    most = max(size, min(size + bounds.apart, bounds.product, bounds.mixed - size))
    return 0 if size - bounds.apart <= largest <= most else size - largest


def _moved(factor: Array, moves: Array) -> Array:
    if not moves.any():
        return factor
    moved: Array = np.ldexp(factor.astype(np.float64, copy=False), moves)
    return moved
