"""A pile of documents taken in: the matrix, and what is worth keeping of each text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.documents import Document
from partwise.text.weighting import Vocabulary, Weighting

SNIPPET = 200


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents as columns of A, with their names; the texts themselves are gone."""

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    labels: tuple[str, ...]
    snippets: tuple[str, ...]
    """The first characters of each text, on one line."""
    A: sp.csr_array = field(repr=False)
    """terms × documents"""
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
    intake = _Intake()
    vocabulary, matrix = (weighting or Weighting()).fit(intake.texts(documents))
    empty = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0)
    return Collection(
        tuple(intake.ids),
        tuple(intake.titles),
        tuple(intake.labels),
        tuple(intake.snippets),
        matrix,
        vocabulary,
        tuple(map(int, empty)),
        tuple(intake.duplicates),
    )


def snippet(text: str, length: int = SNIPPET) -> str:
    """The first characters of a text, white space squeezed."""
    return " ".join(text[: 4 * length].split())[:length]


class _Intake:
    """What is noted of each document as it passes by."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.titles: list[str] = []
        self.labels: list[str] = []
        self.snippets: list[str] = []
        self.duplicates: list[tuple[int, int]] = []
        self._first: dict[bytes, int] = {}

    def texts(self, documents: Iterable[Document]) -> Iterator[str]:
        for number, document in enumerate(documents):
            if document.id in self.ids:
                raise ValueError(
                    f"Documents {self.ids[document.id] + 1} and {number + 1} have the same id {document.id!r}; "
                    "choose another column for the ids, or none."
                )
            self.ids[document.id] = number
            self.titles.append(document.title)
            self.labels.append(document.label)
            self.snippets.append(snippet(document.text))
            self._compare(number, document.text)
            yield document.text

    def _compare(self, number: int, text: str) -> None:
        """Note a text that was there before; empty ones are not copies of each other."""
        if text.strip():
            mark = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            first = self._first.setdefault(mark, number)
            if first != number:
                self.duplicates.append((number, first))


def _many(count: int, one: str, more: str) -> str:
    return f"1 document {one}" if count == 1 else f"{count:,} documents {more}"
