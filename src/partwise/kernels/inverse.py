"""The inverse of a small positive definite matrix."""

import math

import numpy as np

from partwise.kernels.jit import fused_jit

EPS = float(np.finfo(np.float64).eps)


@fused_jit
def positive_inverse(gram, scale, out):
    """out = G⁻¹ by elimination in the unit-diagonal scale; False where G is not positive definite to rounding.

    A positive definite matrix needs no other order of the pivots. The product of the largest sums of absolute values in
    a row, before and after, says how well it is conditioned. ``scale`` is memory for k numbers.
    """
    k = len(gram)
    for i in range(k):
        if not gram[i, i] > 0:
            return False
        scale[i] = 1 / math.sqrt(gram[i, i])
    before, after = 0.0, 0.0
    for i in range(k):
        total = 0.0
        for j in range(k):
            out[i, j] = gram[i, j] * scale[i] * scale[j]
            total += abs(out[i, j])
        if total > before:
            before = total
    for p in range(k):
        pivot = out[p]
        if not pivot[p] > 0:
            return False
        share = 1 / pivot[p]
        pivot[p] = 1
        for j in range(k):
            pivot[j] *= share
        for i in range(k):
            if i != p:
                row = out[i]
                minus = -row[p]
                row[p] = 0
                for j in range(k):
                    row[j] += minus * pivot[j]
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += abs(out[i, j])
        if total > after:
            after = total
        for j in range(i + 1):
            out[i, j] = out[j, i] = (out[i, j] + out[j, i]) / 2 * scale[i] * scale[j]
    return before * after * k * EPS < 1
