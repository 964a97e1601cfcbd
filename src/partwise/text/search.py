"""Search: cosines of W h_q and W h_d for all documents, computed from k numbers a document and WᵀW."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from partwise.arguments import whole_number
from partwise.storage.settings import Plain
from partwise.types import Array

DIGITS = 12
"""Scores that are equal when rounded to this many digits tie."""


@dataclass(frozen=True)
class Hit:
    """One document of an answer; topic and degree are None for a model without topics."""

    index: int
    id: str
    title: str
    score: float
    topic: int | None
    degree: float | None
    label: str
    snippet: str


@dataclass(frozen=True)
class Answer:
    """The documents nearest to a query or a document, best first."""

    query: str
    hits: tuple[Hit, ...]
    mixture: tuple[float, ...]
    """The degrees of the query's topics; signed coordinates for LSI."""
    unknown: tuple[str, ...] = ()
    """Words of the query that are not in the vocabulary."""

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


def cosines(gram: Array, query: Array, documents: Array) -> Array:
    """The cosine of W q with every W d, rows d of ``documents``: qᵀGd / (‖q‖_G ‖d‖_G) with G = WᵀW.

    A document or query without any weight has the score 0.
    """
    documents = documents.astype(np.float64, copy=False)
    right = gram @ query.astype(np.float64, copy=False)
    length = np.sqrt(np.maximum(((documents @ gram) * documents).sum(axis=1), 0))
    length *= np.sqrt(max(float(query @ right), 0.0))
    score: Array = np.divide(documents @ right, length, out=np.zeros(len(documents)), where=length > 0)
    return np.clip(score, -1, 1)


def best(scores: Array, n: int, without: int | None = None) -> Array:
    """The indices of the ``n`` highest scores above 0, highest first, the earlier document first where they tie."""
    whole_number("n", n)
    order = np.argsort(-np.round(scores, DIGITS), kind="stable")
    if without is not None:
        order = order[order != without]
    return order[scores[order] > 0][:n]
