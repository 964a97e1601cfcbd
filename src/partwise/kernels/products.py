"""Products and sums over a range of rows."""

import numba
import numpy as np

from partwise.kernels.jit import fused_jit, inlined, jit
from partwise.kernels.squares import COMPILES, NEAR_ROWS, by_vectors, wide_vector_product
from partwise.kernels.vectors import (
    BYTES,
    WIDEST,
    fused,
    lanes_of,
    load,
    spread,
    store,
    wide_lanes_of,
    wide_load,
    wide_spread,
)
from partwise.types import Array


@fused_jit
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


def csr_product(indptr: Array, indices: Array, values: Array, factor: Array, lo: int, hi: int, out: Array) -> None:
    """The same bits as :func:`plain_csr_product`, faster; a factor narrower than a vector is filled up.

    ``out`` has hi − lo rows.
    """
    if not COMPILES or numba.config.BOUNDSCHECK:  # vectors check no index, so make bounds would see none outside
        plain_csr_product(indptr, indices, values, factor, lo, hi, out)
        return
    width, item, least = factor.shape[1], factor.itemsize, BYTES // factor.itemsize
    if width < least:
        wide, sums = np.zeros((len(factor), least), factor.dtype), np.empty((hi - lo, least), out.dtype)
        wide[:, :width] = factor
        _narrow_csr_product(indptr, indices, values, wide, lo, sums)
        out[:] = sums[:, :width]
    elif width * item < WIDEST:
        _narrow_csr_product(indptr, indices, values, factor, lo, out)
    else:
        _wide_csr_product(indptr, indices, values, factor, lo, out)


@jit
def _narrow_csr_product(indptr, indices, values, factor, lo, out):
    """By the vectors that every machine has."""
    _products(lanes_of(factor), load, spread, indptr, indices, values, factor, lo, out)


@jit
def _wide_csr_product(indptr, indices, values, factor, lo, out):
    """By the widest."""
    _products(wide_lanes_of(factor), wide_load, wide_spread, indptr, indices, values, factor, lo, out)


@inlined
def _products(lanes, load, spread, indptr, indices, values, factor, lo, out):
    """out[i] = Σ_j A[lo + i, j] factor[j].

    The sums of eight vectors of columns at a time, or of the last seven, four or two, stay in registers while a row's
    entries pass: what is far away is fetched meanwhile, so a large factor need not be read in pieces. Some of the last
    columns are made twice.
    """
    k, zero = factor.shape[1], spread(factor.dtype.type(0))
    tail = k - lanes
    for i in range(len(out)):
        first, last, j = np.uint64(indptr[lo + i]), np.uint64(indptr[lo + i + 1]), 0
        while j < k:
            t, u, left = min(j, tail), min(j + lanes, tail), k - j
            a = b = c = d = e = g = h = m = zero
            if left <= 2 * lanes:
                for p in range(first, last):
                    v, f = spread(values[p]), np.uint64(indices[p])
                    a, b = fused(v, load(factor, f, t), a), fused(v, load(factor, f, u), b)
                store(out, i, t, a), store(out, i, u, b)
                j += 2 * lanes
                continue
            x, y = min(j + 2 * lanes, tail), min(j + 3 * lanes, tail)
            if left <= 4 * lanes:
                for p in range(first, last):
                    v, f = spread(values[p]), np.uint64(indices[p])
                    a, b = fused(v, load(factor, f, t), a), fused(v, load(factor, f, u), b)
                    c, d = fused(v, load(factor, f, x), c), fused(v, load(factor, f, y), d)
                store(out, i, t, a), store(out, i, u, b), store(out, i, x, c), store(out, i, y, d)
                j += 4 * lanes
                continue
            q, r, s = min(j + 4 * lanes, tail), min(j + 5 * lanes, tail), min(j + 6 * lanes, tail)
            if left <= 7 * lanes:
                for p in range(first, last):
                    v, f = spread(values[p]), np.uint64(indices[p])
                    a, b = fused(v, load(factor, f, t), a), fused(v, load(factor, f, u), b)
                    c, d = fused(v, load(factor, f, x), c), fused(v, load(factor, f, y), d)
                    e, g = fused(v, load(factor, f, q), e), fused(v, load(factor, f, r), g)
                    h = fused(v, load(factor, f, s), h)
                store(out, i, t, a), store(out, i, u, b), store(out, i, x, c), store(out, i, y, d)
                store(out, i, q, e), store(out, i, r, g), store(out, i, s, h)
                j += 7 * lanes
                continue
            w = min(j + 7 * lanes, tail)
            for p in range(first, last):
                v, f = spread(values[p]), np.uint64(indices[p])
                a, b = fused(v, load(factor, f, t), a), fused(v, load(factor, f, u), b)
                c, d = fused(v, load(factor, f, x), c), fused(v, load(factor, f, y), d)
                e, g = fused(v, load(factor, f, q), e), fused(v, load(factor, f, r), g)
                h, m = fused(v, load(factor, f, s), h), fused(v, load(factor, f, w), m)
            store(out, i, t, a), store(out, i, u, b), store(out, i, x, c), store(out, i, y, d)
            store(out, i, q, e), store(out, i, r, g), store(out, i, s, h), store(out, i, w, m)
            j += 8 * lanes


@jit
def dense_product(numbers, start, across, along, factor, depth, out):
    """out[i] = Σ_p numbers[start + i·across + p·along] factor[p], ``depth`` rows of the factor at a time.

    BLAS packs A for every product, which costs more than a product with a few columns itself. The sums of four rows
    and of three vectors of columns, or of two, stay in registers. A row has the same bits wherever it stands.
    """
    n, (m, k), lanes = len(out), factor.shape, lanes_of(factor)
    zero, tail = spread(factor.dtype.type(0)), k - lanes
    for lo in range(0, m, depth):
        hi = min(lo + depth, m)
        for i in range(0, n, 4):
            i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
            at, at1 = np.uint64(start + i * across), np.uint64(start + i1 * across)
            at2, at3 = np.uint64(start + i2 * across), np.uint64(start + i3 * across)
            j = 0
            while j < k:
                u, v, w, left = min(j, tail), min(j + lanes, tail), min(j + 2 * lanes, tail), k - j
                a0 = a1 = a2 = b0 = b1 = b2 = c0 = c1 = c2 = d0 = d1 = d2 = zero
                if lo > 0:
                    a0, b0, c0, d0 = load(out, i, u), load(out, i1, u), load(out, i2, u), load(out, i3, u)
                    a1, b1, c1, d1 = load(out, i, v), load(out, i1, v), load(out, i2, v), load(out, i3, v)
                    a2, b2, c2, d2 = load(out, i, w), load(out, i1, w), load(out, i2, w), load(out, i3, w)
                if left > 4 * lanes or 2 * lanes < left <= 3 * lanes:  # so that the last vector is never alone
                    for p in range(lo, hi):
                        s0, s1, s2, q = load(factor, p, u), load(factor, p, v), load(factor, p, w), np.uint64(p * along)
                        a = spread(numbers[at + q])  # row by row: so a machine with sixteen registers has enough
                        a0, a1, a2 = fused(a, s0, a0), fused(a, s1, a1), fused(a, s2, a2)
                        b = spread(numbers[at1 + q])
                        b0, b1, b2 = fused(b, s0, b0), fused(b, s1, b1), fused(b, s2, b2)
                        c = spread(numbers[at2 + q])
                        c0, c1, c2 = fused(c, s0, c0), fused(c, s1, c1), fused(c, s2, c2)
                        d = spread(numbers[at3 + q])
                        d0, d1, d2 = fused(d, s0, d0), fused(d, s1, d1), fused(d, s2, d2)
                    store(out, i, w, a2), store(out, i1, w, b2), store(out, i2, w, c2), store(out, i3, w, d2)
                    j += 3 * lanes
                else:
                    for p in range(lo, hi):
                        s0, s1, q = load(factor, p, u), load(factor, p, v), np.uint64(p * along)
                        a, b = spread(numbers[at + q]), spread(numbers[at1 + q])
                        c, d = spread(numbers[at2 + q]), spread(numbers[at3 + q])
                        a0, b0, c0, d0 = fused(a, s0, a0), fused(b, s0, b0), fused(c, s0, c0), fused(d, s0, d0)
                        a1, b1, c1, d1 = fused(a, s1, a1), fused(b, s1, b1), fused(c, s1, c1), fused(d, s1, d1)
                    j += 2 * lanes
                store(out, i, u, a0), store(out, i1, u, b0), store(out, i2, u, c0), store(out, i3, u, d0)
                store(out, i, v, a1), store(out, i1, v, b1), store(out, i2, v, c1), store(out, i3, v, d1)


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
def dot(x, y):
    """Σ_ij x[i, j] y[i, j], in this order."""
    total = 0.0
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            total += x[i, c] * y[i, c]
    return total


@jit
def factor_sums(new, rhs, old, inner, dots):
    """column_dots of (new, rhs) into inner and of (new, old) into dots, in one pass over cold memory."""
    for i in range(new.shape[0]):
        x, r, before = new[i], rhs[i], old[i]
        for c in range(new.shape[1]):
            value = np.float64(x[c])
            inner[c] += value * np.float64(r[c])
            dots[c] += value * np.float64(before[c])


def clips(k: int, item: int) -> bool:
    """Whether vectors suit :func:`csr_clipped_product` with k columns of numbers of ``item`` bytes."""
    return by_vectors(k, item) and k * item >= WIDEST


@jit
def csr_clipped_product(indptr, indices, values, factor, lo, hi, square, old, measured, out, inner, dots):
    """out[lo:hi] = max(0, A[lo:hi] · factor · square), and factor_sums of it where they are wanted.

    The same bits as csr_product, square_product and factor_sums one after the other, some rows at a time so that what
    one of them wrote is still near when the next one reads it; only where :func:`clips` says so.
    """
    zero, right = square.dtype.type(0), np.empty((NEAR_ROWS, factor.shape[1]), values.dtype)
    for start in range(lo, hi, NEAR_ROWS):
        end = min(start + NEAR_ROWS, hi)
        rows, new = right[: end - start], out[start:end]
        _wide_csr_product(indptr, indices, values, factor, start, rows)
        wide_vector_product(rows, square, zero, new)
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
