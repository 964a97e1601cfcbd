"""Exact rows of ½ xGxᵀ − r·x, x ≥ 0, for few components: block principal pivoting with a row in every lane."""

import math

import numba
import numpy as np

from partwise.kernels.inverse import positive_inverse
from partwise.kernels.jit import sums_jit
from partwise.kernels.nnls import EPS, fnnls_rows
from partwise.kernels.squares import COMPILES
from partwise.kernels.vectors import BYTES, at_least, below, fused, lanes_of, load, spread, store
from partwise.types import Array

NARROW = 20
"""The largest rank at which that is faster: a lane solves its system with all components, a row by itself with few."""
LANES = 2 * BYTES // 8


def suits(k: int) -> bool:
    """Whether rows of k components are solved here; vectors check no index, so ``make bounds`` would see none."""
    return COMPILES and k <= NARROW and not numba.config.BOUNDSCHECK


def exact_lanes(gram: Array, rhs: Array, out: Array) -> None:
    """Every row by pivoting from the support of the least-squares solution, and by FNNLS where that gives up.

    A row has the same bits wherever it stands.
    """
    k, solved, right = len(gram), np.empty(len(rhs), np.bool_), rhs.astype(np.float64, copy=False)
    solution = out if out.dtype == right.dtype else np.empty(out.shape)
    scaled, memory, rows = np.empty((2 * k + 2, k)), np.zeros((k * (k + 5) + 3, LANES)), np.empty((4, LANES), int)
    _pivot_lanes(gram, right, scaled, memory[: k * (k + 1)], memory[k * (k + 1) :], rows, solved, solution)
    if not solved.all():
        rest = right[~solved] * scaled[k]
        fnnls_rows(scaled[:k], rest, rest)
        solution[~solved] = np.maximum(rest, 0) * scaled[k]
    if solution is not out:
        np.copyto(out, solution, casting="same_kind")


@sums_jit
def _pivot_lanes(gram, rhs, scaled, system, columns, rows, solved, out):
    """A row in every lane of two vectors; one that ends gives its lane to the next row.

    ``scaled`` becomes D⁻¹GD⁻¹ with D = √diag G, in which tolerances are relative, 1/D below it, and the inverse of what
    is above; a component whose diagonal is 0 gets a 1 of its own, so that its entry is 0. ``system`` is memory for
    (G in P, I outside | r) and for its factors, row by row, with −1/pivot in place of a pivot. ``columns`` has 1 for
    what is in P and 0 for the rest, r, x, 1 where a sign is wrong (that of x in P, of xG − r outside), and at the end
    the tolerance, minus the least pivot and how many signs are wrong. ``rows`` are the row of a lane, −1 for none, the
    fewest signs that were wrong, patience and the rounds that are left.
    """
    (n, k), lanes, width, slack = out.shape, lanes_of(gram), columns.shape[1], 32 * len(gram) * EPS
    right, x, signs, tol, stride, following, left = k, 2 * k, 3 * k, 4 * k, k + 1, 0, n
    nil, one, minus, twice = spread(0.0), spread(1.0), spread(-1.0), spread(-2.0)
    for a in range(k):
        scaled[k, a] = 1 / math.sqrt(gram[a, a]) if gram[a, a] > 0 else 0.0
    for a in range(k):
        for b in range(k):
            scaled[a, b] = gram[a, b] * scaled[k, b] * scaled[k, a] if a != b else 1.0
    inverse = scaled[k + 1 : 2 * k + 1]
    regular = positive_inverse(scaled[:k], scaled[2 * k + 1], inverse)
    for i in range(width):
        rows[0, i] = -1
    while left > 0:
        for i in range(width):
            if rows[0, i] < 0 and following < n:
                top = 0.0
                for c in range(k):
                    value = columns[right + c, i] = rhs[following, c] * scaled[k, c]
                    top = max(top, abs(value))
                columns[tol, i] = slack * top
                for c in range(k):
                    value = 0.0
                    for d in range(k):
                        value += inverse[c, d] * columns[right + d, i]
                    columns[c, i] = 0.0 if regular and value <= 0 else 1.0
                rows[0, i], rows[1, i], rows[2, i], rows[3, i] = following, k + 1, 3, 5 * k + 20
                following += 1
        p0 = p1 = minus
        for b in range(k):
            row, m0, m1 = b * stride, load(columns, b, 0), load(columns, b, lanes)
            for c in range(b, k + 1):
                if c < k:
                    g = spread(scaled[b, c])
                    s0, s1 = fused(g, load(columns, c, 0), nil), fused(g, load(columns, c, lanes), nil)
                else:
                    s0, s1 = load(columns, right + b, 0), load(columns, right + b, lanes)
                s0, s1 = (one, one) if b == c else (fused(m0, s0, nil), fused(m1, s1, nil))
                for a in range(b):
                    s0 = fused(load(system, row + a, 0), load(system, a * stride + c, 0), s0)
                    s1 = fused(load(system, row + a, lanes), load(system, a * stride + c, lanes), s1)
                store(system, row + c, 0, s0), store(system, row + c, lanes, s1)
            s0, s1 = fused(minus, load(system, row + b, 0), nil), fused(minus, load(system, row + b, lanes), nil)
            p0, p1 = at_least(p0, s0), at_least(p1, s1)
            for i in range(width):
                system[row + b, i] = -1.0 / system[row + b, i]
            s0, s1 = load(system, row + b, 0), load(system, row + b, lanes)
            for c in range(b + 1, k):
                store(system, c * stride + b, 0, fused(load(system, row + c, 0), s0, nil))
                store(system, c * stride + b, lanes, fused(load(system, row + c, lanes), s1, nil))
        for a in range(k - 1, -1, -1):
            row = a * stride
            s0, s1 = fused(minus, load(system, row + k, 0), nil), fused(minus, load(system, row + k, lanes), nil)
            for b in range(a + 1, k):
                s0 = fused(load(system, row + b, 0), load(columns, x + b, 0), s0)
                s1 = fused(load(system, row + b, lanes), load(columns, x + b, lanes), s1)
            store(columns, x + a, 0, fused(s0, load(system, row + a, 0), nil))
            store(columns, x + a, lanes, fused(s1, load(system, row + a, lanes), nil))
        w0 = w1 = nil
        for c in range(k):
            s0 = fused(minus, load(columns, right + c, 0), load(columns, tol, 0))
            s1 = fused(minus, load(columns, right + c, lanes), load(columns, tol, lanes))
            for d in range(k):
                g = spread(scaled[c, d])
                s0, s1 = fused(g, load(columns, x + d, 0), s0), fused(g, load(columns, x + d, lanes), s1)
            m0, m1 = load(columns, c, 0), load(columns, c, lanes)
            s0 = fused(m0, load(columns, x + c, 0), fused(fused(minus, m0, one), s0, nil))
            s1 = fused(m1, load(columns, x + c, lanes), fused(fused(minus, m1, one), s1, nil))
            s0, s1 = below(s0, nil), below(s1, nil)
            w0, w1 = fused(one, s0, w0), fused(one, s1, w1)
            store(columns, signs + c, 0, s0), store(columns, signs + c, lanes, s1)
            store(columns, c, 0, fused(fused(twice, m0, one), s0, m0))
            store(columns, c, lanes, fused(fused(twice, m1, one), s1, m1))
        store(columns, tol + 1, 0, p0), store(columns, tol + 1, lanes, p1)
        store(columns, tol + 2, 0, w0), store(columns, tol + 2, lanes, w1)
        for i in range(width):
            row, wrong = rows[0, i], int(columns[tol + 2, i])
            if row < 0:
                continue
            if wrong > 0 and columns[tol + 1, i] < -slack and rows[3, i] > 0:
                rows[2, i], rows[3, i] = rows[2, i] - 1, rows[3, i] - 1
                if wrong < rows[1, i]:
                    rows[1, i], rows[2, i] = wrong, 3
                if rows[2, i] < 0:  # out of patience: only the last one changes
                    for c in range(k):
                        if columns[signs + c, i] > 0 and wrong > 1:
                            columns[c, i], wrong = 1.0 - columns[c, i], wrong - 1
                continue
            solved[row] = columns[tol + 1, i] < -slack and wrong == 0
            for c in range(k):
                value = columns[x + c, i]
                out[row, c] = 0.0 if value <= 0 else value * scaled[k, c]  # what is not a number stays
            rows[0, i], left = -1, left - 1
