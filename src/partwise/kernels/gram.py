"""FᵀF of the rows of a factor, in double precision whatever that of the rows is."""

import numba
import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.squares import COMPILES
from partwise.kernels.vectors import BYTES, fused, lanes_of, load, spread, store
from partwise.types import Array

LANES = BYTES // 8
NEAR_ROWS = 64
"""Rows that stay in the nearest cache."""


def gram(rows: Array) -> Array:
    """FᵀF; half of it is summed, and mirrored."""
    k = rows.shape[1]
    if not COMPILES or numba.config.BOUNDSCHECK:  # vectors check no index, so make bounds would see none outside
        tall = rows.astype(np.float64, copy=False)
        by_blas: Array = tall.T @ tall
        return by_blas
    out = np.empty((k, k))
    squares(np.ascontiguousarray(rows), *memory(k), out)
    return out


def memory(k: int) -> tuple[Array, Array]:
    """Memory for some rows, zeros, and for the sums from the diagonal on."""
    width = -(-k // LANES) * LANES
    return np.zeros((NEAR_ROWS, width)), np.empty((width, width))


@jit
def squares(factor, near, half, out):
    """out = FᵀF; ``near`` and ``half`` as :func:`memory` gives them, and may be used again.

    The sums of a vector of rows and of two vectors of columns at a time stay in registers; at the end some of them are
    made twice.
    """
    (n, k), (most, width), lanes = factor.shape, near.shape, lanes_of(near)
    half[:] = 0
    for lo in range(0, n, most):
        rows = min(most, n - lo)
        for i in range(rows):
            for c in range(k):
                near[i, c] = factor[lo + i, c]
        for c in range(0, k, 4):
            for d in range(c, width, 2 * lanes):
                e = min(d + lanes, width - lanes)
                p0, q0, r0, s0 = load(half, c, d), load(half, c + 1, d), load(half, c + 2, d), load(half, c + 3, d)
                p1, q1, r1, s1 = load(half, c, e), load(half, c + 1, e), load(half, c + 2, e), load(half, c + 3, e)
                for i in range(rows):
                    x, y = load(near, i, d), load(near, i, e)
                    p, q, r, s = (
                        spread(near[i, c]),
                        spread(near[i, c + 1]),
                        spread(near[i, c + 2]),
                        spread(near[i, c + 3]),
                    )
                    p0, q0, r0, s0 = fused(p, x, p0), fused(q, x, q0), fused(r, x, r0), fused(s, x, s0)
                    p1, q1, r1, s1 = fused(p, y, p1), fused(q, y, q1), fused(r, y, r1), fused(s, y, s1)
                store(half, c, d, p0), store(half, c + 1, d, q0), store(half, c + 2, d, r0), store(half, c + 3, d, s0)
                store(half, c, e, p1), store(half, c + 1, e, q1), store(half, c + 2, e, r1), store(half, c + 3, e, s1)
    for c in range(k):
        for d in range(c, k):
            out[c, d] = out[d, c] = half[c, d]
