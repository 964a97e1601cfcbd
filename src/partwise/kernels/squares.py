"""Rows times a k × k matrix."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.vectors import BYTES, at_least, fused, load, spread, store

NEAREST = 2**15
"""Bytes that stay in the nearest cache of nearly every machine."""
NEAR_ROWS = 128
"""Rows of a factor that stay in a near cache between two steps of a kernel."""


@jit
def square_product(rows, square, floor, out):
    """out = max(floor, rows · square): the sums of four rows and two vectors of columns at a time stay in registers.

    At the end of the rows and of the columns some are made twice. What is narrower than a vector goes to BLAS, and so
    does what would not stay in the nearest cache, where BLAS is sooner.
    """
    n, k = rows.shape
    lanes = BYTES // out.itemsize
    if k < lanes or square.size * square.itemsize > NEAREST:
        _blas_product(rows, square, floor, out)
        return
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
def _blas_product(rows, square, floor, out):
    """The same by BLAS, some rows at a time so that what it wrote is still near when it is cut off."""
    for lo in range(0, len(rows), NEAR_ROWS):
        some = out[lo : lo + NEAR_ROWS]
        np.dot(rows[lo : lo + NEAR_ROWS], square, some)
        for i in range(len(some)):
            for c in range(some.shape[1]):
                some[i, c] = max(some[i, c], floor)
