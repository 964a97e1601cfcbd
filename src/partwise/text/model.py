"""``TopicModel``: topics, clusters and search from a pile of documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import as_algorithm
from partwise.arguments import whole_number
from partwise.data.as_data import as_data
from partwise.data.products import gram_of
from partwise.engine.checkpoint import place
from partwise.factorize import DEFAULT_ALGORITHM, factorize
from partwise.inits.table import as_init
from partwise.linalg.matching import unit_columns
from partwise.plot import Plots
from partwise.plot.html import rows_html
from partwise.result.coherence import npmi_coherence
from partwise.result.factorization import Factorization
from partwise.text.base import TextModel, as_labels
from partwise.text.clusters import Clusters, Membership, label_scores
from partwise.text.collection import Collection
from partwise.text.comparison import Comparison, compare
from partwise.text.explain import Explanation, explain_column
from partwise.text.mixtures import Strongest, degrees, unit_weights
from partwise.text.ordering import by_share
from partwise.text.query import query_column
from partwise.text.topics import (
    Example,
    Topic,
    Topics,
    diversity,
    representatives,
    short_names,
    specificity,
    strongest_terms,
)
from partwise.text.weighting import Weighting
from partwise.types import Array


class TopicModel(TextModel):
    """Documents as mixtures of k topics, A ≈ W H with W, H ≥ 0.

    Parameters
    ----------
    k : how many topics.
    weighting : which words count, and how much.
    algorithm, init, stop, restarts, seed, threads, checkpoint, every : as :func:`partwise.factorize` takes them.

    Topics are numbered in the order of their share of the collection, the largest first; ``factorization`` holds W
    (terms × topics), H (topics × documents), the certificate and the history.
    """

    KIND = "partwise topic model"
    _factorization: Factorization | None = None

    def __init__(
        self,
        k: int = 10,
        *,
        weighting: Weighting | None = None,
        algorithm: str | Algorithm = DEFAULT_ALGORITHM,
        init: Any = None,
        stop: Any = None,
        restarts: int = 1,
        seed: int | None = 0,
        threads: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        every: int | None = None,
    ) -> None:
        super().__init__(k, weighting, seed, threads)
        self.algorithm = algorithm
        self.init = init
        self.stop = stop
        self.restarts = restarts
        self.checkpoint, self.every = checkpoint, every

    def check(self) -> None:
        """Refuse settings that cannot work, before anything is read."""
        super().check()
        as_algorithm(self.algorithm), as_init(self.init)
        whole_number("restarts", self.restarts)
        if self.every is not None:
            whole_number("every", self.every, hint="or None")
        if self.checkpoint is not None:
            place(self.checkpoint)

    def _factor(self, collection: Collection) -> None:
        settings = {"algorithm": self.algorithm, "init": self.init, "stop": self.stop, "restarts": self.restarts}
        settings |= {"checkpoint": self.checkpoint, "every": self.every}
        found = factorize(collection.A, self.k, seed=self.seed, threads=self.threads, settle=True, **settings)
        self._keep(by_share(replace(found, w=np.asarray(found.w), h=np.asarray(found.h))))

    def _keep(self, found: Factorization) -> None:
        self._factorization = found
        for name in ("gram", "weights", "degrees", "strongest", "_names"):
            vars(self).pop(name, None)

    @property
    def factorization(self) -> Factorization:
        """W, H, the history, the certificate."""
        if self._factorization is None:
            raise ValueError("This TopicModel has not been fitted; call fit(texts) first.")
        return self._factorization

    @property
    def certificate(self) -> Any:
        """What the factorisation is worth."""
        return self.factorization.certificate

    @cached_property
    def gram(self) -> Array:
        """WᵀW, k × k."""
        return gram_of(self.factorization.w)

    @property
    def coordinates(self) -> Array:
        """Hᵀ, one row a document."""
        return self.factorization.h

    @cached_property
    def weights(self) -> Array:
        """The documents' weights for topics of length 1, n × k."""
        return unit_weights(self.factorization.w, self.factorization.h)

    @cached_property
    def degrees(self) -> Array:
        """The weights as parts of 1; zeros for a document without a known term."""
        return degrees(self.weights)

    @cached_property
    def strongest(self) -> Strongest:
        """Each document's strongest topic, its degree and its margin."""
        return Strongest.of(self.degrees)

    @property
    def names(self) -> tuple[str, ...]:
        """A short name for each topic."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        scores = specificity(self.factorization.w)
        return short_names([strongest_terms(column, self.terms, 12) for column in scores.T])

    def fold_in(self, matrix: Any) -> Array:
        """The rows of h for the columns of a matrix of these terms: the exact half-step with this W."""
        return np.ascontiguousarray(self.factorization.transform(matrix, threads=self.threads).T)

    def _rows(self, matrix: Any) -> Array:
        return unit_weights(self.factorization.w, self.fold_in(matrix))

    def _mixture(self, rows: Array) -> Array:
        return degrees(unit_weights(self.factorization.w, rows))

    def _place(self, i: int) -> tuple[int | None, float | None]:
        topic = int(self.strongest.topic[i])
        return (None if topic < 0 else topic), float(self.strongest.degree[i])

    def topics(self, n: int = 10, documents: int = 3) -> Topics:
        """What each topic is about: ``n`` terms by weight and by specificity, and ``documents`` that show it."""
        w, share = self.factorization.w, self.shares
        unit, specific = unit_columns(w), specificity(w)
        tops = [strongest_terms(column, self.terms, n) for column in unit.T]
        special = [strongest_terms(column, self.terms, n) for column in specific.T]
        coherence = [None if np.isnan(c) else float(c) for c in npmi_coherence(as_data(self.collection.A), w, n)]
        columns = zip(self.names, tops, special, share, self.sizes, coherence, strict=True)
        found = tuple(
            Topic(c, name, terms, own, float(part), size, npmi, self._shown(c, documents))
            for c, (name, terms, own, part, size, npmi) in enumerate(columns)
        )
        known = [c for c in coherence if c is not None]
        return Topics(found, diversity(tops), float(np.mean(known)) if known else None)

    @property
    def shares(self) -> Array:
        """The mean degree of each topic over the documents that have a topic."""
        known = self.strongest.topic >= 0
        share: Array = self.degrees[known].mean(axis=0) if known.any() else np.zeros(self.degrees.shape[1])
        return share

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many documents have each topic as their strongest."""
        topic = self.strongest.topic
        return tuple(map(int, np.bincount(topic[topic >= 0], minlength=self.degrees.shape[1])))

    def _shown(self, topic: int, n: int) -> tuple[Example, ...]:
        kept = self.collection
        return tuple(
            Example(int(i), kept.ids[i], kept.titles[i], float(self.degrees[i, topic]), kept.snippets[i])
            for i in representatives(self.degrees, self.weights, topic, n)
        )

    def clusters(self, labels: Sequence[Any] | None = None) -> Clusters:
        """Every document with its topic; purity, NMI and ARI where there are labels, those of the fit unless given."""
        kept, found = self.collection, self.strongest
        names = kept.labels if labels is None else as_labels(labels, len(kept.ids))
        rows = zip(kept.ids, kept.titles, names, found.topic, found.degree, found.margin, strict=True)
        documents = tuple(
            Membership(i, id_, title, label, None if topic < 0 else int(topic), float(degree), float(margin))
            for i, (id_, title, label, topic, degree, margin) in enumerate(rows)
        )
        unassigned = int((found.topic < 0).sum())
        return Clusters(documents, self.names, self.sizes, unassigned, label_scores(found.topic, names))

    def explain(self, document: int | str, n: int = 8) -> Explanation:
        """Which topics a document of the collection has, and which of its terms carried them."""
        i, kept = self.index(document), self.collection
        column = kept.A[:, [i]].toarray().ravel().astype(np.float64)
        return self._explained(kept.ids[i], kept.titles[i], column, self.coordinates[i], n)

    def explain_text(self, text: str, n: int = 8) -> Explanation:
        """The same for a text that is not in the collection."""
        self._known(text)
        column = query_column(self.vocabulary, text)
        return self._explained("", "", column, self.fold_in(sp.csr_array(column[:, None]))[0], n)

    def _explained(self, id_: str, title: str, column: Array, row: Array, n: int) -> Explanation:
        parts, explained = explain_column(column, self.factorization.w, row, self.terms, self.names, n)
        return Explanation(id_, title, parts, explained)

    def compare(self, other: TopicModel, n: int = 10) -> Comparison:
        """What became of these topics in another model: matched topics, terms, shares, and documents that moved."""
        if not isinstance(other, TopicModel):
            raise TypeError(f"A topic model is compared with a topic model, not with {type(other).__name__}.")
        return compare(self, other, n)

    @property
    def plot(self) -> Plots:
        """Pictures as plotly figures, with the topics' names."""
        return Plots(self.factorization, self.names, lambda: self.shares)

    def _repr_html_(self) -> str:
        if self._factorization is None:
            return rows_html(f"TopicModel with {self.k} topics, not fitted", [])
        columns = zip(self.names, self.shares, self.sizes, strict=True)
        rows = [(str(c), name, f"{share:.1%}", f"{size:,}") for c, (name, share, size) in enumerate(columns)]
        return rows_html(f"TopicModel of {len(self.collection.ids):,} documents", rows, ("", "topic", "share", "docs"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file of arrays and JSON, whole or not at all; no training texts are needed to use it."""
        from partwise.text import model_files

        model_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TopicModel:
        """Read a model that :meth:`save` wrote; nothing in the file is run."""
        from partwise.text import model_files

        return model_files.load_topic_model(path)
