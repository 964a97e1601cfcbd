"""Two models side by side: topics matched by assignment, and what moved between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.measures import unit_columns
from partwise.types import Array

if TYPE_CHECKING:
    from partwise.text.model import TopicModel
    from partwise.text.topics import Topics


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

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def shared(first: Sequence[str], second: Sequence[str]) -> tuple[Array, Array]:
    """The places in both lists of what is in both, in the order of the first."""
    at = {key: i for i, key in enumerate(second)}
    pairs = [(i, at[key]) for i, key in enumerate(first) if key in at]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def assigned(w: Array, other: Array) -> list[tuple[int, int, float]]:
    """Columns matched so that the sum of the cosines is greatest: (column, other column, cosine), closest first."""
    from scipy.optimize import linear_sum_assignment  # imported late: it takes a quarter of a second

    cosines = unit_columns(w).T @ unit_columns(other)
    rows, columns = linear_sum_assignment(-cosines)
    found = [(int(r), int(c), float(cosines[r, c])) for r, c in zip(rows, columns, strict=True)]
    return sorted(found, key=lambda pair: (-pair[2], pair[0]))


def compare(first: TopicModel, second: TopicModel, n: int) -> Comparison:
    """Match the topics of two models over the terms that both have, and follow the documents that both have."""
    here, there = shared(first.vocabulary.keys, second.vocabulary.keys)
    if not len(here):
        raise ValueError("The two models have no term in common, so there is nothing to compare.")
    pairs = assigned(first.factorization.w[here], second.factorization.w[there])
    before, after = first.topics(n, 0), second.topics(n, 0)
    tops = [[{found.term for found in topic.terms} for topic in found] for found in (before, after)]
    matches = tuple(
        Match(
            a, before[a].name, b, after[b].name, cosine,
            gained=tuple(found.term for found in after[b].terms if found.term not in tops[0][a]),
            lost=tuple(found.term for found in before[a].terms if found.term not in tops[1][b]),
            share=before[a].share, other_share=after[b].share,
        )
        for a, b, cosine in pairs
    )  # fmt: skip
    documents, others = shared(first.collection.ids, second.collection.ids)
    return Comparison(
        matches=matches,
        only_first=_rest(before, {a for a, _, _ in pairs}),
        only_second=_rest(after, {b for _, b, _ in pairs}),
        moved=_moved(first, second, documents, others, {a: b for a, b, _ in pairs}),
        shared_documents=len(documents),
        shared_terms=len(here),
        terms=(len(first.terms), len(second.terms)),
    )


def _rest(found: Topics, matched: set[int]) -> tuple[tuple[int, str], ...]:
    return tuple((topic.topic, topic.name) for topic in found if topic.topic not in matched)


def _moved(
    first: TopicModel, second: TopicModel, documents: Array, others: Array, to: dict[int, int]
) -> tuple[Moved, ...]:
    """The shared documents whose topic in the second model is not the one that their old topic became."""
    kept = first.collection
    old, new = first.strongest.topic[documents], second.strongest.topic[others]
    expected = np.array([to.get(int(topic), -1 if topic < 0 else -2) for topic in old])
    return tuple(
        Moved(kept.ids[i], kept.titles[i], _known(a), _known(b))
        for i, a, b in zip(documents[expected != new], old[expected != new], new[expected != new], strict=True)
    )


def _known(topic: int) -> int | None:
    return None if topic < 0 else int(topic)
