"""Why a document has the topics it has: the part of each, and the terms that carried it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from partwise.linalg.matching import unit_columns
from partwise.text.mixtures import degrees, unit_weights
from partwise.text.topics import Term, strongest_terms
from partwise.types import Array


@dataclass(frozen=True)
class Part:
    """One topic of a document: its degree, and the document's terms that speak for it, as parts of 1."""

    topic: int
    name: str
    degree: float
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Explanation:
    """A document as a mixture of topics, the strongest first."""

    id: str
    title: str
    parts: tuple[Part, ...]
    explained: float
    """1 − ‖a − Wh‖² / ‖a‖²: how much of the document the topics together account for."""

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def explain_column(
    column: Array, w: Array, h: Array, terms: Sequence[str], names: Sequence[str], n: int
) -> tuple[tuple[Part, ...], float]:
    """(the topics of a document, how much of it they explain) for its column of A and its row of h.

    A term speaks for a topic by a_i u_ic, its part of the inner product of the document with the unit column u_c.
    """
    held = np.flatnonzero(column)
    near = column[held, None] * unit_columns(w)[held]
    parts = degrees(unit_weights(w, h[None]))[0]
    found = [
        Part(c, names[c], float(parts[c]), _carriers(near[:, c], [terms[int(i)] for i in held], n))
        for c in map(int, np.argsort(-parts, kind="stable"))
        if parts[c] > 0
    ]
    size = float(column @ column)
    rest = column - w.astype(np.float64, copy=False) @ h
    return tuple(found), (1 - float(rest @ rest) / size if size > 0 else 0.0)


def _carriers(near: Array, terms: Sequence[str], n: int) -> tuple[Term, ...]:
    total = float(near.sum())
    return strongest_terms(near / total if total > 0 else near, terms, n)
