"""Rows times a k × k matrix."""

import numpy as np
from numba import float32
from numba.extending import overload

from partwise.kernels.jit import jit

NEAR_ROWS = 128
"""Rows of a factor that stay in a near cache between two steps of a kernel."""


@jit
def square_product(rows, square, floor, out):
    """out = max(floor, rows · square), some rows at a time, so that they are clipped while they are near.

    A row has the same bits wherever it stands: every product gets ``NEAR_ROWS`` rows, the last ones filled up with
    zeros, and sums each of them in the same order.
    """
    n, k = rows.shape
    whole = n - n % NEAR_ROWS
    for lo in range(0, whole, NEAR_ROWS):
        tile = out[lo : lo + NEAR_ROWS]
        _tile_product(rows[lo : lo + NEAR_ROWS], square, tile)
        _clip(tile, floor, tile)
    if whole < n:
        filled = np.zeros((NEAR_ROWS, k), rows.dtype)
        for i in range(n - whole):  # numba takes 2 s to compile the assignment of a slice
            for c in range(k):
                filled[i, c] = rows[whole + i, c]
        tile = np.empty((NEAR_ROWS, k), rows.dtype)
        _tile_product(filled, square, tile)
        _clip(tile, floor, out[whole:])


def _tile_product(rows, square, out):
    """out = rows · square for ``NEAR_ROWS`` rows."""
    np.dot(rows, square, out)


@overload(_tile_product, jit_options={"fastmath": {"contract"}})
def _compiled_tile_product(rows, square, out):
    """BLAS in double precision. Single-precision BLAS sums some rows of a tile in another order (OpenBLAS on Zen)."""
    if rows.dtype != float32:
        return _tile_product

    def by_columns(rows, square, out):
        """Two columns of ``out`` at a time from four columns of ``rows``, each a vector of ``NEAR_ROWS``."""
        k = rows.shape[1]
        left, right = np.zeros((k + 3, NEAR_ROWS), rows.dtype), np.zeros((k + 3, k + 1), rows.dtype)
        for c in range(k):
            for i in range(NEAR_ROWS):
                left[c, i] = rows[i, c]
            for d in range(k):
                right[c, d] = square[c, d]
        sums = np.empty((2, NEAR_ROWS), rows.dtype)
        first, second = sums[0], sums[1]
        for d in range(0, k, 2):
            for i in range(NEAR_ROWS):
                first[i] = 0
                second[i] = 0
            for c in range(0, k, 4):
                x0, x1, x2, x3 = left[c], left[c + 1], left[c + 2], left[c + 3]
                a0, a1, a2, a3 = right[c, d], right[c + 1, d], right[c + 2, d], right[c + 3, d]
                b0, b1, b2, b3 = right[c, d + 1], right[c + 1, d + 1], right[c + 2, d + 1], right[c + 3, d + 1]
                for i in range(NEAR_ROWS):
                    first[i] = first[i] + a0 * x0[i] + a1 * x1[i] + a2 * x2[i] + a3 * x3[i]
                    second[i] = second[i] + b0 * x0[i] + b1 * x1[i] + b2 * x2[i] + b3 * x3[i]
            for i in range(NEAR_ROWS):
                out[i, d] = first[i]
                if d + 1 < k:
                    out[i, d + 1] = second[i]

    return by_columns


@jit
def _clip(rows, floor, out):
    """out = max(floor, rows) for as many rows as ``out`` has; what is not a number stays."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = max(rows[i, c], floor)
