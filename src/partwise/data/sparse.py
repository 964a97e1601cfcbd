"""A sparse matrix in memory: CSR of A and CSR of its transpose, each walked by its rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise import kernels
from partwise.data.base import LocalData
from partwise.data.entry_checks import digest_of, refuse_bad_entry
from partwise.data.sparse_structure import check_structure
from partwise.threads.pool import Block, Workers, borders
from partwise.types import Array

NEAR_BYTES = 2**19
"""The right-hand side of a block that stays in a near cache until its rows are made."""


class SparseData(LocalData):
    """CSR arrays, sorted, without duplicates, read-only; the transpose is a second copy, made on first use."""

    def __init__(self, matrix: sp.csr_array, transpose: SparseData | None = None) -> None:
        self._matrix = matrix
        self._transpose = transpose
        self._arrays = tuple(_frozen(a) for a in (matrix.indptr, matrix.indices, matrix.data))
        self.shape: tuple[int, int] = matrix.shape
        self.dtype: np.dtype[Any] = matrix.dtype
        self.nnz = int(matrix.nnz)
        self.widens = True
        self.nbytes = sum(a.nbytes for a in self._arrays)

    @classmethod
    def from_scipy(cls, matrix: Any, dtype: np.dtype[Any]) -> SparseData:
        """From any scipy format; the caller's arrays are shared where they are already as needed, never changed.

        Columns that are compressed are the rows of the transpose, so they are shared too.
        """
        check_structure(matrix)
        return cls._shared(matrix.T, dtype, -1).T if matrix.format == "csc" else cls._shared(matrix, dtype, 1)

    @classmethod
    def _shared(cls, matrix: Any, dtype: np.dtype[Any], order: int) -> SparseData:
        """From what is best read by rows; ``order`` is -1 where those are the columns for the caller."""
        csr = sp.csr_array(matrix if matrix.dtype == dtype else matrix.astype(dtype))
        if not csr.has_canonical_format:
            csr = sp.csr_array((csr.data.copy(), csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)
            csr.sum_duplicates()
        if csr.nnz and not (csr.data.min() >= 0 and np.isfinite(csr.data.max())):
            refuse_bad_entry(
                csr.data, lambda p: (int(np.searchsorted(csr.indptr, p, "right")) - 1, int(csr.indices[p]))[::order]
            )
        if not csr.data.all():
            csr = csr.copy()
            csr.eliminate_zeros()
        small = max(csr.nnz, *csr.shape) < np.iinfo(np.int32).max
        index = np.int32 if small else np.int64
        parts = (csr.data, csr.indices.astype(index, copy=False), csr.indptr.astype(index, copy=False))
        return cls(sp.csr_array(parts, shape=csr.shape))

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """indptr, indices, values: read-only."""
        indptr, indices, values = self._arrays
        return indptr, indices, values

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal work: a row's nonzeros and a little for the row itself."""
        return borders(self._arrays[0] + np.arange(self.shape[0] + 1) * 8)

    @property
    def T(self) -> SparseData:
        """The transpose, made once."""
        if self._transpose is None:
            self._transpose = SparseData(sp.csr_array(self._matrix.T), self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths in float64, a block at a time."""
        indptr, _, values = self._arrays
        blocks = [(indptr[lo : hi + 1] - indptr[lo], values[indptr[lo] : indptr[hi]]) for lo, hi in self.blocks]
        with np.errstate(over="ignore"):  # what is out of range is refused by its infinite norm
            return np.concatenate([_by_rows(ends, np.square(part, dtype=np.float64)) for ends, part in blocks])

    @property
    def digest(self) -> str:
        """A hash of the three arrays, which are the same for every format that the matrix may come in."""
        return digest_of(self._arrays)

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """The row kernel on a block; the same bits at any width of the factor."""
        kernels.products.csr_product(*self.arrays, factor, lo, hi, out)

    def clipped_product(self, factor: Array) -> Callable[..., None] | None:
        """The fused kernel, where a block's right-hand side is large.

        Where vectors do not suit the number of columns it would be no faster than its three parts.
        """
        largest = max((hi - lo for lo, hi in self.blocks), default=0)
        if largest * factor.shape[1] * self.dtype.itemsize <= NEAR_BYTES:
            return None
        if not kernels.products.clips(factor.shape[1], self.dtype.itemsize):
            return None
        return partial(kernels.products.csr_clipped_product, *self._arrays, factor)

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense."""
        rows: Array = self._matrix[lo:hi].toarray()
        return rows

    @cached_property
    def row_sums(self) -> Array:
        """Row sums in float64."""
        return _by_rows(self._arrays[0], self._arrays[2])

    def entries(self, lo: int, hi: int) -> tuple[Array, Array, Array]:
        """The arrays themselves."""
        indptr, indices, values = self._arrays
        return indptr[lo : hi + 1], indices, values

    def some(self, rows: Array, workers: Workers) -> sp.csr_array:
        """Some rows, sparse."""
        return self._matrix[rows]


def _by_rows(indptr: Array, values: Array) -> Array:
    """The sum of each row's values in float64."""
    sums, filled = np.zeros(len(indptr) - 1), np.flatnonzero(np.diff(indptr))
    sums[filled] = np.add.reduceat(values, indptr[filled], dtype=np.float64)
    return sums


def _frozen(array: Array) -> Array:
    """A read-only view: nobody writes the caller's numbers, and the kernels are compiled for one kind of array."""
    view = np.require(array, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view
