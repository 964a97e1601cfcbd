"""The inverse of a small positive definite matrix."""

import numpy as np

from partwise.kernels.jit import fused_jit, jit

EPS = float(np.finfo(np.float64).eps)


@jit
def positive_inverse(gram, out):
    """out = G⁻¹ by elimination in the unit-diagonal scale; False where G is not positive definite to rounding.

    A positive definite matrix needs no other order of the pivots.
    """
    k = len(gram)
    work, scale = np.empty((k, k)), np.empty(k)
    for i in range(k):
        if not gram[i, i] > 0:
            return False
        scale[i] = 1 / np.sqrt(gram[i, i])
    for i in range(k):
        for j in range(k):
            work[i, j] = gram[i, j] * scale[i] * scale[j]
    before = _norm(work)
    if not _eliminate(work):
        return False
    for i in range(k):
        for j in range(i + 1):
            out[i, j] = out[j, i] = (work[i, j] + work[j, i]) / 2 * scale[i] * scale[j]
    return before * _norm(work) * k * EPS < 1


@jit
def _norm(work):
    """The largest sum of absolute values in a row."""
    largest = 0.0
    for i in range(len(work)):
        total = 0.0
        for j in range(len(work)):
            total += abs(work[i, j])
        if total > largest:
            largest = total
    return largest


@fused_jit
def _eliminate(work):
    """The inverse in place; False where a pivot is not positive."""
    k = len(work)
    for p in range(k):
        pivot = work[p]
        if not pivot[p] > 0:
            return False
        share = 1 / pivot[p]
        pivot[p] = 1
        for j in range(k):
            pivot[j] *= share
        for i in range(k):
            if i != p:
                row = work[i]
                minus = -row[p]
                row[p] = 0
                for j in range(k):
                    row[j] += minus * pivot[j]
    return True
