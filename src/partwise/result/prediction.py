"""Entries of WH: at given pairs, and the largest of a row or a column."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.as_data import in_memory
from partwise.data.sparse_structure import check_structure
from partwise.result.certificate import KnownEntries
from partwise.types import Array


@dataclass(frozen=True)
class Recommendation:
    """A row or a column, and its entry of WH."""

    index: int
    score: float


def predicted(w: Any, h: Any, rows: Any, columns: Any, known: KnownEntries | None) -> Array:
    """(WH) at pairs; the mean where one side of a pair has no weights at all."""
    w, h = in_memory(w), in_memory(h)
    i, j = np.broadcast_arrays(_places(rows, len(w), "row"), _places(columns, len(h), "column"))
    values = np.einsum("...k,...k->...", w[i], h[j])
    if known is None:
        return np.asarray(values)
    cold_rows, cold_columns = ~w.any(axis=1), ~h.any(axis=1)
    cold = cold_rows[i] | cold_columns[j]
    if cold.any():
        _warn_cold(int(cold_rows[i].sum()), int(cold_columns[j].sum()), known.mean)
    return np.where(cold, known.mean, values)


def recommended(w: Any, h: Any, column: int | None, n: int, row: int | None, known: Any) -> list[Recommendation]:
    """The n largest entries of a column of WH, or of a row, without those that are stored in ``known``."""
    if (column is None) == (row is None):
        raise ValueError("Give a column to recommend rows for, or row=... to recommend columns for.")
    w, h, n = in_memory(w), in_memory(h), whole_number("n", n)
    rows, columns = (w, h) if column is not None else (h, w)
    place = int(_places(row if column is None else column, len(columns), "row" if column is None else "column"))
    scores = np.where(rows.any(axis=1), rows @ columns[place], -np.inf)
    if known is not None:
        scores = np.where(_stored(known, (len(w), len(h)), place, 1 if column is not None else 0), -np.inf, scores)
    best = np.argsort(-scores, kind="stable")[:n]
    return [Recommendation(int(i), float(scores[i])) for i in best if np.isfinite(scores[i])]


def _places(places: Any, size: int, name: str) -> Array:
    """Indices as an array, each inside."""
    array = np.asarray(places)
    if array.dtype.kind not in "iu":
        raise TypeError(f"A {name} must be a whole number, or an array of them.")
    if array.size and (array.min() < 0 or array.max() >= size):
        raise ValueError(f"There are {size:,} {name}s, from 0 to {size - 1:,}; {int(array.max())} is none of them.")
    return array


def _stored(known: Any, shape: tuple[int, int], place: int, axis: int) -> Array:
    """Whether each entry of a column (axis 1) or a row is known: stored in a sparse matrix, neither 0 nor NaN else."""
    if np.shape(known) != shape:
        raise ValueError(f"known must be {shape[0]} × {shape[1]}, as the matrix that was fitted.")
    if sp.issparse(known):
        check_structure(known, "known")
    else:
        line = np.asarray(known)[:, place] if axis else np.asarray(known)[place]
        return np.asarray((line != 0) & (line == line))
    entries = known.tocoo()
    across, along = (entries.row, entries.col) if axis else (entries.col, entries.row)
    there = np.zeros(shape[1 - axis], bool)
    there[across[along == place]] = True
    return there


def _warn_cold(rows: int, columns: int, mean: float) -> None:
    parts = [f"{count:,} {name}" for count, name in ((rows, "rows"), (columns, "columns")) if count]
    warnings.warn(
        f"Nothing was known of {' and '.join(parts)} of these pairs; the mean {mean:.4g} stands for them.",
        stacklevel=4,
    )
