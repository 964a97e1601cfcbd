"""Measures of a ranked answer: precision at standard recall levels, average precision."""

from __future__ import annotations

import numpy as np

from partwise.types import Array

LEVELS = 11


def relevance(scores: Array, relevant: Array) -> Array:
    """Whether each document is relevant, highest score first, the earlier document first where they tie."""
    ranked: Array = np.asarray(relevant, bool)[np.argsort(-np.asarray(scores), kind="stable")]
    return ranked


def precision_at_hits(ranked: Array) -> Array:
    """The precision at the place of each relevant document of a ranked answer."""
    places = np.flatnonzero(ranked) + 1
    precision: Array = np.arange(1, len(places) + 1) / places
    return precision


def average_precision(ranked: Array) -> float:
    """The mean of the precision at each relevant document."""
    return float(_nonempty(precision_at_hits(ranked)).mean())


def eleven_points(ranked: Array) -> Array:
    """Interpolated precision at recall 0, 0.1, …, 1: the highest precision at that recall or any above it."""
    precision = _nonempty(precision_at_hits(ranked))
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    # Recall r is reached at the ceil(r R)-th of R relevant documents; whole numbers, so that 0.3 is what it says.
    needed = [max(-(-level * len(precision) // (LEVELS - 1)), 1) for level in range(LEVELS)]
    points: Array = highest[np.array(needed) - 1]
    return points


def _nonempty(precision: Array) -> Array:
    if not len(precision):
        raise ValueError("A query without any relevant document has no precision; leave it out.")
    return precision
