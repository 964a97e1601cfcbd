"""``TopicModel``: documents as mixtures of topics, with descriptions, clusters, search and explanations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.base import Algorithm
from partwise.arguments import MOST_RUNS, choose, whole_number
from partwise.data.products import gram_of
from partwise.engine.checkpoint import place
from partwise.engine.stopping import Rule
from partwise.factorize import factorize
from partwise.inits.table import as_init
from partwise.linalg.matching import unit_columns
from partwise.losses.table import algorithm_for
from partwise.plot import Plots
from partwise.plot.html import rows_html
from partwise.result.certificate import Certificate
from partwise.result.factorization import Factorization
from partwise.text.clusters import WAYS, Clusters, clusters_of, space_clusters
from partwise.text.collection import Collection
from partwise.text.comparison import Comparison, compare_models
from partwise.text.document import as_labels
from partwise.text.explain import Explanation, explain_column
from partwise.text.mixtures import Strongest, degrees, order_by_share, unit_weights
from partwise.text.stop_words import AUTO
from partwise.text.swamping import swamping_words
from partwise.text.text_model import TextModel
from partwise.text.topics import (
    Example,
    Topic,
    Topics,
    diversity,
    representatives,
    short_names,
    specificity,
    strongest_terms,
    topic_coherence,
)
from partwise.text.weighting import Weighting
from partwise.types import Array


class TopicModel(TextModel):
    """Documents as mixtures of k topics, A ≈ W H with W, H ≥ 0.

    Parameters
    ----------
    k : how many topics.
    weighting : which words count, and how much.
    algorithm, loss, init, stop, restarts, seed, threads, checkpoint, every : as :func:`partwise.factorize` takes them.

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
        algorithm: str | Algorithm | None = None,
        loss: str | None = None,
        init: Any = None,
        stop: Rule | Sequence[Rule] | None = None,
        restarts: int = 1,
        seed: int | None = 0,
        threads: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        every: int | None = None,
    ) -> None:
        super().__init__(k, weighting, seed, threads)
        self.algorithm = algorithm
        self.loss = loss
        self.init = init
        self.stop = stop
        self.restarts = restarts
        self.checkpoint, self.every = checkpoint, every

    def check(self) -> None:
        """Refuse settings that cannot work, before anything is read."""
        super().check()
        algorithm_for(self.algorithm, self.loss), as_init(self.init)
        whole_number("restarts", self.restarts, most=MOST_RUNS)
        if self.every is not None:
            whole_number("every", self.every, hint="or None")
        if self.checkpoint is not None:
            place(self.checkpoint)

    def fit_collection(self, collection: Collection) -> Self:
        """Fit a collection that has been read already; with the stop words "auto" again without the words it finds."""
        super().fit_collection(collection)
        if self.weighting.stop_words == AUTO and (words := self.swamping_words()):
            super().fit_collection(collection.without(words))
        return self

    def swamping_words(self) -> tuple[str, ...]:
        """Words that stand in most topics, candidates for stop words: :mod:`partwise.text.swamping` has the rule."""
        return swamping_words(self.factorization.w, self.terms)

    def _factor(self, collection: Collection) -> None:
        fit = factorize(
            collection.A,
            self.k,
            algorithm=self.algorithm,
            loss=self.loss,
            init=self.init,
            stop=self.stop,
            restarts=self.restarts,
            seed=self.seed,
            threads=self.threads,
            checkpoint=self.checkpoint,
            every=self.every,
            settle=True,
        )
        self._set_factorization(order_by_share(replace(fit, w=np.asarray(fit.w), h=np.asarray(fit.h))))

    def _set_factorization(self, fit: Factorization) -> None:
        self._factorization = fit
        for name in ("gram", "lengths", "_points", "weights", "degrees", "strongest", "names"):
            vars(self).pop(name, None)

    @property
    def factorization(self) -> Factorization:
        """W, H, the history, the certificate."""
        if self._factorization is None:
            raise ValueError("This TopicModel has not been fitted; call fit(texts) first.")
        return self._factorization

    @property
    def certificate(self) -> Certificate:
        """Error, convergence and dead or duplicate topics of the factorisation."""
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
        """The weights divided by their sum; zeros for a document without a known term."""
        return degrees(self.weights)

    @cached_property
    def strongest(self) -> Strongest:
        """Each document's strongest topic, its degree and its margin."""
        return Strongest.of(self.degrees)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A short name for each topic."""
        scores = specificity(self.factorization.w)
        return short_names([strongest_terms(column, self.terms, 12) for column in scores.T])

    def fold_in(self, matrix: sp.csr_array) -> Array:
        """The rows of h for the columns of a matrix of these terms: the exact half-step with this W."""
        matrix = matrix.astype(self.factorization.w.dtype, copy=False)
        return np.ascontiguousarray(self.factorization.transform(matrix, threads=self.threads).T)

    def _transformed(self, matrix: sp.csr_array) -> Array:
        return unit_weights(self.factorization.w, self.fold_in(matrix))

    def _mixture(self, rows: Array) -> Array:
        return degrees(rows * np.sqrt(np.diag(self.gram)))

    def _strongest_topic(self, i: int) -> tuple[int | None, float | None]:
        mixture = self._mixture(self.coordinates[i : i + 1])[0]  # of this document alone: a query shows a few
        topic = int(mixture.argmax())
        return (topic if mixture.any() else None), float(mixture[topic])

    def _carrier(self, row: Array, i: int) -> int | None:
        shared = self.coordinates[i] * (self.gram @ row)
        return int(shared.argmax()) if shared.any() else None

    def topics(self, n: int = 10, documents: int = 3) -> Topics:
        """Each topic: ``n`` terms by weight and by specificity, share, coherence, and ``documents`` examples."""
        whole_number("n", n)
        whole_number("documents", documents, 0)
        w = self.factorization.w
        top_terms = [strongest_terms(column, self.terms, n) for column in unit_columns(w).T]
        specific_terms = [strongest_terms(column, self.terms, n) for column in specificity(w).T]
        coherence = topic_coherence(self.collection, w, n)
        columns = zip(self.names, top_terms, specific_terms, self.shares, self.sizes, coherence, strict=True)
        topics = tuple(
            Topic(c, name, terms, specific, float(share), size, npmi, self._examples(c, documents))
            for c, (name, terms, specific, share, size, npmi) in enumerate(columns)
        )
        known = [npmi for npmi in coherence if npmi is not None]
        return Topics(topics, diversity(top_terms), float(np.mean(known)) if known else None)

    @property
    def shares(self) -> Array:
        """The mean degree of each topic over the documents that have a topic."""
        known = self.strongest.topic >= 0
        share: Array = self.degrees[known].mean(axis=0) if known.any() else np.zeros(self.degrees.shape[1])
        return share

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many documents have each topic as their strongest."""
        return self.strongest.sizes(self.degrees.shape[1])

    def _examples(self, topic: int, n: int) -> tuple[Example, ...]:
        ids, titles, snippets = self.collection.ids, self.collection.titles, self.collection.snippets
        return tuple(
            Example(int(i), ids[i], titles[i], float(self.degrees[i, topic]), snippets[i])
            for i in representatives(self.strongest.topic, self.weights, topic, n)
        )

    def clusters(self, labels: Sequence[object] | None = None, by: str = WAYS[0]) -> Clusters:
        """Every document with its topic; purity, NMI and ARI where there are labels, those of the fit unless given.

        ``by`` is "topics", a document's strongest topic, or "space", which goes on from there by k-means in the SVD's
        space and agrees better with labels that people gave (docs/retrieval.md).
        """
        choose("way to make clusters", by, dict.fromkeys(WAYS))
        collection = self.collection
        if labels is not None:
            collection = replace(collection, labels=as_labels(labels, len(collection.ids)))
        topic = self.strongest.topic
        if by == "space":
            topic = space_clusters(collection.A, topic, len(self.names), self.threads)
        return clusters_of(collection, topic, self.degrees, self.names, by)

    def explain(self, document: int | str, n: int = 8) -> Explanation:
        """The topics of a document of the collection, and which of its terms contribute to each."""
        i, collection = self.index(document), self.collection
        return self._explained(collection.ids[i], collection.titles[i], collection.column(i), self.coordinates[i], n)

    def explain_text(self, text: str, n: int = 8) -> Explanation:
        """The same for a text that is not in the collection."""
        column = self._query_column(text)
        return self._explained("", "", column, self.fold_in(sp.csr_array(column[:, None]))[0], n)

    def _explained(self, id_: str, title: str, column: Array, row: Array, n: int) -> Explanation:
        whole_number("n", n)
        topics, explained = explain_column(column, self.factorization.w, row, self.terms, self.names, n)
        return Explanation(id_, title, topics, explained)

    def compare(self, other: TopicModel, n: int = 10) -> Comparison:
        """What became of these topics in another model: matched topics, terms, shares, and documents that moved."""
        if not isinstance(other, TopicModel):
            raise TypeError(f"A topic model is compared with a topic model, not with {type(other).__name__}.")
        return compare_models(self, other, whole_number("n", n))

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

        model_files.save_topic_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TopicModel:
        """Read a model that :meth:`save` wrote; nothing in the file is run."""
        from partwise.text import model_files

        return model_files.load_topic_model(path)
