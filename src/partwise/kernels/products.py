"""Products and sums over a range of rows."""

import numpy as np

from partwise.kernels.jit import jit


@jit
def csr_product(indptr, indices, values, factor, lo, hi, out):
    """out[i − lo] = Σ_j A[i, j] factor[j] for the rows lo ≤ i < hi of a CSR matrix, in the order stored."""
    k = factor.shape[1]
    for i in range(lo, hi):
        row = out[i - lo]
        for c in range(k):
            row[c] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            v = values[p]
            f = factor[indices[p]]
            for c in range(k):
                row[c] += v * f[c]


@jit
def column_dots(x, y):
    """Σ_i x[i, c] y[i, c] for each column c, summed in float64."""
    total = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            total[c] += np.float64(x[i, c]) * np.float64(y[i, c])
    return total


@jit
def look_ahead(new, old, beta, floor, out):
    """out = max(floor · new, new + beta (new − old))."""
    for i in range(new.shape[0]):
        for c in range(new.shape[1]):
            v = new[i, c] + beta * (new[i, c] - old[i, c])
            out[i, c] = max(v, floor * new[i, c])


@jit
def optimality(factor, gradient, rhs, scale, slack):
    """(Σ min(X b, ∇/b)², zeros whose gradient is negative by more than slack·rhs) over some rows."""
    squares = 0.0
    locked = 0
    for i in range(factor.shape[0]):
        for c in range(factor.shape[1]):
            x = np.float64(factor[i, c])
            g = gradient[i, c]
            if x == 0 and g < -slack * rhs[i, c]:
                locked += 1
            if scale[c] > 0:
                r = min(x * scale[c], g / scale[c])
                squares += r * r
    return squares, locked
