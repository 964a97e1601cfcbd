"""Rows times a k × k matrix.

A row has the same bits wherever it stands. What is not a number stays.
"""

from importlib import import_module
from typing import Any

import numba
import numpy as np

from partwise.kernels.jit import inlined, jit
from partwise.kernels.vectors import (
    BYTES,
    WIDEST,
    at_least,
    fused,
    lanes_of,
    load,
    spread,
    store,
    wide_lanes_of,
    wide_load,
    wide_spread,
)
from partwise.types import Array

COMPILES = not numba.config.DISABLE_JIT
NEAR_ROWS = 128
"""Rows of a factor that stay in a near cache between two steps of a kernel."""
NEAREST = 2**15
"""Bytes that stay in the nearest cache of nearly every machine."""


def by_vectors(k: int, item: int) -> bool:
    """Whether vectors suit k columns of numbers of ``item`` bytes.

    They do not where k is less than a vector, nor in double precision where the matrix does not stay in the nearest
    cache: there BLAS is faster. In single precision that would sum some rows of a tile in another order (OpenBLAS on
    Zen).
    """
    return COMPILES and k >= BYTES // item and (item == 4 or k * k * item <= NEAREST)


def square_product(rows: Array, square: Array, floor: Any, out: Array) -> None:
    """out = max(floor, rows · square), by the kernel that suits, so that no other one is compiled."""
    if by_vectors(len(square), rows.itemsize):
        product = _vector_product if len(square) * rows.itemsize < WIDEST else wide_vector_product
        product(rows, square, floor, out)
    elif rows.itemsize == 4:
        _narrow_product(rows, square, floor, out)
    else:
        import_module("scipy.linalg.cython_blas")  # which numba imports within the kernel, where Ctrl-C would be fatal
        _blas_product(rows, square, floor, out)


@jit
def _vector_product(rows, square, floor, out):
    """By the vectors that every machine has."""
    _rows_times_square(lanes_of(rows), load, spread, rows, square, floor, out)


@jit
def wide_vector_product(rows, square, floor, out):
    """By the widest."""
    _rows_times_square(wide_lanes_of(rows), wide_load, wide_spread, rows, square, floor, out)


@inlined
def _rows_times_square(lanes, load, spread, rows, square, floor, out):
    """The sums of four rows and two vectors of columns at a time stay in registers.

    At the end of the rows and of the columns some are made twice.
    """
    n, k = rows.shape
    zero, least = spread(square.dtype.type(0)), spread(floor)
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        for j in range(0, k, 2 * lanes):
            u, v = min(j, k - lanes), min(j + lanes, k - lanes)
            a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = zero
            for p in range(k):
                s0, s1 = load(square, p, u), load(square, p, v)
                a, b, c, d = spread(rows[i, p]), spread(rows[i1, p]), spread(rows[i2, p]), spread(rows[i3, p])
                a0, b0, c0, d0 = fused(a, s0, a0), fused(b, s0, b0), fused(c, s0, c0), fused(d, s0, d0)
                a1, b1, c1, d1 = fused(a, s1, a1), fused(b, s1, b1), fused(c, s1, c1), fused(d, s1, d1)
            store(out, i, u, at_least(a0, least)), store(out, i, v, at_least(a1, least))
            store(out, i1, u, at_least(b0, least)), store(out, i1, v, at_least(b1, least))
            store(out, i2, u, at_least(c0, least)), store(out, i2, v, at_least(c1, least))
            store(out, i3, u, at_least(d0, least)), store(out, i3, v, at_least(d1, least))


@jit
def _narrow_product(rows, square, floor, out):
    """One number at a time, its sum in double precision: what cancels in a nearly singular system is not lost."""
    for i in range(len(rows)):
        for d in range(square.shape[1]):
            total = 0.0
            for c in range(square.shape[0]):
                total += np.float64(rows[i, c]) * square[c, d]
            out[i, d] = max(square.dtype.type(total), floor)


@jit
def _blas_product(rows, square, floor, out):
    """By BLAS, some rows at a time, so that they are clipped while they are near."""
    for lo in range(0, len(rows), NEAR_ROWS):
        _blas_tile(rows[lo : lo + NEAR_ROWS], square, floor, out[lo : lo + NEAR_ROWS])


@jit
def _blas_tile(rows, square, floor, out):
    """BLAS always gets ``NEAR_ROWS`` rows, the last ones filled up with zeros, so that it sums each in one order."""
    n, k = rows.shape
    tile, product = rows, out
    if n < NEAR_ROWS:
        tile, product = np.empty((NEAR_ROWS, k), rows.dtype), np.empty((NEAR_ROWS, k), rows.dtype)
        for i in range(NEAR_ROWS):
            for c in range(k):
                tile[i, c] = rows[i, c] if i < n else 0
    np.dot(tile, square, product)
    for i in range(n):
        for c in range(k):
            out[i, c] = max(product[i, c], floor)
