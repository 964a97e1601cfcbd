"""``Collection``: the matrix of documents, wherever it lies, and what is kept of each text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from partwise.data.as_data import as_data
from partwise.text.document import Document
from partwise.text.stop_words import AUTO, LANGUAGE
from partwise.text.term_stream import narrow
from partwise.text.vocabulary import Vocabulary
from partwise.text.weighting import Weighting
from partwise.threads.pool import Workers
from partwise.types import Array, Data

SHORT = 2**16
SNIPPET = 200
SINGLE = 2**19
"""Entries from which on A is in single precision, in which a model file keeps it: a fit takes a quarter less time and
ends at the same error, but has other kernels, which the first such run must compile."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents as columns of A, with their names; the texts themselves are not kept."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    labels: tuple[str, ...]
    snippets: tuple[str, ...]
    """The first characters of each text, on one line."""
    A: sp.csr_array | Data = field(repr=False)
    """terms × documents, in the :func:`precision` of its entries: a sparse matrix in memory, or data on disk or on the
    workers of a cluster, not loaded."""
    vocabulary: Vocabulary = field(repr=False)
    empty: tuple[int, ...]
    """The documents without any term of the vocabulary."""
    duplicates: tuple[tuple[int, int], ...]
    """(document, the first with the same text)"""

    def remarks(self) -> tuple[str, ...]:
        """What a person should know about single documents, one sentence each."""
        sentences = []
        if self.empty:
            count = _count(len(self.empty), "has no term", "have no term")
            sentences.append(f"{count} of the vocabulary (first: {self.ids[self.empty[0]]}).")
        if self.duplicates:
            copy, first = self.duplicates[0]
            count = _count(len(self.duplicates), "is an exact copy of another", "are exact copies of others")
            sentences.append(f"{count} (first: {self.ids[copy]} of {self.ids[first]}).")
        return tuple(sentences)

    def column(self, document: int) -> Array:
        """The column of one document, in the single precision in which a model file keeps it, as float64."""
        if sp.issparse(self.A):
            column = sp.csr_array(self.A)[:, [document]].toarray().ravel()
        else:
            column = as_data(self.A).T.rows(document, document + 1)[0]
        values: Array = column.astype(np.float32).astype(np.float64)
        return values

    def term_rows(self, terms: Array) -> sp.csr_array:
        """The rows of A of some terms, given in increasing order: one pass where A is not in memory."""
        if sp.issparse(self.A):
            return sp.csr_array(self.A)[terms]
        with Workers(1) as workers:
            return sp.csr_array(as_data(self.A).some(terms, workers))

    @cached_property
    def lengths(self) -> Array | None:
        """The lengths of the documents' columns; None where all are 1 or 0."""
        if self.vocabulary.weighting.normalize:
            return None
        lengths: Array = np.sqrt(as_data(self.A, zero=True).T.row_norms2)
        return lengths

    @cached_property
    def copies(self) -> dict[int, tuple[int, ...]]:
        """document -> the later documents with the same text, where there are any."""
        groups: dict[int, list[int]] = {}
        for copy, first in self.duplicates:
            groups.setdefault(first, []).append(copy)
        return {first: tuple(later) for first, later in groups.items()}

    @cached_property
    def _copy_pairs(self) -> Array:
        return np.array(self.duplicates, np.intp).reshape(-1, 2)

    def hidden(self, document: int | None = None) -> Array:
        """What an answer leaves out: copies of other documents, and all documents with the text of the given one."""
        later, first = self._copy_pairs.T
        return later if document is None else np.concatenate([later, [document], first[later == document]])

    def without(self, words: Sequence[str]) -> Collection:
        """This collection in memory as if some words were stop words; every term that holds one is left out."""
        vocabulary = self.vocabulary
        weighting = replace(
            vocabulary.weighting,
            stop_words=LANGUAGE if vocabulary.weighting.stop_words == AUTO else vocabulary.weighting.stop_words,
            further_stop_words=(*vocabulary.weighting.further_stop_words, *words),
        )
        dropped = set(words)
        kept = np.flatnonzero([not dropped & set(term.split(" ")) for term in vocabulary.terms])
        matrix = sp.csr_array(self.A)[kept]
        lengths = np.sqrt(np.bincount(matrix.indices, matrix.data**2, matrix.shape[1]))
        if weighting.normalize:
            matrix.data /= lengths[matrix.indices]
        smaller = replace(
            vocabulary,
            weighting=weighting,
            terms=tuple(vocabulary.terms[i] for i in kept),
            keys=tuple(vocabulary.keys[i] for i in kept),
            global_weights=vocabulary.global_weights[kept],
        )
        return replace(self, A=matrix, vocabulary=smaller, empty=tuple(map(int, np.flatnonzero(lengths == 0))))

    def in_memory(self) -> sp.csr_array:
        """All of A in single precision, gathered part by part where it lies on disk or on workers."""
        if sp.issparse(self.A):
            return sp.csr_array(self.A).astype(np.float32, copy=False)
        values, documents, counts = gather(as_data(self.A), np.empty)
        starts = narrow(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))
        return sp.csr_array((values, documents, starts), shape=self.A.shape)


def precision(entries: int) -> np.dtype[Any]:
    """The type of numbers of a matrix of texts with so many entries: one rule in memory, on disk and on a cluster."""
    return np.dtype(np.float64 if entries < SINGLE else np.float32)


def collect(
    documents: Iterable[Document],
    weighting: Weighting | None = None,
    *,
    threads: int | None = None,
    named: Callable[[Names], None] | None = None,
) -> Collection:
    """Read documents in one pass; only their names, first words and counts are kept.

    ``named`` is called with the names as soon as the last document is read, before the terms are counted.
    """
    builder = CollectionBuilder(named)
    vocabulary, matrix = (weighting or Weighting()).fit(builder.texts(documents), threads=threads)
    empty = np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0
    matrix = matrix.astype(precision(matrix.nnz), copy=False)
    return builder.collection(vocabulary, matrix, empty)


class DocumentRecord(NamedTuple):
    """What is kept of a document."""

    id: str
    title: str
    label: str
    snippet: str
    digest: str
    """A hash of the text, by which copies are found; "" for a blank text."""

    @classmethod
    def of(cls, document: Document) -> DocumentRecord:
        """The names of a document, its first characters and its hash."""
        text = document.text.encode("utf-8", "surrogatepass") if document.text.strip() else b""
        digest = hashlib.blake2b(text, digest_size=16).hexdigest() if text else ""
        return cls(document.id, document.title, document.label, snippet(document.text), digest)


def snippet(text: str, length: int = SNIPPET) -> str:
    """The first characters of a text, on one line."""
    line = " ".join(text[: length + length // 4].split())  # most texts need no more
    return (line if len(line) >= length else " ".join(text[: 4 * length].split()))[:length]


class Names(NamedTuple):
    """What is kept of the texts of a collection, one string a document; the fields are those of a collection."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    labels: tuple[str, ...]
    snippets: tuple[str, ...]


class CollectionBuilder:
    """Gathers the records of documents and finds copies; blank documents are not copies of each other."""

    def __init__(self, named: Callable[[Names], None] | None = None) -> None:
        self._named = named
        self._ids: dict[str, int] = {}
        self._records: list[tuple[str, str, str]] = []
        self._duplicates: list[tuple[int, int]] = []
        self._first: dict[str, int] = {}

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        """The texts of documents, whose records are added on the way."""
        for document in documents:
            self.add(DocumentRecord.of(document))
            yield document.text
        if self._named is not None and self._records:
            self._named(self.names)

    def add(self, record: DocumentRecord) -> None:
        """Add one document; an id that is taken is refused."""
        number = len(self._ids)
        if record.id in self._ids:
            raise ValueError(
                f"Documents {self._ids[record.id] + 1} and {number + 1} have the same id {record.id!r}; "
                "choose another column for the ids, or none."
            )
        self._ids[record.id] = number
        self._records.append((record.title, record.label, record.snippet))
        if record.digest and (first := self._first.setdefault(record.digest, number)) != number:
            self._duplicates.append((number, first))

    @cached_property
    def names(self) -> Names:
        """The names of all documents, once the last one has been added."""
        return Names(tuple(self._ids), *zip(*self._records, strict=True))

    def collection(self, vocabulary: Vocabulary, matrix: sp.csr_array | Data, empty: Array) -> Collection:
        """The collection with its matrix; ``empty`` is True for a document without any term."""
        indices, duplicates = tuple(map(int, np.flatnonzero(empty))), tuple(self._duplicates)
        return Collection(*self.names, matrix, vocabulary, indices, duplicates)


def column_type(columns: int) -> np.dtype[Any]:
    """The type of column indices in a file: 16 bits where they suffice, as small as 32 bits become by compressing."""
    return np.dtype(np.uint16 if columns <= SHORT else np.int32)


def gather(data: Data, allocate: Callable[[int, DTypeLike], Array]) -> tuple[Array, Array, Array]:
    """(values, column indices, entries of each row) of data that come in parts, as CSR in single precision.

    The parts are read twice, one at a time: for the length of each row, then to copy their pieces of the rows into the
    arrays of ``allocate``, which may lie on disk.
    """
    counts = np.zeros(data.shape[0], np.int64)
    for rows, _, part in _csr_parts(data):
        counts[rows] += np.diff(part.indptr)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    values, columns = allocate(total, np.float32), allocate(total, column_type(data.shape[1]))
    filled = ends - counts
    for rows, first, part in _csr_parts(data):
        lengths = np.diff(part.indptr)
        positions = np.repeat(filled[rows] - part.indptr[:-1], lengths) + np.arange(part.nnz)
        values[positions] = part.data
        columns[positions] = part.indices + first
        filled[rows] += lengths
    return values, columns, counts.astype(np.int32)


def _csr_parts(data: Data) -> Iterator[tuple[slice, int, sp.csr_array]]:
    """(rows, first column, their entries) of each part; it is valid until the next one is asked for."""
    with Workers(1) as workers:
        for lo, hi, part in data.parts():
            entries = sp.csr_array(part.some(np.arange(part.shape[0]), workers))
            yield (slice(lo, hi), 0, entries) if data.split == 0 else (slice(None), lo, entries)


def _count(number: int, one: str, several: str) -> str:
    return f"1 document {one}" if number == 1 else f"{number:,} documents {several}"
