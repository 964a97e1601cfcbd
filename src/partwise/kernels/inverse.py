"""The inverse of a small positive definite matrix."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.vectors import BYTES, fused, load, spread, store

LANES = BYTES // 8
EPS = float(np.finfo(np.float64).eps)


@jit
def positive_inverse(gram, work, out):
    """out = G⁻¹ by elimination in the unit-diagonal scale; False where G is not positive definite to rounding.

    A positive definite matrix needs no other order of the pivots. ``work`` has a row for each topic, one more, and
    columns for them in whole vectors, all zero.
    """
    k = len(gram)
    scale = work[k]
    for i in range(k):
        if not gram[i, i] > 0:
            return False
        scale[i] = 1 / np.sqrt(gram[i, i])
    for i in range(k):
        for j in range(k):
            work[i, j] = gram[i, j] * scale[i] * scale[j]
    before = _norm(work, k)
    if not _eliminate(work, k):
        return False
    for i in range(k):
        for j in range(i + 1):
            out[i, j] = out[j, i] = (work[i, j] + work[j, i]) / 2 * scale[i] * scale[j]
    return before * _norm(work, k) * k * EPS < 1


@jit
def _norm(work, k):
    """The largest sum of absolute values in a row."""
    largest = 0.0
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += abs(work[i, j])
        if total > largest:
            largest = total
    return largest


@jit
def _eliminate(work, k):
    """The inverse in place; False where a pivot is not positive."""
    zero = spread(0.0)
    for p in range(k):
        if not work[p, p] > 0:
            return False
        share = spread(1 / work[p, p])
        work[p, p] = 1
        for j in range(0, k, LANES):
            store(work, p, j, fused(share, load(work, p, j), zero))
        for i in range(k):
            if i != p:
                minus = spread(-work[i, p])
                work[i, p] = 0
                for j in range(0, k, LANES):
                    store(work, i, j, fused(minus, load(work, p, j), load(work, i, j)))
    return True
