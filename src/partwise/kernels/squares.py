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
    zeros, and sums each of them in the same order. What is not a number stays.
    """
    n, k = rows.shape
    for lo in range(0, n, NEAR_ROWS):
        size = min(n - lo, NEAR_ROWS)
        tile, product = rows[lo : lo + size], out[lo : lo + size]
        if size < NEAR_ROWS:
            tile, product = np.empty((NEAR_ROWS, k), rows.dtype), np.empty((NEAR_ROWS, k), rows.dtype)
            for i in range(NEAR_ROWS):
                for c in range(k):
                    tile[i, c] = rows[lo + i, c] if i < size else 0
        _tile_product(tile, square, product)
        for i in range(size):
            for c in range(k):
                out[lo + i, c] = max(product[i, c], floor)


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
