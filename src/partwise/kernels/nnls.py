"""Exact rows of ½ xGxᵀ − r·x, x ≥ 0, by active sets; the gram has unit diagonal, so tolerances are relative."""

import numpy as np

from partwise.kernels.jit import inlined, jit
from partwise.types import Array

EPS = 2.220446049250313e-16


@jit
def solve_passive(gram, r, passive, work, x):
    """Solve G_PP x_P = r_P by Cholesky and set the other entries to 0; False when G_PP is singular to rounding.

    ``work`` (k × (k + 2)) holds the system, its right-hand side and the numbers of P: an array of its own would be made
    by numba's allocator, which costs every process 50 ms to load.
    """
    k = gram.shape[0]
    n, numbers = 0, k + 1
    for c in range(k):
        x[c] = 0.0
        if passive[c]:
            work[n, numbers] = c
            n += 1
    for a in range(n):
        j = int(work[a, numbers])
        for b in range(a, n):
            work[a, b] = gram[j, int(work[b, numbers])]
        work[a, k] = r[j]
    for a in range(n):
        pivot = work[a, a]
        if not pivot > 32 * k * EPS:
            return False
        for b in range(a + 1, n):
            f = work[a, b] / pivot
            if f != 0:
                for c in range(b, n):
                    work[b, c] -= f * work[a, c]
                work[b, k] -= f * work[a, k]
    for a in range(n - 1, -1, -1):
        v = work[a, k]
        for b in range(a + 1, n):
            v -= work[a, b] * x[int(work[b, numbers])]
        x[int(work[a, numbers])] = v / work[a, a]
    return True


@inlined
def descent(gram, r, x, y):
    """y = xG − r, the gradient of the row's objective."""
    k = gram.shape[0]
    for c in range(k):
        y[c] = -r[c]
    for c in range(k):
        v = x[c]
        if v != 0:
            for d in range(k):
                y[d] += v * gram[c, d]


@jit
def fnnls_row(gram, r, passive, work, y, s, x):
    """The active-set method of Bro and de Jong (1997) on one row, from x = 0."""
    k = gram.shape[0]
    top = 0.0
    for c in range(k):
        passive[c] = False
        x[c] = 0.0
        top = max(top, abs(r[c]))
    tol = 32 * k * EPS * top
    barred = np.zeros(k, np.bool_)
    for _ in range(10 * k):
        descent(gram, r, x, y)
        best = -1
        for c in range(k):
            if not passive[c] and not barred[c] and y[c] < -tol and (best < 0 or y[c] < y[best]):
                best = c
        if best < 0:
            return
        passive[best] = True
        if not solve_passive(gram, r, passive, work, s) or not s[best] > 0:
            passive[best] = False
            barred[best] = True
            continue
        while True:
            alpha = 1.0
            blocking = -1
            for c in range(k):
                if passive[c] and not s[c] > 0:
                    ratio = x[c] / (x[c] - s[c]) if x[c] > s[c] else 0.0
                    if blocking < 0 or ratio < alpha:
                        alpha = ratio
                        blocking = c
            if blocking < 0:
                break
            for c in range(k):
                if passive[c]:
                    x[c] += alpha * (s[c] - x[c])
                    if c == blocking or (not s[c] > 0 and not x[c] > 0):
                        passive[c] = False
                        x[c] = 0.0
            solve_passive(gram, r, passive, work, s)
        for c in range(k):
            x[c] = s[c]
            barred[c] = False


@jit
def fnnls_rows(gram, rhs, out):
    """Every row by :func:`fnnls_row`."""
    k = gram.shape[0]
    work = np.empty((k, k + 2))
    passive = np.zeros(k, np.bool_)
    r = np.empty(k)
    y = np.empty(k)
    s = np.empty(k)
    x = np.empty(k)
    for i in range(rhs.shape[0]):
        for c in range(k):
            r[c] = rhs[i, c]
        fnnls_row(gram, r, passive, work, y, s, x)
        for c in range(k):
            out[i, c] = x[c]


@inlined
def pivot_row(gram, r, passive, work, y, x):
    """Block principal pivoting (Kim and Park 2011) on one row from ``passive``; False when it gives up."""
    k = gram.shape[0]
    top = 0.0
    for c in range(k):
        top = max(top, abs(r[c]))
    tol = 32 * k * EPS * top
    fewest = k + 1
    patience = 3
    for _ in range(5 * k + 20):
        if not solve_passive(gram, r, passive, work, x):
            return False
        descent(gram, r, x, y)
        wrong = 0
        last = -1
        for c in range(k):
            y[c] = x[c] if passive[c] else y[c] + tol
            if y[c] < 0:
                wrong += 1
                last = c
        if wrong == 0:
            return True
        patience -= 1
        if wrong < fewest:
            fewest = wrong
            patience = 3
        for c in range(k):
            if y[c] < 0 and (patience >= 0 or c == last):
                passive[c] = not passive[c]
    return False


def pivoting_rows(gram: Array, rhs: Array, guess: Array, out: Array) -> None:
    """Every row by pivoting from the support of ``guess``; a row on which it gives up is solved by FNNLS.

    That is rare, so FNNLS is a kernel of its own, which is compiled when it is needed.
    """
    k, solved = len(gram), np.empty(len(rhs), np.bool_)
    _pivot_rows(gram, rhs, guess, np.empty((k, k + 2)), np.empty((3, k)), np.empty(k, np.bool_), solved, out)
    if not solved.all():
        rest = np.empty((len(rhs) - np.count_nonzero(solved), k), out.dtype)
        fnnls_rows(gram, rhs[~solved], rest)
        out[~solved] = np.where(rest > 0, rest, 0)


@jit
def _pivot_rows(gram, rhs, guess, work, vectors, passive, solved, out):
    """Every row by :func:`pivot_row`, where that does not give up; ``solved`` says so."""
    r, y, x = vectors[0], vectors[1], vectors[2]
    for i in range(len(solved)):
        for c in range(len(passive)):
            r[c] = rhs[i, c]
            passive[c] = guess[i, c] > 0
        solved[i] = pivot_row(gram, r, passive, work, y, x)
        for c in range(len(passive)):
            out[i, c] = x[c] if x[c] > 0 else 0.0
