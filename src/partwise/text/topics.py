"""Descriptions of topics: terms, share of the collection, coherence, example documents, a short name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from partwise.data.as_data import as_data
from partwise.linalg.matching import largest, unit_columns
from partwise.result.coherence import npmi_coherence
from partwise.storage.settings import Plain
from partwise.text.collection import Collection
from partwise.types import Array

NAME_TERMS = 3


@dataclass(frozen=True)
class Term:
    """A term and its weight."""

    term: str
    weight: float


@dataclass(frozen=True)
class Example:
    """A document in which a topic is strong."""

    index: int
    id: str
    title: str
    degree: float
    snippet: str


@dataclass(frozen=True)
class Topic:
    """One topic: the column ``topic`` of W, of length 1."""

    topic: int
    name: str
    terms: tuple[Term, ...]
    """The strongest terms, with their weight in the column."""
    specific: tuple[Term, ...]
    """The terms that this topic does not share with others, with their specificity."""
    share: float
    """The mean degree of this topic over the documents that have a topic."""
    size: int
    """How many documents have it as their strongest topic."""
    coherence: float | None
    """The mean NPMI of the strongest terms; None with fewer than two terms."""
    documents: tuple[Example, ...]


@dataclass(frozen=True)
class Topics:
    """The topics of a model, in the order of W's columns."""

    topics: tuple[Topic, ...]
    diversity: float
    """The share of distinct terms among the strongest terms of all topics (Dieng, Ruiz and Blei 2020)."""
    coherence: float | None
    """The mean over the topics that have one."""

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __getitem__(self, topic: int) -> Topic:
        return self.topics[topic]

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def strongest_terms(scores: Array, terms: Sequence[str], n: int) -> tuple[Term, ...]:
    """The ``n`` terms with the highest scores above 0."""
    return tuple(Term(str(terms[i]), float(scores[i])) for i in largest(scores, n) if scores[i] > 0)


def specificity(w: Array) -> Array:
    """u_ic · u_ic / Σ_c u_ic for unit columns u: the weight of a term times the topic's share of it."""
    unit = unit_columns(w)
    total = unit.sum(axis=1, keepdims=True)
    scores: Array = np.divide(unit * unit, total, out=np.zeros_like(unit), where=total > 0)
    return scores


def short_names(specific: Sequence[Sequence[Term]]) -> tuple[str, ...]:
    """A name of up to three specific terms for each topic; terms that share a word with an earlier one are left out."""
    return tuple(", ".join(_distinct([entry.term for entry in terms])) or "(empty)" for terms in specific)


def _distinct(terms: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for term in terms:
        words = set(term.split())
        if any(words & set(other.split()) for other in chosen):
            continue
        chosen.append(term)
        if len(chosen) == NAME_TERMS:
            break
    return chosen


def topic_coherence(collection: Collection, w: Array, n: int) -> list[float | None]:
    """The mean NPMI of each topic's ``n`` strongest terms, from the rows of these terms alone."""
    terms = np.unique([largest(column, n) for column in w.T])
    if not len(terms):
        return [None] * w.shape[1]
    rows = as_data(collection.term_rows(terms), zero=True)
    return [None if np.isnan(npmi) else float(npmi) for npmi in npmi_coherence(rows, w[terms], n)]


def diversity(tops: Sequence[Sequence[Term]]) -> float:
    """The share of distinct terms among all the topics' strongest terms; 1 where there are none."""
    names = [entry.term for terms in tops for entry in terms]
    return len(set(names)) / len(names) if names else 1.0


def representatives(strongest: Array, weights: Array, topic: int, n: int) -> Array:
    """The documents with the most weight in a topic, those first that have it as their ``strongest``."""
    weight = weights[:, topic]
    own = strongest == topic
    groups = (np.flatnonzero(group & (weight > 0)) for group in (own, ~own))
    return np.concatenate([group[largest(weight[group], n)] for group in groups])[:n]
