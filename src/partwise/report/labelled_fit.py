"""A topic model or a bare factorisation in one form: the fit with labels for its rows, columns and parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.data.write import ArrayOrSparse
from partwise.plot.layout import check_picture, part_shares
from partwise.result.factorization import Factorization
from partwise.text.topic_model import TopicModel
from partwise.types import Array

TEXT_NOUNS = {"part": "topic", "row": "term", "column": "document"}
MATRIX_NOUNS = {"part": "part", "row": "row", "column": "column"}


@dataclass(frozen=True, eq=False)
class LabelledFit:
    """A factorisation with the labels of its rows, columns and parts."""

    fit: Factorization
    names: tuple[str, ...]
    rows: Sequence[str] = field(repr=False)
    ids: Sequence[str] = field(repr=False)
    titles: Sequence[str] = field(repr=False)
    labels: Sequence[str] = field(repr=False)
    snippets: Sequence[str] = field(repr=False)
    shares: Array
    matrix: ArrayOrSparse | None = field(default=None, repr=False)
    """A (m × n), dense or sparse; None where it is not known."""
    model: TopicModel | None = None
    shape: tuple[int, int] | None = None

    @property
    def nouns(self) -> dict[str, str]:
        """What parts, rows and columns are called."""
        return MATRIX_NOUNS if self.model is None else TEXT_NOUNS


def label_fit(
    model: TopicModel | Factorization,
    matrix: ArrayOrSparse | None = None,
    shape: tuple[int, int] | None = None,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> LabelledFit:
    """Check the arguments of a report and bring them into one form."""
    if isinstance(model, TopicModel):
        if any(extra is not None for extra in (matrix, shape, rows, columns)):
            raise ValueError("matrix, shape, rows and columns are for a bare factorisation; a topic model has its own.")
        return _label_model(model)
    if not isinstance(model, Factorization):
        raise TypeError(f"A report is made of a TopicModel or a Factorization, not of {type(model).__name__}.")
    return _label_factorization(model, matrix, shape, rows, columns)


def _label_model(model: TopicModel) -> LabelledFit:
    texts = model.collection
    return LabelledFit(
        fit=model.factorization,
        names=model.names,
        rows=model.terms,
        ids=texts.ids,
        titles=texts.titles,
        labels=texts.labels,
        snippets=texts.snippets,
        shares=model.shares,
        matrix=texts.in_memory(),
        model=model,
    )


def _label_factorization(
    fit: Factorization,
    matrix: ArrayOrSparse | None,
    shape: object,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
) -> LabelledFit:
    size = None if shape is None else check_picture(shape, len(fit.w))
    if matrix is not None:
        matrix_shape = as_data(matrix).shape
        if matrix_shape != (len(fit.w), len(fit.h)):
            raise ValueError(
                f"The matrix is {matrix_shape[0]:,} × {matrix_shape[1]:,}, but the factorisation is of one that is "
                f"{len(fit.w):,} × {len(fit.h):,}; give the matrix that was factored."
            )
        matrix = sp.csr_array(matrix) if sp.issparse(matrix) else np.asarray(matrix)
    row_names = _labels("rows", rows, len(fit.w), "row")
    ids = _labels("columns", columns, len(fit.h), "column")
    blank = ("",) * len(ids)
    names = part_names(fit.w, row_names) if rows is not None else tuple(f"part {c}" for c in range(fit.rank))
    return LabelledFit(fit, names, row_names, ids, blank, blank, blank, part_shares(fit.w, fit.h), matrix, shape=size)


def part_names(w: Array, rows: Sequence[str]) -> tuple[str, ...]:
    """Each part named by the labels of its two strongest rows."""
    return tuple(
        ", ".join(rows[int(i)] for i in np.argsort(-column, kind="stable")[:2] if column[i] > 0) or "(empty)"
        for column in w.T
    )


def _labels(name: str, labels: Sequence[str] | None, count: int, noun: str) -> tuple[str, ...]:
    if labels is None:
        return tuple(f"{noun} {i}" for i in range(count))
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes)):
        raise TypeError(f"{name} must be a list of labels, not {type(labels).__name__}.")
    texts = tuple(map(str, labels))
    if len(texts) != count:
        raise ValueError(f"There are {len(texts):,} labels for {count:,} {noun}s; give one for each.")
    return texts
