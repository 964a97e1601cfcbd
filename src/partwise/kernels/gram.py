"""FᵀF of the rows of a factor, in double precision whatever that of the rows is."""

import numba
import numpy as np

from partwise.kernels import memory
from partwise.kernels.jit import inlined, jit
from partwise.kernels.squares import COMPILES
from partwise.kernels.vectors import BYTES, WIDEST, fused, load, spread, store, wide_load, wide_spread
from partwise.types import Array

NEAR_ROWS = 64
"""Rows that stay in the nearest cache."""
MANY = 24
"""The rank from which on the widest vectors are faster."""


def gram(rows: Array) -> Array:
    """FᵀF; half of it is summed, and mirrored."""
    k = rows.shape[1]
    if not COMPILES or numba.config.BOUNDSCHECK:  # vectors check no index, so make bounds would see none outside
        tall = rows.astype(np.float64, copy=False)
        by_blas: Array = tall.T @ tall
        return by_blas
    kernel, size = (squares, BYTES) if k < MANY or WIDEST == BYTES else (_wide_squares, WIDEST)
    out = np.empty((k, k))
    kernel(np.ascontiguousarray(rows), *gram_memory(k, size), out)
    return out


def gram_memory(k: int, size: int = BYTES) -> tuple[Array, Array]:
    """Memory for some rows, zeros, and for the sums from the diagonal on, in whole vectors of so many bytes."""
    width = -(-8 * k // size) * size // 8
    if size == BYTES:  # where it begins matters less than what finding out costs
        return np.zeros((NEAR_ROWS, width)), np.empty((width, width))
    return memory.zeros((NEAR_ROWS, width)), memory.empty((width, width))


@jit
def squares(factor, near, half, out):
    """By the vectors that every machine has."""
    _squares(BYTES // 8, load, spread, factor, near, half, out)


@jit
def _wide_squares(factor, near, half, out):
    """By the widest."""
    _squares(WIDEST // 8, wide_load, wide_spread, factor, near, half, out)


@inlined
def _squares(lanes, load, spread, factor, near, half, out):
    """out = FᵀF; ``near`` and ``half`` as :func:`gram_memory` gives them, and may be used again.

    The sums of four rows and of two vectors of columns at a time stay in registers; at the end some of them are made
    twice.
    """
    (n, k), (most, width) = factor.shape, near.shape
    half[:] = 0
    for lo in range(0, n, most):
        rows = min(most, n - lo)
        for i in range(rows):
            for c in range(k):
                near[i, c] = factor[lo + i, c]
        for c in range(0, k, 4):
            for d in range(c // lanes * lanes, width, 2 * lanes):
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
