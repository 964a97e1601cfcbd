"""Rows times a k × k matrix."""

import numpy as np

from partwise.kernels.jit import jit

NEAR_ROWS = 128
"""Rows of a factor that stay in a near cache between two steps of a kernel."""


@jit
def square_product(rows, square, floor, out):
    """out = max(floor, rows · square) by BLAS, some rows at a time, so that they are clipped while they are near.

    BLAS may sum in another order for another number of rows. It always gets ``NEAR_ROWS`` of them, the last ones filled
    up with zeros, so that a row has the same bits wherever it stands.
    """
    n, k = rows.shape
    whole = n - n % NEAR_ROWS
    for lo in range(0, whole, NEAR_ROWS):
        tile = out[lo : lo + NEAR_ROWS]
        np.dot(rows[lo : lo + NEAR_ROWS], square, tile)
        _clip(tile, floor, tile)
    if whole < n:
        filled = np.zeros((NEAR_ROWS, k), rows.dtype)
        for i in range(n - whole):  # numba takes 2 s to compile the assignment of a slice
            for c in range(k):
                filled[i, c] = rows[whole + i, c]
        tile = np.empty((NEAR_ROWS, k), rows.dtype)
        np.dot(filled, square, tile)
        _clip(tile, floor, out[whole:])


@jit
def _clip(rows, floor, out):
    """out = max(floor, rows) for as many rows as ``out`` has; what is not a number stays."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = max(rows[i, c], floor)
