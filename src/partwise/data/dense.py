"""A dense matrix in memory."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from partwise.data.base import LocalData
from partwise.data.entry_checks import digest_of
from partwise.threads.pool import Block, Workers, borders
from partwise.types import Array

TILE = 32
"""The rows that BLAS gets at a time where the bits of each must not depend on the others."""


class DenseData(LocalData):
    """A view of an array; a transpose is a view too, so there is one copy of the numbers.

    A product at another width may have other bits, since BLAS may sum in another order.
    """

    def __init__(self, array: Array, transpose: DenseData | None = None) -> None:
        contiguous = array.flags.aligned and (array.itemsize in array.strides or 1 in array.shape)
        self._array = (array if contiguous else np.ascontiguousarray(array)).view()
        self._array.flags.writeable = False
        self._transpose = transpose
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])
        self.dtype: np.dtype[Any] = array.dtype
        self.nnz = array.size

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal size; an entry costs a quarter of a sparse one, and a row 128 of those."""
        return borders(np.arange(self.shape[0] + 1) * (self.shape[1] / 4 + 128))

    @property
    def T(self) -> DenseData:
        """The transpose, made once."""
        if self._transpose is None:
            self._transpose = DenseData(self._array.T, self)
        return self._transpose

    @property
    def digest(self) -> str:
        """A hash of the entries row by row, a block at a time."""
        return digest_of(self.rows(lo, hi) for lo, hi in self.blocks)

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """One BLAS call on a block of rows, in which the bits of a row may depend on the others."""
        np.matmul(self._array[lo:hi], factor, out=out)

    def row_wise(self) -> RowWiseDense:
        return RowWiseDense(self._array)

    def rows(self, lo: int, hi: int) -> Array:
        """A view of some rows."""
        return self._array[lo:hi]

    def some(self, rows: Array, workers: Workers) -> Array:
        """A copy of some rows."""
        return self._array[rows]


class RowWiseDense(DenseData):
    """The same, where a row has the same bits alone and among others, for the price of some more BLAS calls.

    How BLAS sums a row depends on how many there are (OpenBLAS has other kernels for small products and for the last
    few rows) and in which order they lie, but not on where it stands: so it always gets ``TILE`` of them by rows.
    """

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        tile = np.zeros((TILE, self.shape[1]), self.dtype)
        for at in range(lo, hi, TILE):
            count = min(TILE, hi - at)
            tile[:count] = self._array[at : at + count]
            out[at - lo : at - lo + count] = np.matmul(tile, factor)[:count]
