"""Two models side by side: topics matched by assignment, and what moved between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from partwise.linalg.matching import assign, largest, unit_columns
from partwise.storage.settings import Plain
from partwise.types import Array

if TYPE_CHECKING:
    from partwise.text.topic_model import TopicModel


@dataclass(frozen=True)
class Match:
    """A topic of the first model and the topic of the second that it is matched with."""

    topic: int
    name: str
    other: int
    other_name: str
    cosine: float
    """Over the terms that both vocabularies have."""
    gained: tuple[str, ...]
    """Among the strongest terms in the second model only."""
    lost: tuple[str, ...]
    """Among the strongest terms in the first model only."""
    share: float
    other_share: float


@dataclass(frozen=True)
class Moved:
    """A document of both models whose strongest topic is not the one that its old topic is matched with."""

    id: str
    title: str
    topic: int | None
    """Its topic in the first model."""
    other: int | None
    """Its topic in the second."""


@dataclass(frozen=True)
class Comparison:
    """What became of the topics of one model in another."""

    matches: tuple[Match, ...]
    """The closest pairs first."""
    only_first: tuple[tuple[int, str], ...]
    """Topics of the first model that are matched with none."""
    only_second: tuple[tuple[int, str], ...]
    moved: tuple[Moved, ...]
    shared_documents: int
    shared_terms: int
    terms: tuple[int, int]
    """The sizes of the two vocabularies."""

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def shared(first: Sequence[str], second: Sequence[str]) -> tuple[Array, Array]:
    """The positions in both lists of what is in both, in the order of the first."""
    positions = {key: i for i, key in enumerate(second)}
    pairs = [(i, positions[key]) for i, key in enumerate(first) if key in positions]
    columns = np.array(pairs, np.int64).reshape(-1, 2).T
    return columns[0], columns[1]


def assigned(w: Array, other: Array) -> list[tuple[int, int, float]]:
    """Columns matched so that the sum of the cosines is greatest: (column, other column, cosine), closest first."""
    cosines = unit_columns(w).T @ unit_columns(other)
    pairs = [(int(r), int(c), float(cosines[r, c])) for r, c in zip(*assign(cosines), strict=True)]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[0]))


def compare_models(first: TopicModel, second: TopicModel, n: int) -> Comparison:
    """Match the topics of two models over the terms that both have, and follow the documents that both have."""
    terms, other_terms = shared(first.vocabulary.keys, second.vocabulary.keys)
    if not len(terms):
        raise ValueError("The two models have no term in common, so there is nothing to compare.")
    pairs = assigned(first.factorization.w[terms], second.factorization.w[other_terms])
    documents, others = shared(first.collection.ids, second.collection.ids)
    return Comparison(
        matches=tuple(_match(first, second, a, b, cosine, n) for a, b, cosine in pairs),
        only_first=_rest(first.names, {a for a, _, _ in pairs}),
        only_second=_rest(second.names, {b for _, b, _ in pairs}),
        moved=_moved(first, second, documents, others, {a: b for a, b, _ in pairs}),
        shared_documents=len(documents),
        shared_terms=len(terms),
        terms=(len(first.terms), len(second.terms)),
    )


def _match(first: TopicModel, second: TopicModel, topic: int, other: int, cosine: float, n: int) -> Match:
    """A pair of topics; terms are compared by their keys, since a stem may be shown differently in the two."""
    before, after = _strongest(first, topic, n), _strongest(second, other, n)
    return Match(
        topic=topic,
        name=first.names[topic],
        other=other,
        other_name=second.names[other],
        cosine=cosine,
        gained=tuple(term for key, term in after.items() if key not in before),
        lost=tuple(term for key, term in before.items() if key not in after),
        share=float(first.shares[topic]),
        other_share=float(second.shares[other]),
    )


def _strongest(model: TopicModel, topic: int, n: int) -> dict[str, str]:
    """The keys of a topic's ``n`` strongest terms, each with the term as it is shown."""
    column, vocabulary = model.factorization.w[:, topic], model.vocabulary
    order = [int(i) for i in largest(column, n) if column[i] > 0]
    return {vocabulary.keys[i]: vocabulary.terms[i] for i in order}


def _rest(names: Sequence[str], matched: set[int]) -> tuple[tuple[int, str], ...]:
    return tuple((topic, name) for topic, name in enumerate(names) if topic not in matched)


def _moved(
    first: TopicModel, second: TopicModel, documents: Array, others: Array, matched: dict[int, int]
) -> tuple[Moved, ...]:
    """The shared documents whose topic in the second model is not the one that their old topic became."""
    ids, titles = first.collection.ids, first.collection.titles
    old, new = first.strongest.topic[documents], second.strongest.topic[others]
    expected = np.array([matched.get(int(topic), -1 if topic < 0 else -2) for topic in old])
    return tuple(
        Moved(ids[i], titles[i], _topic_or_none(a), _topic_or_none(b))
        for i, a, b in zip(documents[expected != new], old[expected != new], new[expected != new], strict=True)
    )


def _topic_or_none(topic: int) -> int | None:
    return None if topic < 0 else int(topic)
