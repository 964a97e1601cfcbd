"""The inverse of a small positive definite matrix."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.vectors import BYTES, fused, load, spread, store


@jit
def positive_inverse(gram, out):
    """out = G⁻¹ by elimination in the unit-diagonal scale; False where G is not positive definite to rounding.

    A positive definite matrix needs no pivoting. For a few dozen rows a call of LAPACK takes longer than the work.
    """
    k = len(gram)
    lanes = BYTES // gram.itemsize
    scale, work = np.empty(k), np.zeros((k, (k + lanes - 1) // lanes * lanes))
    for i in range(k):
        if not gram[i, i] > 0:
            return False
        scale[i] = 1 / np.sqrt(gram[i, i])
    before = after = 0.0
    for i in range(k):
        total = 0.0
        for j in range(k):
            work[i, j] = gram[i, j] * scale[i] * scale[j]
            total += abs(work[i, j])
        before = max(before, total)
    for p in range(k):
        if not work[p, p] > 0:
            return False
        share = 1 / work[p, p]
        work[p, p] = 1
        for j in range(k):
            work[p, j] *= share
        for i in range(k):
            if i != p:
                minus = spread(-work[i, p])
                work[i, p] = 0
                for j in range(0, k, lanes):
                    store(work, i, j, fused(minus, load(work, p, j), load(work, i, j)))
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += abs(work[i, j])
        after = max(after, total)
        for j in range(i + 1):
            out[i, j] = out[j, i] = (work[i, j] + work[j, i]) / 2 * scale[i] * scale[j]
    return before * after * k * np.finfo(np.float64).eps < 1
