"""The layout of figures: circles of the topic map, and the order of rows."""

from __future__ import annotations

import numpy as np

from partwise.arguments import is_whole, quoted
from partwise.linalg.matching import unit_columns
from partwise.types import Array

WIDTH, FILLED, SMALLEST, ROUNDS = 1.35, 0.34, 0.035, 400


def part_shares(w: Array, h: Array) -> Array:
    """The mean share of each topic over the columns with any weight, for topics of length 1."""
    weights = h.astype(np.float64, copy=False) * np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    total = weights.sum(axis=1, keepdims=True)
    known = total[:, 0] > 0
    if not known.any():
        return np.zeros(w.shape[1])
    shares: Array = (weights[known] / total[known]).mean(axis=0)
    return shares


def circles(cosines: Array, shares: Array) -> tuple[Array, Array]:
    """(centres, k × 2; radii): classical scaling of √(2 − 2 cos) (Torgerson 1952), then moved apart until none overlap.

    Coordinates are averaged with their ranks, so that one distant topic does not crowd the others; the area of a circle
    is proportional to the share.
    """
    part = np.maximum(shares, 0) / max(float(np.sum(shares)), 1e-12)
    radii = np.maximum(np.sqrt(part * FILLED * WIDTH / np.pi), SMALLEST)
    points = _torgerson(2 - 2 * np.clip(cosines, 0, 1))
    ranks = points.argsort(axis=0, kind="stable").argsort(axis=0).astype(np.float64)
    spread = (_scaled(points) + _scaled(ranks)) / 2 * (WIDTH, 1)
    return (_apart(spread, radii) if len(spread) > 1 else spread), radii


def extent(points: Array, radii: Array) -> tuple[Array, Array]:
    """The (lower left, upper right) corners of the bounding box of circles."""
    return (points - radii[:, None]).min(axis=0), (points + radii[:, None]).max(axis=0)


def by_strongest(factor: Array) -> Array:
    """The order of rows by their strongest topic, the most certain first; rows without any weight come last."""
    unit = unit_columns(factor)
    topic = np.where(unit.any(axis=1), unit.argmax(axis=1), unit.shape[1])
    order: Array = np.lexsort((-unit.max(axis=1), topic))
    return order


def thinned(factor: Array, most: int) -> Array:
    """At most ``most`` rows, each the mean of neighbours, every column scaled to a largest entry of 1."""
    groups = np.array_split(factor.astype(np.float64, copy=False), min(most, len(factor)))
    rows: Array = np.array([group.mean(axis=0) for group in groups])
    top = rows.max(axis=0)
    scaled: Array = rows / np.where(top > 0, top, 1)
    return scaled


def check_picture(shape: object, length: int) -> tuple[int, int]:
    """(height, width) of a picture; refused unless two positive whole numbers whose product is ``length``."""
    sizes = list(shape) if isinstance(shape, (tuple, list)) else []
    if len(sizes) != 2 or not all(is_whole(size) and size > 0 for size in sizes):
        raise ValueError(f"shape must be two whole numbers such as (19, 19), not {quoted(shape)}.")
    height, width = map(int, sizes)
    if height * width != length:
        raise ValueError(
            f"Pictures of {height} × {width} have {height * width:,} pixels, "
            f"but W has {length:,} rows; give the shape of one picture."
        )
    return height, width


def _torgerson(distances2: Array) -> Array:
    """The two leading principal coordinates of squared distances; signs fixed by the largest entry."""
    k = len(distances2)
    centre = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances2 @ centre)
    coordinates = np.zeros((k, 2))
    for axis, column in enumerate(reversed(range(max(k - 2, 0), k))):
        vector = vectors[:, column]
        sign = 1 if vector[abs(vector).argmax()] >= 0 else -1
        coordinates[:, axis] = sign * vector * np.sqrt(max(values[column], 0))
    return coordinates


def _scaled(points: Array) -> Array:
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.where(high > low, high - low, 1)
    scaled: Array = np.where(high > low, (points - low) / size, 0.5)
    return scaled


def _apart(points: Array, radii: Array) -> Array:
    """Move overlapping circles apart, half each, until none overlap; a fixed offset separates equal centres."""
    angle = np.arange(len(points)) * 2.399963
    centres = points + 1e-3 * np.column_stack([np.cos(angle), np.sin(angle)])
    least = radii[:, None] + radii + 0.02
    np.fill_diagonal(least, 0)
    for _ in range(ROUNDS):
        gaps = centres[:, None] - centres
        distance = np.sqrt((gaps**2).sum(axis=2))
        push = np.maximum(least - distance, 0)
        if not push.any():
            break
        centres = centres + 0.5 * (gaps * (push / np.maximum(distance, 1e-9))[:, :, None]).sum(axis=1)
    return centres
