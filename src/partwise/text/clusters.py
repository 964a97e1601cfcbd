"""Every document gets a topic, a degree and a margin; with labels, how well the topics agree with them.

``topics`` gives a document its strongest topic. ``space`` goes on from there by k-means among the directions of the
documents in the SVD's space, so that each cluster keeps the number and the name of the topic it began as. The SVD has
twice as many dimensions as there are topics, and tells documents apart that the topics alone do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import scipy.sparse as sp

from partwise.linalg.matching import unit_columns
from partwise.linalg.svd import truncated_svd
from partwise.storage.settings import Plain
from partwise.text.collection import Collection
from partwise.types import Array, Data

WAYS = ("space", "topics")
"""How documents get their topics; the first is the default, which agreed best with labels (docs/retrieval.md)."""
DIMENSIONS, TOLERANCE, ROUNDS = 2, 1e-3, 100
"""Dimensions of the SVD for each topic, the tolerance of its singular values, and the most rounds of k-means."""


@dataclass(frozen=True)
class Membership:
    """One document: its topic (None where no term of it is known), the topic's degree, its lead over all others.

    The lead is negative where ``space`` gave the document another topic than its strongest.
    """

    index: int
    id: str
    title: str
    label: str
    topic: int | None
    degree: float
    margin: float


@dataclass(frozen=True)
class LabelScores:
    """Agreement of topics and labels; documents without a topic or a label are left out and counted."""

    purity: float
    """The share of the documents that carry the commonest label of their topic."""
    nmi: float
    """Mutual information over the mean of the two entropies."""
    ari: float
    """The Rand index, adjusted for chance (Hubert and Arabie 1985)."""
    documents: int
    left_out: int


@dataclass(frozen=True)
class Clusters:
    """Every document with its topic; iterate over it, or look at ``sizes`` and ``scores``."""

    documents: tuple[Membership, ...]
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    """How many documents each topic has."""
    unassigned: int
    """Documents without any known term."""
    scores: LabelScores | None
    by: str = "topics"
    """How documents got their topics, one of ``WAYS``."""

    def __iter__(self) -> Iterator[Membership]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    def as_dict(self) -> dict[str, Plain]:
        """Plain numbers and words, ready for JSON."""
        return asdict(self)


def clusters_of(collection: Collection, topic: Array, degrees: Array, names: tuple[str, ...], by: str) -> Clusters:
    """Every document of a collection with its topic (−1: none), compared with the labels of the collection."""
    columns = (collection.ids, collection.titles, collection.labels)
    own, others = np.where(topic >= 0, degrees[np.arange(len(topic)), topic], 0.0), degrees.copy()
    others[np.arange(len(topic)), topic] = 0
    rows = zip(*columns, topic, own, own - others.max(axis=1), strict=True)
    documents = tuple(
        Membership(i, id_, title, label, None if c < 0 else int(c), float(degree), float(margin))
        for i, (id_, title, label, c, degree, margin) in enumerate(rows)
    )
    sizes = tuple(map(int, np.bincount(topic[topic >= 0], minlength=len(names))))
    scores = label_scores(topic, collection.labels)
    return Clusters(documents, names, sizes, int((topic < 0).sum()), scores, by)


def space_clusters(A: sp.csr_array | Data, topic: Array, count: int, threads: int | None = None) -> Array:
    """Topics (−1: none) by k-means from the given ones among the directions of the rows of V S; −1 stays."""
    rank = min(DIMENSIONS * count, *A.shape)
    svd = truncated_svd(A, rank, tol=TOLERANCE, threads=threads)
    points = unit_columns((svd.v * svd.s).T).T
    topic = topic.copy()
    known = np.flatnonzero(topic >= 0)
    for _ in range(ROUNDS):
        sizes = np.bincount(topic[known], minlength=count)
        members = sp.csr_array((np.ones(len(known)), (topic[known], known)), shape=(count, len(topic)))
        centres = members @ points / np.maximum(sizes, 1)[:, None]
        distance = np.einsum("ij,ij->i", centres, centres) - 2 * points[known] @ centres.T
        distance[:, sizes == 0] = np.inf
        nearest = distance.argmin(axis=1)
        if np.array_equal(nearest, topic[known]):
            break
        topic[known] = nearest
    return topic


def label_scores(topics: Array, labels: Sequence[str]) -> LabelScores | None:
    """Compare strongest topics (−1: none) with labels ("": none); None where no document has both."""
    labelled = np.array([bool(label) for label in labels])
    known = labelled & (np.asarray(topics) >= 0)
    if not known.any():
        return None
    table = contingency(np.asarray(topics)[known], np.asarray(labels, object)[known].astype(str))
    return LabelScores(
        purity=float(table.max(axis=1).sum() / table.sum()),
        nmi=normalized_mutual_information(table),
        ari=adjusted_rand_index(table),
        documents=int(known.sum()),
        left_out=int(len(known) - known.sum()),
    )


def contingency(first: Array, second: Array) -> Array:
    """How many items each value of ``first`` (rows) shares with each value of ``second`` (columns)."""
    rows, row = np.unique(first, return_inverse=True)
    columns, column = np.unique(second, return_inverse=True)
    table = np.zeros((len(rows), len(columns)), np.int64)
    np.add.at(table, (row, column), 1)
    return table


def normalized_mutual_information(table: Array) -> float:
    """I / ((H₁ + H₂) / 2) of a contingency table; 1 where both sides have a single value."""
    joint = table / table.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    entropies = _entropy(rows) + _entropy(columns)
    if entropies == 0:
        return 1.0
    positive = joint > 0
    mutual = float((joint[positive] * np.log(joint[positive] / np.outer(rows, columns)[positive])).sum())
    return max(0.0, 2 * mutual / entropies)


def adjusted_rand_index(table: Array) -> float:
    """(pairs together in both − expected) / (mean of the two sides − expected); 1 where nothing can differ."""
    together = _pairs(table).sum()
    rows, columns = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    total = _pairs(np.array([table.sum()])).sum()
    expected = rows * columns / total if total else 0.0
    mean = (rows + columns) / 2
    return 1.0 if mean == expected else float((together - expected) / (mean - expected))


def _entropy(shares: Array) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def _pairs(counts: Array) -> Array:
    pairs: Array = counts * (counts - 1.0) / 2
    return pairs
