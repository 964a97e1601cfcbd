"""Matrices with weights or unknown entries: v_ij = ω₀ + δ_ij, δ sparse."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import choose, number
from partwise.data.base import LocalData, Matrix
from partwise.data.dense import DenseData
from partwise.data.entry_checks import check_shape, digest_of, float_type, refuse_bad_entry
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.kernels.row_systems import weighted_systems, width
from partwise.threads.pool import Block, borders
from partwise.types import Array

MISSING = {"nan": "NaN is unknown", "zeros": "what is not stored is unknown"}


class Observed(LocalData):
    """A matrix in memory whose entries have weights; an entry of weight 0 is unknown.

    The weight of entry (i, j) is ``outside`` + δ_ij. The entries where δ is not 0 are kept as CSR arrays, with A's
    numbers there; ``base`` is all of A, its unknown entries 0, and is read where ``outside`` is above 0.
    """

    weighted = True

    def __init__(
        self, special: sp.csr_array, values: Array, outside: float, base: Any, transpose: Observed | None = None
    ) -> None:
        self._special, self._values, self.outside, self.base = special, values, outside, base
        self._transpose = transpose
        self._scale: float | None = None if transpose is None else transpose._scale
        self.shape: tuple[int, int] = special.shape
        self.dtype: np.dtype[Any] = values.dtype
        stored = special.nnz if base is None else base.nnz
        self.nnz = int(stored)
        self.nbytes = 2 * special.nnz * (self.dtype.itemsize + 4) + (0 if base is None else base.nbytes)

    @property
    def special(self) -> tuple[Array, Array, Array, Array]:
        """(indptr, indices, values, δ) of the entries whose weight is not the usual one."""
        return self._special.indptr, self._special.indices, self._values, self._special.data

    @property
    def T(self) -> Observed:
        """The transpose, made once."""
        if self._transpose is None:
            weights, values = _turned(self._special, self._values)
            base = None if self.base is None else self.base.T
            self._transpose = Observed(weights, values, self.outside, base, self)
        return self._transpose

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal work."""
        each = 8 + (0 if self.base is None else self.base.nnz / self.shape[0])
        return borders(self._special.indptr + np.arange(self.shape[0] + 1) * each)

    def _summed(self, values: Array, base: Callable[[Any], Array]) -> Array:
        """Σ_j v_ij · (a function of the entry), from δ's own values and all of the base."""
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self._special.indptr))
        sums: Array = np.bincount(rows, weights=self._special.data * values, minlength=self.shape[0])
        return sums if self.base is None else sums + self.outside * base(self.base)

    @cached_property
    def row_norms2(self) -> Array:
        """Σ_j v_ij a_ij²."""
        return self._summed(self._values.astype(np.float64) ** 2, lambda base: base.row_norms2)

    @cached_property
    def row_sums(self) -> Array:
        """Σ_j v_ij a_ij."""
        return self._summed(self._values.astype(np.float64), lambda base: base.row_sums)

    @cached_property
    def row_weights(self) -> Array:
        """Σ_j v_ij: how many observations a row has, in units of weight."""
        return self._summed(np.ones(self._special.nnz), lambda base: np.full(self.shape[0], float(self.shape[1])))

    @cached_property
    def row_counts(self) -> Array:
        """How many entries of each row are known."""
        special = self._special
        indptr = special.indptr
        known = np.concatenate([[0], np.cumsum(special.data + self.outside > 0)])
        counts: Array = known[indptr[1:]] - known[indptr[:-1]]
        return counts if self.base is None else counts + self.shape[1] - np.diff(indptr)

    @property
    def mean(self) -> float:
        """The weighted mean of the entries."""
        return float(self.row_sums.sum() / self.row_weights.sum())

    @property
    def scale(self) -> float:
        """The mean that penalties by observation are relative to: this matrix's own, or that of a fit."""
        return self.mean if self._scale is None else self._scale

    def scaled_as(self, mean: float) -> Observed:
        """The same entries, with penalties relative to the mean of a fit."""
        same = Observed(self._special, self._values, self.outside, self.base)
        same._scale = mean
        return same

    @property
    def digest(self) -> str:
        """A hash of the numbers and the weights."""
        arrays = [*self.special, np.array([self.outside])]
        return digest_of(arrays) if self.base is None else digest_of(arrays) + self.base.digest

    def systems(self, lo: int, hi: int, fixed: Array, gram: Array | None) -> Array:
        """(Σ_j v a f, Σ_j v f fᵀ) of each row, packed; ``gram`` is fixedᵀ fixed, where the base is read."""
        rank = fixed.shape[1]
        systems = np.zeros((hi - lo, width(rank)))
        if self.base is not None:
            product = np.empty((hi - lo, rank), self.dtype)
            self.base.product(lo, hi, fixed, product)
            systems[:, :rank] = self.outside * product.astype(np.float64, copy=False)
            if gram is not None:
                systems[:, rank:] = self.outside * gram[np.triu_indices(rank)]
        indptr, indices, values, weights = self.special
        weighted_systems(indptr[lo : hi + 1], indices, values, weights, fixed, systems)
        return systems

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """Σ_j v_ij a_ij f_j."""
        rank = factor.shape[1]
        special = self._special[lo:hi]
        values = self._values[self._special.indptr[lo] : self._special.indptr[hi]]
        out[:] = sp.csr_array((special.data * values, special.indices, special.indptr), shape=special.shape) @ factor
        if self.base is not None:
            plain = np.empty((hi - lo, rank), self.dtype)
            self.base.product(lo, hi, factor, plain)
            out += self.outside * plain

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, unknown entries 0."""
        if self.base is not None:
            rows: Array = self.base.rows(lo, hi)
            return rows
        special = self._special[lo:hi]
        values = self._values[self._special.indptr[lo] : self._special.indptr[hi]]
        return np.asarray(sp.csr_array((values, special.indices, special.indptr), shape=special.shape).toarray())

    @property
    def for_starts(self) -> Any:
        """The matrix as a start may read it: unknown entries of a dense one filled with their row's mean."""
        if not isinstance(self.base, DenseData):
            return None
        level = np.divide(self.row_sums, self.row_weights, out=np.zeros(self.shape[0]), where=self.row_weights > 0)
        filled = np.array(self.base.rows(0, self.shape[0]))
        holes = self._special.tocoo()
        unknown = holes.data + self.outside <= 0
        filled[holes.row[unknown], holes.col[unknown]] = level[holes.row[unknown]]
        return DenseData(filled)


def _turned(weights: sp.csr_array, values: Array) -> tuple[sp.csr_array, Array]:
    """Weights and values by columns; stored zeros stay."""
    order = sp.csr_array((np.arange(weights.nnz), weights.indices, weights.indptr), shape=weights.shape).tocsc()
    place = order.data.astype(np.int64)
    parts = (weights.data[place], order.indices, order.indptr)
    return sp.csr_array(parts, shape=weights.shape[::-1]), values[place]


def observed(matrix: Any, *, missing: str | None = None, weights: Any = None, unstored: float | None = None) -> Any:
    """A matrix with unknown entries or weights, for every function of partwise that takes a matrix.

    missing : "nan" takes NaN (masked entries, pandas' NA) as unknown; "zeros" takes the entries of a sparse matrix that
        are not stored as unknown, and a stored 0 as an observation; of a dense one its zeros.
    weights : an array or a sparse matrix of numbers ≥ 0 of the same shape. Entries of weight 0, and in a sparse one
        those that are not stored, are unknown, unless
    unstored : gives the weight of all entries that a sparse ``weights`` does not store (implicit feedback).
    """
    if missing is None and weights is None:
        if unstored is not None:
            raise ValueError("unstored is the weight of what weights does not store; give weights too.")
        return matrix
    if missing is not None:
        choose("kind of missing entries", missing, MISSING)
    if isinstance(matrix, Matrix) or type(matrix).__module__.startswith("dask."):
        raise ValueError("Unknown entries and weights need the matrix in memory, as an array or a scipy sparse matrix.")
    if weights is not None:
        return _weighted(matrix, missing, weights, unstored)
    if unstored is not None:
        raise ValueError("unstored is the weight of what weights does not store; give weights too.")
    return _stored_alone(matrix) if missing == "zeros" else _without_nan(matrix)


def _stored_alone(matrix: Any) -> Observed:
    """The stored entries of a sparse matrix, or those of a dense one that are not 0, are all that is known."""
    csr, _ = _sparse(matrix if sp.issparse(matrix) else sp.csr_array(_dense(matrix)), "The matrix")
    _refuse_bad(csr, "The matrix")
    ones = sp.csr_array((np.ones(csr.nnz, csr.dtype), csr.indices, csr.indptr), shape=csr.shape)
    return _checked(Observed(ones, csr.data, 0.0, None))


def _without_nan(matrix: Any) -> Any:
    """A matrix whose NaN entries are unknown; without any it is like every other."""
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
    if not len(holes[0]):
        return base
    minus = np.full(len(holes[0]), -1, base.dtype)
    special = sp.csr_array((minus, holes), shape=base.shape)
    return _checked(Observed(special, np.zeros(len(minus), base.dtype), 1.0, base))


def _weighted(matrix: Any, missing: str | None, weights: Any, unstored: float | None) -> Any:
    """A matrix with given weights; where all of them are 1 it is like every other."""
    if missing == "zeros":
        raise ValueError('With weights, missing="zeros" says nothing: leave out of a sparse weights what is unknown.')
    others = 0.0 if unstored is None else number("unstored", unstored)
    if others > 0 and not sp.issparse(weights):
        raise ValueError("unstored is the weight of what a sparse weights does not store; these are dense.")
    known = _sparse(weights if sp.issparse(weights) else sp.csr_array(_dense(weights, "The weights")), "The weights")[0]
    _refuse_bad(known, "The weights")
    if known.shape != np.shape(matrix):
        raise ValueError(
            f"The weights are {known.shape[0]} × {known.shape[1]}, the matrix {np.shape(matrix)[0]} × "
            f"{np.shape(matrix)[1]}; they must have the same shape."
        )
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
    if sp.issparse(matrix):
        csr, dtype = _sparse(matrix, "The matrix")
        values = np.asarray(csr[rows, known.indices]).ravel() if known.nnz else np.zeros(0, dtype)
    else:
        array = _dense(matrix)
        dtype = array.dtype
        values = array[rows, known.indices]
    values = np.ascontiguousarray(values, dtype)
    gaps = np.isnan(values)
    if missing == "nan":
        known.data[gaps] = -others if others else 0
        values = np.where(gaps, dtype.type(0), values)
    if known.nnz == known.shape[0] * known.shape[1] and (known.data == 1).all():
        return matrix
    base: Any = None
    if others:
        base = SparseData.from_scipy(matrix, dtype) if sp.issparse(matrix) else DenseData(_checked_array(array))
        known.data -= others
    special = sp.csr_array((known.data.astype(dtype), known.indices, known.indptr), shape=known.shape)
    _refuse_bad(sp.csr_array((values, known.indices, known.indptr), shape=known.shape), "The matrix")
    return _checked(Observed(special, values, others, base))


def _dense(matrix: Any, name: str = "The matrix") -> Array:
    """An array of floats in which what is masked, None or pandas' NA is NaN."""
    if hasattr(matrix, "to_numpy"):
        matrix = matrix.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.ma.isMaskedArray(matrix):
        matrix = np.ma.filled(matrix.astype(np.float64), np.nan)
    array = np.asarray(matrix)
    check_shape(array.shape, name)
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must hold numbers.") from None
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
    index = np.int32 if max(csr.nnz, *csr.shape) < np.iinfo(np.int32).max else np.int64
    return sp.csr_array((csr.data, csr.indices.astype(index), csr.indptr.astype(index)), shape=csr.shape), dtype


def _refuse_bad(csr: sp.csr_array, name: str) -> None:
    refuse_bad_entry(csr.data, lambda p: (int(np.searchsorted(csr.indptr, p, "right")) - 1, int(csr.indices[p])), name)


def _checked(data: Observed) -> Observed:
    """Data of which something is known, and that is not all 0."""
    if not data.row_counts.any():
        raise ValueError("All entries are unknown, so there is nothing to factor.")
    if not data.norm2 > 0:
        raise ValueError("All entries that are known are 0, so there is nothing to factor.")
    return data
