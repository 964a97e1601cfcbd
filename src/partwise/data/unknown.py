"""``observed``: a matrix with unknown entries or weights, checked, as data of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import choose, number
from partwise.data.as_data import as_data, from_frame, is_dask, is_own
from partwise.data.base import Matrix
from partwise.data.dense import DenseData
from partwise.data.entry_checks import as_numbers, check_shape, float_type, refuse_bad_entry
from partwise.data.observed import Observed
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.types import Array, Data

MISSING = {"nan": "NaN is unknown", "zeros": "what is not stored is unknown"}


@dataclass(frozen=True)
class Knowledge:
    """Which entries of a matrix are known and what the others weigh, apart from the weights themselves."""

    missing: str | None = None
    weighted: bool = False
    unstored: float = 0.0

    def __bool__(self) -> bool:
        return self.missing is not None or self.weighted

    def entries(self, matrix: Any, weights: Any = None) -> Observed:
        """A matrix in memory, or a part of one, with its weights."""
        if self.weighted:
            data = _weighted(matrix, self.missing, weights, self.unstored)
        else:
            data = _stored_alone(matrix) if self.missing == "zeros" else _without_nan(matrix)
        data.missing = self.missing
        return data


def knowledge(matrix: Any, missing: str | None, weights: Any, unstored: float | None) -> Knowledge:
    """What ``missing``, ``weights`` and ``unstored`` say of a matrix; what they cannot mean is refused."""
    if missing is not None:
        choose("kind of missing entries", missing, MISSING)
    if weights is None:
        if unstored is not None:
            raise ValueError("unstored is the weight of what weights does not store; give weights too.")
        return Knowledge(missing)
    if missing == "zeros":
        raise ValueError('With weights, missing="zeros" says nothing: leave out of a sparse weights what is unknown.')
    others = 0.0 if unstored is None else number("unstored", unstored)
    if others > 0 and isinstance(weights, np.ndarray):
        raise ValueError("unstored is the weight of what a sparse weights does not store; these are dense.")
    if np.shape(weights) != np.shape(matrix):
        sizes = [" × ".join(map(str, np.shape(array))) or "a number" for array in (weights, matrix)]
        raise ValueError(f"The weights are {sizes[0]}, the matrix {sizes[1]}; they must have the same shape.")
    return Knowledge(missing, True, others)


def observed(matrix: Any, *, missing: str | None = None, weights: Any = None, unstored: float | None = None) -> Any:
    """A matrix with unknown entries or weights, for every function of partwise that takes a matrix.

    missing : "nan" takes NaN (masked entries, pandas' NA) as unknown; "zeros" takes the entries of a sparse matrix that
        are not stored as unknown, and a stored 0 as an observation; of a dense one its zeros.
    weights : an array or a sparse matrix of numbers ≥ 0 of the same shape. Entries of weight 0, and in a sparse one
        those that are not stored, are unknown, unless
    unstored : gives the weight of all entries that a sparse ``weights`` does not store (implicit feedback).

    Dask arrays take ``missing``, and ``weights`` that are a dask array too. A matrix on disk has what it was stored
    with (``write_matrix``, ``partwise convert``).
    """
    if missing is None and weights is None and unstored is None:
        return matrix
    if isinstance(matrix, Matrix):
        return _as_stored(matrix, missing, weights, unstored)
    known = knowledge(matrix, missing, weights, unstored)
    if is_dask(matrix):
        from partwise.data.dask.parts import from_dask  # imported late: only clusters need it

        return from_dask(matrix, known, weights)
    if is_own(matrix):
        raise ValueError("Data of your own cannot have unknown entries or weights; give an array or a sparse matrix.")
    data = known.entries(from_frame(matrix), weights)
    if data.base is not None and data.special[3].size == 0 and data.outside == 1:
        return data.base
    return matrix if known.weighted and data.base is None and _all_ones(data) else data


def as_fitted(
    matrix: Any, mean: float | None, *, missing: str | None, weights: Any = None, unstored: float | None = None
) -> Data:
    """Other data for a fit whose known entries have this mean, or, where it is None, for a fit to complete data.

    A matrix in which nothing is unknown is taken as any other, so that a row has the same bits alone and among many.
    """
    elsewhere = isinstance(matrix, Matrix) or is_dask(matrix) or is_own(matrix)
    if mean is None or elsewhere or (missing is None and weights is None):
        data: Any = as_data(observed(matrix, missing=missing, weights=weights, unstored=unstored), zero=True)
    else:
        known = knowledge(matrix, missing, weights, unstored)
        data = as_data(known.entries(from_frame(matrix), weights), zero=True)
    scaled: Data = data.scaled_as(mean) if data.weighted and mean is not None else data
    return scaled


def _all_ones(data: Observed) -> bool:
    weights = data.special[3]
    return weights.size == data.shape[0] * data.shape[1] and bool((weights == 1).all())


def _as_stored(data: Any, missing: str | None, weights: Any, unstored: float | None) -> Any:
    """Data that say themselves what is known."""
    if weights is None and unstored is None and getattr(data, "missing", None) == missing:
        return data
    raise ValueError(
        "A matrix on disk has the unknown entries and weights that it was stored with; store it again with "
        "partwise convert --missing ... or --weights FILE."
    )


def _stored_alone(matrix: Any) -> Observed:
    """The stored entries of a sparse matrix, or those of a dense one that are not 0, are all that is known."""
    csr, _ = _sparse(matrix if sp.issparse(matrix) else sp.csr_array(_dense(matrix)), "The matrix")
    _refuse_bad(csr, "The matrix")
    ones = sp.csr_array((np.ones(csr.nnz, csr.dtype), csr.indices, csr.indptr), shape=csr.shape)
    return Observed(ones, csr.data, 0.0, None)


def _without_nan(matrix: Any) -> Observed:
    """A matrix whose NaN entries are unknown."""
    if sp.issparse(matrix):
        csr, dtype = _sparse(matrix, "The matrix")
        unknown = np.isnan(csr.data)
        plain = csr.copy()
        plain.data[unknown] = 0
        base: Any = SparseData.from_scipy(plain, dtype)
        places = csr.tocoo()
        holes: Any = places.row[unknown], places.col[unknown]
    else:
        array = _dense(matrix)
        gaps = np.isnan(array)
        base = DenseData(_checked_array(np.ascontiguousarray(np.where(gaps, array.dtype.type(0), array))))
        holes = np.nonzero(gaps)[:2]
    minus = np.full(len(holes[0]), -1, base.dtype)
    special = _small(sp.csr_array((minus, holes), shape=base.shape))
    return Observed(special, np.zeros(len(minus), base.dtype), 1.0, base)


def _weighted(matrix: Any, missing: str | None, weights: Any, others: float) -> Observed:
    """A matrix with given weights, those that a sparse one does not store ``others``."""
    if others > 0 and not sp.issparse(weights):
        raise ValueError("unstored is the weight of what a sparse weights does not store; these are dense.")
    known = _sparse(weights if sp.issparse(weights) else sp.csr_array(_dense(weights, "The weights")), "The weights")[0]
    _refuse_bad(known, "The weights")
    if sp.issparse(matrix):
        matrix, dtype = _sparse(matrix, "The matrix")
    else:
        matrix = _dense(matrix)
        dtype = matrix.dtype
    if missing == "nan":
        matrix, known = _nan_unknown(matrix, known)
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
    values = np.asarray(matrix[rows, known.indices]).ravel() if known.nnz else np.zeros(0)
    values = np.where(known.data > 0, values, 0).astype(dtype)  # what is unknown may be any number
    _refuse_bad(sp.csr_array((values, known.indices, known.indptr), shape=known.shape), "The matrix")
    base: Any = None
    if others:
        base = SparseData.from_scipy(matrix, dtype) if sp.issparse(matrix) else DenseData(_checked_array(matrix))
        known.data -= others
    special = sp.csr_array((known.data.astype(dtype), known.indices, known.indptr), shape=known.shape)
    return Observed(special, values, others, base)


def _nan_unknown(matrix: Any, known: sp.csr_array) -> tuple[Any, sp.csr_array]:
    """(the matrix with 0 for NaN, the weights with a stored 0 there)."""
    if sp.issparse(matrix):
        places = matrix.tocoo()
        gaps = np.isnan(places.data)
        lines, columns = places.row[gaps], places.col[gaps]
        matrix.data[np.isnan(matrix.data)] = 0
    else:
        lines, columns = np.nonzero(np.isnan(matrix))
        matrix = np.nan_to_num(matrix, nan=0.0)
    entries, n = known.tocoo(), known.shape[1]
    keys, holes = entries.row.astype(np.int64) * n + entries.col, lines.astype(np.int64) * n + columns
    weights = np.where(np.isin(keys, holes), 0, entries.data)
    more = np.setdiff1d(holes, keys)
    place = np.concatenate([entries.row, more // n]), np.concatenate([entries.col, more % n])
    merged = sp.csr_array((np.concatenate([weights, np.zeros(len(more))]), place), shape=known.shape)
    return matrix, _small(merged.astype(known.dtype))


def _dense(matrix: Any, name: str = "The matrix") -> Array:
    """An array of floats in which what is masked, None or pandas' NA is NaN."""
    if hasattr(matrix, "iloc"):
        try:
            matrix = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must hold numbers.") from None
    if np.ma.isMaskedArray(matrix):
        wide = float_type(matrix.dtype, name)
        matrix = np.ma.filled(matrix.astype(wide), np.nan)
    array = np.asarray(matrix)
    check_shape(array.shape, name)
    if array.dtype == object:
        array = as_numbers(array, name)
    return array.astype(float_type(array.dtype, name), copy=False)


def _checked_array(array: Array) -> Array:
    for i, row in enumerate(array):
        refuse_bad_entry(row, lambda j, i=i: (i, j))
    return array


def _sparse(matrix: Any, name: str) -> tuple[sp.csr_array, np.dtype[Any]]:
    """CSR with its stored zeros, sorted, duplicates summed; a copy."""
    check_structure(matrix, name)
    check_shape(matrix.shape, name)
    dtype = float_type(matrix.dtype, name)
    csr = sp.csr_array(matrix, copy=True).astype(dtype)
    csr.sum_duplicates()
    return _small(csr), dtype


def _small(csr: sp.csr_array) -> sp.csr_array:
    """With indices of 32 bits, where those are enough."""
    index = np.int32 if max(csr.nnz, *csr.shape) < np.iinfo(np.int32).max else np.int64
    return sp.csr_array((csr.data, csr.indices.astype(index), csr.indptr.astype(index)), shape=csr.shape)


def _refuse_bad(csr: sp.csr_array, name: str) -> None:
    refuse_bad_entry(csr.data, lambda p: (int(np.searchsorted(csr.indptr, p, "right")) - 1, int(csr.indices[p])), name)
