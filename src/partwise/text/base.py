"""What a topic model and its SVD baseline share: documents as points of a small space, and the way to the nearest."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from partwise.arguments import check_seed
from partwise.text.collection import Collection, collect, in_memory
from partwise.text.document import Document
from partwise.text.query import near_words, query_column, unknown_words
from partwise.text.search import Answer, Hit, best, cosines
from partwise.text.weighting import Vocabulary, Weighting
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

    @abstractmethod
    def fold_in(self, matrix: Any) -> Array:
        """The rows of other documents, the columns of ``matrix`` (terms × documents)."""

    @abstractmethod
    def _factor(self, collection: Collection) -> None:
        """Find the space of a collection."""

    @abstractmethod
    def _mixture(self, rows: Array) -> Array:
        """What to show of rows: parts of topics, or coordinates."""

    @abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file that needs no training texts, whole or not at all."""

    def check(self) -> None:
        """Refuse settings that cannot work, before anything is read."""
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise ValueError(f"k must be a whole number of at least 1, not {self.k!r}.")
        if not isinstance(self.weighting, Weighting):
            raise TypeError(f"weighting must be a partwise.text.Weighting, not {self.weighting!r}.")
        check_seed(self.seed)
        thread_count(self.threads)

    def fit(self, texts: Iterable[str | Document], labels: Sequence[Any] | None = None) -> Self:
        """Fit texts, or Documents with ids and titles; ``labels`` are what clusters are compared with."""
        self.check()
        if labels is not None and isinstance(texts, Sized):
            as_labels(labels, len(texts))
        collection = collect(as_documents(texts), self.weighting)
        if labels is not None:
            collection = replace(collection, labels=as_labels(labels, len(collection.ids)))
        return self.fit_collection(collection)

    def fit_collection(self, collection: Collection) -> Self:
        """Fit a collection that has been read already."""
        self.check()
        terms, documents = collection.A.shape
        filled = documents - len(collection.empty)
        if self.k > min(terms, filled):
            raise ValueError(
                f"k = {self.k} is more than this collection can give: it has {filled:,} "
                f"{'document' if filled == 1 else 'documents'} with known terms and {terms:,} "
                f"{'term' if terms == 1 else 'terms'}; choose a smaller k."
            )
        self._factor(collection)
        self.weighting = collection.vocabulary.weighting
        self._collection = replace(collection, A=in_memory(collection.A))
        return self

    @property
    def collection(self) -> Collection:
        """The documents that were fitted: names, first words, and A in single precision; not the texts."""
        if self._collection is None:
            raise ValueError(f"This {type(self).__name__} has not been fitted; call fit(texts) first.")
        return self._collection

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms and their weights."""
        return self.collection.vocabulary

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms, in the order of W's rows."""
        return self.vocabulary.terms

    def index(self, document: int | str) -> int:
        """The place of a document, given that or its id."""
        ids = self.collection.ids
        if isinstance(document, (int, np.integer)) and not isinstance(document, bool):
            if 0 <= document < len(ids):
                return int(document)
            raise ValueError(
                f"There is no document {document}; the model has {len(ids):,}, from 0 to {len(ids) - 1:,}."
            )
        if document in ids:
            return ids.index(document)
        near = get_close_matches(str(document), ids, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f" among the {len(ids):,} of the model."
        raise ValueError(f"There is no document with the id {document!r}{hint}")

    def transform(self, texts: Iterable[str | Document]) -> Array:
        """The rows of new texts, one a text: weights for topics of length 1, zeros where no term is known."""
        return self._rows(self.vocabulary.transform(document.text for document in as_documents(texts)))

    def search(self, query: str, n: int = 10) -> Answer:
        """The ``n`` documents nearest to a query: the cosine of W h_q and W h_d."""
        column = self._known(query)
        row = self.fold_in(sp.csr_array(column[:, None]))[0]
        if not row.any():
            raise ValueError(f"The words of the query {query!r} play no part in any topic; use others.")
        unknown = unknown_words(self.vocabulary, query)
        return self._answer(query, row, n, unknown=unknown)

    def similar(self, document: int | str, n: int = 10) -> Answer:
        """The ``n`` documents nearest to one of the collection, itself left out."""
        index = self.index(document)
        row = self.coordinates[index]
        if not row.any():
            raise ValueError(f"The document {self.collection.ids[index]!r} has no term that plays a part in a topic.")
        return self._answer(self.collection.ids[index], row, n, without=index)

    def _known(self, query: str) -> Array:
        """The column of a query, refused in a sentence where no term is known."""
        if not isinstance(query, str):
            raise TypeError(f"A query is a text, not {type(query).__name__}.")
        column = query_column(self.vocabulary, query)
        if not column.any():
            near = near_words(self.vocabulary, unknown_words(self.vocabulary, query))
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "use others."
            raise ValueError(f"No word of the query {query!r} is a term of this model; {hint}")
        return column

    def _answer(
        self, query: str, row: Array, n: int, *, without: int | None = None, unknown: tuple[str, ...] = ()
    ) -> Answer:
        scores = cosines(self.gram, row, self.coordinates)
        hits = tuple(self._hit(int(i), float(scores[i])) for i in best(scores, n, without))
        return Answer(query, hits, tuple(map(float, self._mixture(row[None])[0])), unknown)

    def _hit(self, i: int, score: float) -> Hit:
        kept = self.collection
        topic, degree = self._place(i)
        return Hit(i, kept.ids[i], kept.titles[i], score, topic, degree, kept.labels[i], kept.snippets[i])

    def _place(self, i: int) -> tuple[int | None, float | None]:
        """The strongest topic of a document and its degree, where there are topics."""
        return None, None

    def _rows(self, matrix: Any) -> Array:
        """The rows as ``transform`` gives them."""
        return self.fold_in(matrix)


def as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    """Documents as they are, texts with their place as the id."""
    if isinstance(texts, (str, bytes, Document)):
        raise TypeError("One text was given where several are expected; put it in a list.")
    for number, text in enumerate(texts):
        if isinstance(text, Document):
            yield text
        elif isinstance(text, str):
            yield Document(str(number), text)
        else:
            raise TypeError(f"Text {number} is {type(text).__name__}; give strings or partwise.text.Document.")


def as_labels(labels: Sequence[Any], count: int) -> tuple[str, ...]:
    """One label a document as a string, None as the empty one."""
    found = tuple("" if label is None else str(label) for label in labels)
    if len(found) != count:
        raise ValueError(f"There are {len(found):,} labels for {count:,} documents; give one for each.")
    return found
