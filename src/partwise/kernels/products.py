"""Products and sums over a range of rows."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.squares import NEAR_ROWS, vector_product
from partwise.types import Array

ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
"""An index that cannot be negative is used as it is: a fifth of the time of a product with ten columns."""


@jit
def plain_csr_product(indptr, indices, values, factor, lo, hi, out):
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


def csr_product(
    indptr: Array, indices: Array, values: Array, factor: Array, lo: int, hi: int, tile: int, out: Array
) -> None:
    """The same bits as :func:`plain_csr_product`, for sorted indices, faster: ``tile`` rows of the factor at a time.

    So a factor larger than the cache is read a piece at a time.
    """
    at = indptr[lo:hi].copy()
    out.fill(0)
    for end in range(tile, len(factor) + tile, tile):
        _add_products(indptr, indices, values, factor, lo, at, end, out)


@jit
def _add_products(indptr, indices, values, factor, lo, at, end, out):
    """out[i] += Σ A[lo + i, j] factor[j] over the entries from at[i] on with j < end; ``at`` is moved past them.

    Four entries at a time, so that a sum is loaded and stored once for four.
    """
    k = factor.shape[1]
    for i in range(len(at)):
        p, last = np.uint64(at[i]), np.uint64(indptr[lo + i + 1])
        row = out[i]
        while p + FOUR <= last and indices[p + THREE] < end:
            v0, v1, v2, v3 = values[p], values[p + ONE], values[p + TWO], values[p + THREE]
            f0, f1 = factor[np.uint64(indices[p])], factor[np.uint64(indices[p + ONE])]
            f2, f3 = factor[np.uint64(indices[p + TWO])], factor[np.uint64(indices[p + THREE])]
            for c in range(k):
                row[c] = row[c] + v0 * f0[c] + v1 * f1[c] + v2 * f2[c] + v3 * f3[c]
            p += FOUR
        while p < last and indices[p] < end:
            v, f = values[p], factor[np.uint64(indices[p])]
            for c in range(k):
                row[c] += v * f[c]
            p += ONE
        at[i] = p


@jit
def csr_row_squares(indptr, values, out):
    """out[i] = Σ_j A[i, j]² in float64."""
    for i in range(out.shape[0]):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            v = np.float64(values[p])
            total += v * v
        out[i] = total


@jit
def column_dots(x, y, total):
    """total[c] += Σ_i x[i, c] y[i, c] for each column c, in float64.

    An array that a kernel returns is wrapped by Python code of numba's, where Ctrl-C would become another error; so
    the sums go into an array of the caller.
    """
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            total[c] += np.float64(x[i, c]) * np.float64(y[i, c])


@jit
def factor_sums(new, rhs, old, inner, dots):
    """column_dots of (new, rhs) into inner and of (new, old) into dots, in one pass over cold memory."""
    for i in range(new.shape[0]):
        x, r, before = new[i], rhs[i], old[i]
        for c in range(new.shape[1]):
            value = np.float64(x[c])
            inner[c] += value * np.float64(r[c])
            dots[c] += value * np.float64(before[c])


@jit
def csr_clipped_product(indptr, indices, values, factor, lo, hi, square, old, measured, out, inner, dots):
    """out[lo:hi] = max(0, A[lo:hi] · factor · square), and factor_sums of it where they are wanted.

    The same bits as csr_product, square_product and factor_sums one after the other, some rows at a time so that what
    one of them wrote is still near when the next one reads it; for what suits ``squares.by_vectors`` alone.
    """
    zero, right = square.dtype.type(0), np.empty((NEAR_ROWS, factor.shape[1]), values.dtype)
    for start in range(lo, hi, NEAR_ROWS):
        end = min(start + NEAR_ROWS, hi)
        rows, new = right[: end - start], out[start:end]
        for i in range(end - start):
            for c in range(factor.shape[1]):
                rows[i, c] = 0
        _add_products(indptr, indices, values, factor, start, indptr[start:end].copy(), len(factor), rows)
        vector_product(rows, square, zero, new)
        if measured:
            factor_sums(new, rows, old[start:end], inner, dots)


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
