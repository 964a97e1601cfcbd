"""A dense matrix in memory."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from partwise import kernels
from partwise.data.base import LocalData
from partwise.data.entry_checks import digest_of
from partwise.threads.pool import Block, Workers, even_borders
from partwise.types import Array

LARGE, NARROW = 2**16, 24
"""From so many entries on, and up to so many columns, a product is faster by our own kernel than by BLAS."""
COPIED = 2**20
"""The entries up to which copies of both orders are worth their memory."""
NEAR = 20_000
"""The bytes of a factor that stay in the nearest cache."""
TILE = 32
"""The rows that BLAS gets at a time where the bits of each must not depend on the others."""


class DenseData(LocalData):
    """A view of an array; a transpose is a view too, so there is one copy of the numbers.

    A product at another width may have other bits, since BLAS may sum in another order.
    """

    def __init__(self, array: Array, transpose: DenseData | None = None) -> None:
        contiguous = array.flags.aligned and (array.flags.forc or _in_steps(array))
        self._array = (array if contiguous else np.ascontiguousarray(array)).view()
        self._array.flags.writeable = False
        self._transpose = transpose
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])
        self.dtype: np.dtype[Any] = array.dtype
        self.nnz = array.size

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal size; an entry costs a quarter of a sparse one, and a row 128 of those."""
        return even_borders(self.shape[0], self.shape[1] / 4 + 128)

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

    @cached_property
    def _numbers(self) -> Array:
        """The memory that the entries lie in, as one row."""
        array, (across, along) = self._array, self._steps
        length = (self.shape[0] - 1) * across + (self.shape[1] - 1) * along + 1
        return np.lib.stride_tricks.as_strided(array, (length,), (array.itemsize,), writeable=False)

    @cached_property
    def both_orders(self) -> tuple[Array, Array]:  # type: ignore[override]
        """Copies of A and Aᵀ as ``kernels/dense_runs`` reads them."""
        own, other = vars(self.T).get("both_orders") or kernels.dense_runs.in_tiles(self._array.T)
        return other, own

    @property
    def _steps(self) -> tuple[int, int]:
        """From an entry to the one below it, and to the one right of it."""
        across, along = self._array.strides
        return across // self._array.itemsize, along // self._array.itemsize

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """A block of rows by our own kernel or by BLAS, in which the bits of a row may depend on the others."""
        if not self._suits(factor):
            np.matmul(self._array[lo:hi], factor, out=out)
            return
        across, along = self._steps
        depth = max(1, NEAR // (factor.shape[1] * factor.itemsize))
        kernels.products.dense_product(self._numbers, lo * across, across, along, factor, depth, out)

    def _suits(self, factor: Array) -> bool:
        """Whether a factor has few enough columns for our own kernel, and A is large enough to have it compiled."""
        width = factor.shape[1]
        few = factor.itemsize == 8 and width <= NARROW and self.nnz >= LARGE
        return few and kernels.squares.by_vectors(width, 8) and factor.flags.c_contiguous

    def for_many_products(self, columns: int) -> DenseData:
        suits = LARGE <= self.nnz <= COPIED and kernels.dense_runs.suits(columns, self.dtype.itemsize)
        return TiledDense(self._array, self.both_orders) if suits else self

    def row_wise(self) -> RowWiseDense:
        rows = RowWiseDense(self._array)
        vars(rows)["blocks"] = self.blocks
        return rows

    def rows(self, lo: int, hi: int) -> Array:
        """A view of some rows."""
        return self._array[lo:hi]

    def some(self, rows: Array, workers: Workers) -> Array:
        """A copy of some rows."""
        return self._array[rows]


def _in_steps(array: Array) -> bool:
    """Whether rows or columns lie whole in memory, forward and a whole number of entries apart."""
    whole = array.itemsize in array.strides or 1 in array.shape
    return whole and all(step >= 0 and step % array.itemsize == 0 for step in array.strides)


class TiledDense(DenseData):
    """The same, for several products: from copies in tiles they take half the time."""

    def __init__(self, array: Array, tiles: tuple[Array, Array], transpose: TiledDense | None = None) -> None:
        super().__init__(array, transpose)
        self._tiles = tiles

    @property
    def T(self) -> TiledDense:
        """The transpose, made once."""
        if self._transpose is None:
            self._transpose = TiledDense(self._array.T, self._tiles[::-1], self)
        return self._transpose  # type: ignore[return-value]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of whole tiles."""
        edges = kernels.dense_runs.borders(*self.shape, NARROW, self.dtype.itemsize)
        return tuple(pairwise(edges.tolist()))

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """Some whole tiles of rows."""
        if kernels.dense_runs.suits(factor.shape[1], self.dtype.itemsize):
            kernels.dense_runs.tile_product(self._tiles[1], factor, lo, hi, out)
        else:
            super().product(lo, hi, factor, out)


class RowWiseDense(DenseData):
    """The same, where a row has the same bits alone and among others, for the price of some more BLAS calls.

    How BLAS sums a row depends on how many there are (OpenBLAS has other kernels for small products and for the last
    few rows) and in which order they lie, but in double precision not on where it stands: so it always gets ``TILE`` of
    them by rows, in double precision.
    """

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        wide = factor.astype(np.float64, copy=False)
        as_needed = self.dtype == wide.dtype and self._array.flags.c_contiguous
        end = hi - (hi - lo) % TILE if as_needed else lo
        if end > lo:
            tiles = self._array[lo:end].reshape(-1, TILE, self.shape[1])
            out[: end - lo] = np.matmul(tiles, wide).reshape(end - lo, -1)
        tile = np.zeros((TILE, self.shape[1]))
        for at in range(end, hi, TILE):
            count = min(TILE, hi - at)
            tile[:count] = self._array[at : at + count]
            out[at - lo : at - lo + count] = np.matmul(tile, wide)[:count]
