"""``TextModel``: what a topic model and LSI share, documents as points in k dimensions and search."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence, Sized
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp

from partwise.arguments import check_seed, is_whole, shortened, whole_number
from partwise.data.as_data import as_data
from partwise.text.collection import Collection, collect
from partwise.text.document import Document, as_documents, as_labels
from partwise.text.search import SHOWN_WORDS, Answer, Hit, best, check_blend, cosines, metric_lengths, word_cosines
from partwise.text.vocabulary import Vocabulary
from partwise.text.weighting import TokenizerFunction, Weighting
from partwise.threads.pool import thread_count
from partwise.types import Array


class TextModel(ABC):
    """A collection as A ≈ W h: a document is a row of ``coordinates``, and ``gram`` = WᵀW is the metric."""

    KIND: ClassVar[str]
    _collection: Collection | None = None

    def __init__(self, k: int, weighting: Weighting | None, seed: int | None, threads: int | None) -> None:
        self.k = k
        self.weighting = weighting if weighting is not None else Weighting()
        self.seed = seed
        self.threads = threads

    @property
    @abstractmethod
    def gram(self) -> Array:
        """WᵀW, k × k."""

    @property
    @abstractmethod
    def coordinates(self) -> Array:
        """One row a document, n × k."""

    @cached_property
    def lengths(self) -> Array:
        """‖W h_d‖ for every document."""
        return metric_lengths(self.gram, self.coordinates)

    @cached_property
    def _points(self) -> Array | sp.csr_array:
        """The coordinates, without their zeros where those are many: a product with them is what a query costs."""
        few = np.count_nonzero(self.coordinates) < 0.5 * self.coordinates.size
        return sp.csr_array(self.coordinates, dtype=np.float64) if few else self.coordinates

    @abstractmethod
    def fold_in(self, matrix: sp.csr_array) -> Array:
        """The coordinates of other documents, the columns of ``matrix`` (terms × documents)."""

    @abstractmethod
    def _factor(self, collection: Collection) -> None:
        """Factor the matrix of a collection."""

    @abstractmethod
    def _mixture(self, rows: Array) -> Array:
        """What is shown of coordinates: degrees of topics, or the coordinates themselves."""

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file that needs no training texts, whole or not at all."""

    def check(self) -> None:
        """Refuse settings that cannot work, before anything is read."""
        whole_number("k", self.k)
        if not isinstance(self.weighting, Weighting):
            raise TypeError(f"weighting must be a partwise.text.Weighting, not {shortened(repr(self.weighting))}.")
        check_seed(self.seed)
        thread_count(self.threads)

    def fit(self, texts: Iterable[str | Document], labels: Sequence[object] | None = None) -> Self:
        """Fit texts, or Documents with ids and titles; ``labels`` are what clusters are compared with."""
        self.check()
        if labels is not None and isinstance(texts, Sized):
            as_labels(labels, len(texts))
        collection = collect(as_documents(texts), self.weighting)
        if labels is not None:
            collection = replace(collection, labels=as_labels(labels, len(collection.ids)))
        return self.fit_collection(collection)

    def fit_collection(self, collection: Collection) -> Self:
        """Fit a collection that has been read already.

        A matrix in memory is kept in single precision. One on disk or on a cluster stays there: ``topics`` and
        ``explain`` read a few rows or a column of it, so its files or workers are needed until ``save`` has written it.
        """
        self.check()
        terms, documents = collection.A.shape
        nonempty = documents - len(collection.empty)
        if self.k > min(terms, nonempty):
            raise ValueError(
                f"k = {self.k} is more than this collection can give: it has {nonempty:,} "
                f"{'document' if nonempty == 1 else 'documents'} with known terms and {terms:,} "
                f"{'term' if terms == 1 else 'terms'}; choose a smaller k."
            )
        self._factor(collection)
        self.weighting = collection.vocabulary.weighting
        in_memory = sp.issparse(collection.A)
        self._collection = replace(collection, A=collection.in_memory() if in_memory else as_data(collection.A))
        return self

    @property
    def collection(self) -> Collection:
        """The documents that were fitted: names, first words, and A; not the texts."""
        if self._collection is None:
            raise ValueError(f"This {type(self).__name__} has not been fitted; call fit(texts) first.")
        return self._collection

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms and their weights."""
        return self.collection.vocabulary

    def use_tokenizer(self, tokenizer: TokenizerFunction) -> None:
        """Give a loaded model the tokenizer it was fitted with, text -> list of words; a file keeps its name alone."""
        self.weighting = replace(self.weighting, tokenizer=tokenizer)
        vocabulary = replace(self.vocabulary, weighting=self.weighting)
        self._collection = replace(self.collection, vocabulary=vocabulary)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, in the order of W's rows."""
        return self.vocabulary.terms

    def index(self, document: int | str) -> int:
        """The index of a document, given that, its id, or its title where no other document has the same."""
        ids, titles = self.collection.ids, self.collection.titles
        if is_whole(document):
            if 0 <= int(document) < len(ids):
                return int(document)
            raise ValueError(
                f"There is no document {document}; the model has {len(ids):,}, from 0 to {len(ids) - 1:,}."
            )
        if isinstance(document, str) and document in ids:
            return ids.index(document)
        titled = [i for i, title in enumerate(titles) if title and title == document]
        if len(titled) == 1:
            return titled[0]
        if titled:
            some = " or ".join(repr(ids[i]) for i in titled[:2])
            raise ValueError(f"{len(titled):,} documents have the title {document!r}; name one by its id, {some}.")
        near = get_close_matches(str(document), (*ids, *filter(None, titles)), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f" among the {len(ids):,} of the model."
        raise ValueError(f"There is no document with the id {document!r}{hint}")

    def transform(self, texts: Iterable[str | Document]) -> Array:
        """The weights of new texts for topics of length 1, one row a text; zeros where no term is known."""
        return self._transformed(self.vocabulary.transform(document.text for document in as_documents(texts)))

    def search(self, query: str, n: int = 10, blend: float | None = None) -> Answer:
        """The ``n`` documents nearest to a query by words and topics: (1 − β) cos(a_q, a_d) + β cos(W h_q, W h_d).

        ``blend`` is β: 0 looks at the words alone, 1 at the topics alone; by default it depends on k
        (:func:`partwise.text.search.default_blend`). Where no word of the query plays a part in a topic β is 0. A hit
        says which words of the query it holds, which topic carried it, and which documents are exact copies of it.
        """
        column = self._query_column(query)
        row = self.fold_in(sp.csr_array(column[:, None]))[0]
        unknown = self.vocabulary.unknown_words(query)
        answer = self._answer(query, column, row, n, blend)
        return replace(answer, unknown=unknown, suggestions=self.vocabulary.suggestions(unknown)) if unknown else answer

    def similar(self, document: int | str, n: int = 10, blend: float | None = None) -> Answer:
        """The ``n`` documents nearest to one of the collection, itself and its exact copies left out.

        ``blend`` and what a hit says are as in :meth:`search`.
        """
        index = self.index(document)
        column = self.collection.column(index)
        if not column.any():
            raise ValueError(f"The document {self.collection.ids[index]!r} has no term of the vocabulary.")
        return self._answer(self.collection.ids[index], column, self.coordinates[index], n, blend, without=index)

    def _query_column(self, query: str) -> Array:
        """The column of A for a query; one without any known term is refused."""
        if not isinstance(query, str):
            raise TypeError(f"A query is a text, not {type(query).__name__}.")
        column = self.vocabulary.column(query)
        if not column.any():
            suggestions = self.vocabulary.suggestions(self.vocabulary.unknown_words(query), 1)
            near = dict.fromkeys(words[0] for words in suggestions.values())
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "use others."
            raise ValueError(f"No word of the query {shortened(repr(query))} is a term of this model; {hint}")
        return column

    def _answer(
        self, query: str, column: Array, row: Array, n: int, blend: float | None, without: int | None = None
    ) -> Answer:
        beta = check_blend(blend, self.gram.shape[0])
        beta = beta if row.any() else 0.0
        terms = np.flatnonzero(column)
        rows, weights = self.collection.term_rows(terms).astype(np.float32, copy=False), column[terms]
        words = word_cosines(rows, weights, self.collection.lengths)
        topics = cosines(self.gram, row, self._points, self.lengths)
        scores = (1 - beta) * words + beta * topics
        chosen = best(scores, n, self.collection.hidden(without), words)
        summands = rows[:, chosen].toarray().T * weights
        hits = tuple(
            replace(
                self._hit(int(i), float(scores[i])),
                words=tuple(self.terms[terms[t]] for t in np.argsort(-own, kind="stable")[:SHOWN_WORDS] if own[t] > 0),
                carrier=self._carrier(row, int(i)),
                word_score=float(words[i]),
                topic_score=float(topics[i]),
            )
            for i, own in zip(chosen, summands, strict=True)
        )
        return Answer(query, hits, tuple(map(float, self._mixture(row[None])[0])), blend=beta)

    def _hit(self, i: int, score: float) -> Hit:
        collection, (topic, degree) = self.collection, self._strongest_topic(i)
        id_, title, label = collection.ids[i], collection.titles[i], collection.labels[i]
        copies = tuple(collection.ids[copy] for copy in collection.copies.get(i, ()))
        return Hit(i, id_, title, score, topic, degree, label, collection.snippets[i], copies=copies)

    def _carrier(self, row: Array, i: int) -> int | None:
        """The topic that a query, given by its coordinates, and a document share most, where there are topics."""
        return None

    def _strongest_topic(self, i: int) -> tuple[int | None, float | None]:
        """The strongest topic of a document and its degree, where there are topics."""
        return None, None

    def _transformed(self, matrix: sp.csr_array) -> Array:
        """The rows that ``transform`` returns."""
        return self.fold_in(matrix)
