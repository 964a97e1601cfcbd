"""A pile of documents taken in: the matrix, and what is worth keeping of each text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from partwise.text.document import Document
from partwise.text.weighting import Vocabulary, Weighting
from partwise.types import Array

SNIPPET = 200
Row: TypeAlias = tuple[str, str, str, str, str]
"""id, title, label, snippet, mark"""


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents as columns of A, with their names; the texts themselves are gone."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    labels: tuple[str, ...]
    snippets: tuple[str, ...]
    """The first characters of each text, on one line."""
    A: Any = field(repr=False)
    """terms × documents: a sparse matrix in memory, or before a fit one on disk or on the workers of a cluster."""
    vocabulary: Vocabulary = field(repr=False)
    empty: tuple[int, ...]
    """The documents without any term of the vocabulary."""
    duplicates: tuple[tuple[int, int], ...]
    """(document, the first with the same text)"""

    def remarks(self) -> tuple[str, ...]:
        """What a person should know about single documents, one sentence each."""
        found = []
        if self.empty:
            many = _many(len(self.empty), "has no term", "have no term")
            found.append(f"{many} of the vocabulary (first: {self.ids[self.empty[0]]}).")
        if self.duplicates:
            copy, first = self.duplicates[0]
            many = _many(len(self.duplicates), "is an exact copy of another", "are exact copies of others")
            found.append(f"{many} (first: {self.ids[copy]} of {self.ids[first]}).")
        return tuple(found)


def collect(documents: Iterable[Document], weighting: Weighting | None = None) -> Collection:
    """Read documents in one pass; only their names, first words and counts are kept."""
    intake = Intake()
    vocabulary, matrix = (weighting or Weighting()).fit(intake.texts(documents))
    empty = np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0
    return intake.collection(vocabulary, matrix, empty)


def snippet(text: str, length: int = SNIPPET) -> str:
    """The first characters of a text, white space squeezed."""
    return " ".join(text[: 4 * length].split())[:length]


def noted(document: Document) -> Row:
    """What is kept of a document: its names, its first words, and a mark by which a copy is known."""
    text = document.text
    mark = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if text.strip() else ""
    return document.id, document.title, document.label, snippet(text), mark


class Intake:
    """What was noted of each document, and which of them are copies; empty ones are not copies of each other."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._rest: list[tuple[str, str, str]] = []
        self._duplicates: list[tuple[int, int]] = []
        self._first: dict[str, int] = {}

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        """The texts as they pass by."""
        for document in documents:
            self.add(noted(document))
            yield document.text

    def add(self, row: Row) -> None:
        """Take one document in; an id that was there before is refused."""
        number = len(self._ids)
        id, *rest, mark = row
        if id in self._ids:
            raise ValueError(
                f"Documents {self._ids[id] + 1} and {number + 1} have the same id {id!r}; "
                "choose another column for the ids, or none."
            )
        self._ids[id] = number
        self._rest.append((rest[0], rest[1], rest[2]))
        if mark and (first := self._first.setdefault(mark, number)) != number:
            self._duplicates.append((number, first))

    def collection(self, vocabulary: Vocabulary, matrix: Any, empty: Array) -> Collection:
        """All of it with its matrix; ``empty`` says of each document whether it has no term."""
        titles, labels, snippets = zip(*self._rest, strict=True)
        without, copies = tuple(map(int, np.flatnonzero(empty))), tuple(self._duplicates)
        return Collection(tuple(self._ids), titles, labels, snippets, matrix, vocabulary, without, copies)


def in_memory(matrix: Any) -> sp.csr_array:
    """A in single precision, brought here part by part where it lies on disk or on workers."""
    if sp.issparse(matrix):
        return sp.csr_array(matrix.astype(np.float32))
    columns = [_copied(part) for _, _, part in matrix.T.parts()]
    return sp.csr_array(sp.vstack(columns, format="csr").T.tocsr())


def _copied(part: Any) -> sp.csr_array:
    """A part that comes in buffers which the next part will use again."""
    indptr, indices, values = part.arrays
    return sp.csr_array((values.astype(np.float32), indices.copy(), indptr.copy()), shape=part.shape)


def _many(count: int, one: str, more: str) -> str:
    return f"1 document {one}" if count == 1 else f"{count:,} documents {more}"
