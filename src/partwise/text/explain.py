"""Explanations: the degrees of a document's topics, and which of its terms contribute to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from partwise.linalg.matching import unit_columns
from partwise.storage.settings import Plain
from partwise.text.mixtures import degrees, unit_weights
from partwise.text.topics import Term, strongest_terms
from partwise.types import Array


@dataclass(frozen=True)
class ExplainedTopic:
    """One topic of a document: its degree, and the terms of the document that contribute to it, as shares of 1."""

    topic: int
    name: str
    degree: float
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Explanation:
    """A document as a mixture of topics, the strongest first."""

    id: str
    title: str
    parts: tuple[ExplainedTopic, ...]
    explained: float
    """1 − ‖a − Wh‖² / ‖a‖²: how much of the document the topics together account for."""

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def explain_column(
    column: Array, w: Array, h: Array, terms: Sequence[str], names: Sequence[str], n: int
) -> tuple[tuple[ExplainedTopic, ...], float]:
    """(the topics of a document, the share of its squared length that they explain) for its column of A and row of h.

    A term contributes a_i u_ic to a topic, its summand of the inner product of the document with the unit column u_c.
    """
    present = np.flatnonzero(column)
    own_terms = [terms[int(i)] for i in present]
    contributions = column[present, None] * unit_columns(w)[present]
    degree = degrees(unit_weights(w, h[None]))[0]
    topics = tuple(
        ExplainedTopic(c, names[c], float(degree[c]), strongest_terms(_shares(contributions[:, c]), own_terms, n))
        for c in map(int, np.argsort(-degree, kind="stable"))
        if degree[c] > 0
    )
    norm2 = float(column @ column)
    residual = column - w.astype(np.float64, copy=False) @ h
    return topics, (1 - float(residual @ residual) / norm2 if norm2 > 0 else 0.0)


def _shares(values: Array) -> Array:
    total = float(values.sum())
    return values / total if total > 0 else values
