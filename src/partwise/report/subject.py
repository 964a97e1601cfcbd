"""What a page is about: a topic model or a bare factorisation, seen through the same window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.plot.layout import check_picture, part_shares
from partwise.result.factorization import Factorization
from partwise.text.model import TopicModel
from partwise.types import Array

TEXT_NOUNS = {"part": "topic", "row": "term", "column": "document"}
MATRIX_NOUNS = {"part": "part", "row": "row", "column": "column"}


@dataclass(frozen=True, eq=False)
class Subject:
    """A factorisation with the names of its rows, columns and parts."""

    fit: Factorization
    names: tuple[str, ...]
    rows: Sequence[str] = field(repr=False)
    ids: Sequence[str] = field(repr=False)
    titles: Sequence[str] = field(repr=False)
    labels: Sequence[str] = field(repr=False)
    snippets: Sequence[str] = field(repr=False)
    shares: Array
    matrix: Any = field(default=None, repr=False)
    """A (m × n), dense or sparse, where it is known."""
    model: TopicModel | None = None
    shape: tuple[int, int] | None = None

    @property
    def nouns(self) -> dict[str, str]:
        """What parts, rows and columns are called."""
        return MATRIX_NOUNS if self.model is None else TEXT_NOUNS


def subject_of(
    given: TopicModel | Factorization,
    matrix: Any = None,
    shape: tuple[int, int] | None = None,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Subject:
    """Check what was given and bring it into one form."""
    if isinstance(given, TopicModel):
        if any(extra is not None for extra in (matrix, shape, rows, columns)):
            raise ValueError("matrix, shape, rows and columns are for a bare factorisation; a topic model has its own.")
        return _of_model(given)
    if not isinstance(given, Factorization):
        raise TypeError(f"A report is made of a TopicModel or a Factorization, not of {type(given).__name__}.")
    return _of_fit(given, matrix, shape, rows, columns)


def _of_model(model: TopicModel) -> Subject:
    kept, fit = model.collection, model.factorization
    return Subject(
        fit, model.names, model.terms, kept.ids, kept.titles, kept.labels, kept.snippets, model.shares, kept.A, model
    )


def _of_fit(
    fit: Factorization, matrix: Any, shape: Any, rows: Sequence[str] | None, columns: Sequence[str] | None
) -> Subject:
    if shape is not None:
        check_picture(shape, len(fit.w))
    if matrix is not None:
        found = as_data(matrix).shape
        if found != (len(fit.w), len(fit.h)):
            raise ValueError(
                f"The matrix is {found[0]:,} × {found[1]:,}, but the factorisation is of one that is "
                f"{len(fit.w):,} × {len(fit.h):,}; give the matrix that was factored."
            )
        matrix = sp.csr_array(matrix) if sp.issparse(matrix) else np.asarray(matrix)
    row_names = _labels("rows", rows, len(fit.w), "row")
    ids = _labels("columns", columns, len(fit.h), "column")
    none = ("",) * len(ids)
    names = part_names(fit.w, row_names) if rows is not None else tuple(f"part {c}" for c in range(fit.rank))
    size = (int(shape[0]), int(shape[1])) if shape is not None else None
    return Subject(fit, names, row_names, ids, none, none, none, part_shares(fit.w, fit.h), matrix, shape=size)


def part_names(w: Array, rows: Sequence[str]) -> tuple[str, ...]:
    """Each part by its two strongest labelled rows."""
    return tuple(
        ", ".join(rows[int(i)] for i in np.argsort(-column, kind="stable")[:2] if column[i] > 0) or "(empty)"
        for column in w.T
    )


def _labels(name: str, given: Sequence[str] | None, count: int, noun: str) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{noun} {i}" for i in range(count))
    if isinstance(given, str):
        raise TypeError(f"{name} must be a list of labels, not one text.")
    found = tuple(map(str, given))
    if len(found) != count:
        raise ValueError(f"There are {len(found):,} labels for {count:,} {noun}s; give one for each.")
    return found
