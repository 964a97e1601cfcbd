"""Words that swamp topics: they stand in many of them and tell none apart, as "said" does in news."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.linalg.matching import largest, unit_columns
from partwise.types import Array

STRONGEST, SHARE, LEAST = 30, 0.4, 3
"""A word swamps topics if it is among the 30 strongest terms of 40 % of them or more, and of three at least."""


def swamping_words(w: Array, terms: Sequence[str]) -> tuple[str, ...]:
    """The words by the rule above, those of most topics first; phrases and n-grams are never among them."""
    strongest = np.stack([largest(column, STRONGEST) for column in unit_columns(w).T], axis=1)
    held = np.take_along_axis(w, strongest, axis=0) > 0
    topics = np.bincount(strongest[held], minlength=len(w))
    many = np.flatnonzero(topics >= max(LEAST, SHARE * w.shape[1]))
    order = many[np.argsort(-topics[many], kind="stable")]
    return tuple(str(terms[i]) for i in order if " " not in terms[i])
