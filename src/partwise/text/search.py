"""Search by words and topics: (1 − β) cos(a_q, a_d) + β cos(W h_q, W h_d) for all documents.

The topic part is computed from k numbers a document and WᵀW, the word part from the rows of A of the query's terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.arguments import number, whole_number
from partwise.storage.settings import Plain
from partwise.types import Array

DIGITS = 12
"""Scores that are equal when rounded to this many digits tie."""
ROWS = 2**12
"""Documents whose lengths are computed together."""
SHOWN_WORDS = 8
"""How many of the words that a hit shares with the query are named."""


@dataclass(frozen=True)
class Hit:
    """One document of an answer, and why it is there; topic, degree and carrier are None for a model without topics."""

    index: int
    id: str
    title: str
    score: float
    topic: int | None
    """The document's strongest topic."""
    degree: float | None
    label: str
    snippet: str
    words: tuple[str, ...] = ()
    """The terms of the query that the document holds, those that add most to the score first."""
    carrier: int | None = None
    """The topic that carried it: c with the largest h_dc (G h_q)_c, a summand of the product of W h_q and W h_d."""
    word_score: float = 0.0
    """The word part, the cosine of the weighted words."""
    topic_score: float = 0.0
    """The topic part, the cosine of W h_q and W h_d."""
    copies: tuple[str, ...] = ()
    """The ids of later documents with the same text, which have no place of their own in an answer."""


@dataclass(frozen=True)
class Answer:
    """The documents nearest to a query or a document, best first."""

    query: str
    hits: tuple[Hit, ...]
    mixture: tuple[float, ...]
    """The degrees of the query's topics; signed coordinates for LSI."""
    unknown: tuple[str, ...] = ()
    """Words of the query that are not in the vocabulary."""
    suggestions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each unknown word the known ones that are spelt most like it, where there are any."""
    blend: float = 1.0
    """The share of the topic part in the scores; 0 where no word of the query plays a part in a topic."""

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]


def default_blend(k: int) -> float:
    """The share of the topic part unless it is given: 0.1 + k / 500, at most 0.2.

    It was chosen on half of the queries of two judged collections (docs/retrieval.md).
    """
    return min(0.1 + k / 500, 0.2)


def check_blend(blend: float | None, k: int) -> float:
    """The given share of the topic part, from 0 (words alone) to 1 (topics alone), or the default for k topics."""
    return default_blend(k) if blend is None else number("blend", blend, 0, 1)


def metric_lengths(gram: Array, documents: Array) -> Array:
    """‖W d‖ for every row d of ``documents``: √(dᵀGd) with G = WᵀW."""
    squares = np.empty(len(documents))
    for lo in range(0, len(documents), ROWS):  # products of a block stay in the cache
        rows = documents[lo : lo + ROWS].astype(np.float64, copy=False)
        np.einsum("ij,ij->i", rows @ gram, rows, out=squares[lo : lo + ROWS])
    lengths: Array = np.sqrt(np.maximum(squares, 0))
    return lengths


def cosines(gram: Array, query: Array, documents: Array | sp.csr_array, lengths: Array | None = None) -> Array:
    """The cosine of W q with every W d, rows d of ``documents``: qᵀGd / (‖q‖_G ‖d‖_G) with G = WᵀW.

    A document or query without any weight has the score 0. ``lengths`` are :func:`metric_lengths` where known.
    """
    right = gram @ query.astype(np.float64, copy=False)
    own = metric_lengths(gram, documents) if lengths is None else lengths
    return _by_lengths(documents.astype(np.float64, copy=False) @ right, own, np.sqrt(max(float(query @ right), 0.0)))


def word_cosines(rows: sp.csr_array, weights: Array, lengths: Array | None) -> Array:
    """The cosine of a query with every document: ``rows`` of A and ``weights`` of the query, both for its terms alone.

    ``lengths`` are those of the documents' columns of A; None where all are 1.
    """
    dots = rows.T @ weights
    return _by_lengths(dots, np.ones(len(dots)) if lengths is None else lengths, float(np.linalg.norm(weights)))


def _by_lengths(dots: Array, lengths: Array, length: float) -> Array:
    product = lengths * length
    score: Array = np.divide(dots, product, out=np.zeros(len(dots)), where=product > 0)
    return np.clip(score, -1, 1)


def best(scores: Array, n: int, without: int | Array | None = None, ties: Array | None = None) -> Array:
    """The indices of the ``n`` highest scores above 0, highest first, without some.

    Where scores tie the one with the higher value in ``ties`` comes first, then the earlier document.
    """
    whole_number("n", n)
    rounded = np.round(scores, DIGITS)
    if without is not None:
        rounded[without] = 0
    above = rounded > 0
    values = rounded[above]  # among many zeros a partition takes up to a hundred times as long
    least = np.partition(values, len(values) - n)[len(values) - n] if n < len(values) else 0.0
    candidates = np.flatnonzero((rounded >= least) & above)
    second = np.zeros(len(candidates)) if ties is None else np.round(ties[candidates], DIGITS)
    order: Array = candidates[np.lexsort((candidates, -second, -rounded[candidates]))][:n]
    return order
