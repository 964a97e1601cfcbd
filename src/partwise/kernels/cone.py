"""Rows of a given Hoyer sparsity: the projection on the cone ‖x‖₁ = t ‖x‖₂, x ≥ 0, and descent along it."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.nnls import descent


@jit
def sort_down(y, order):
    """Put the permutation ``order`` into the order of falling y, the first index first among equals.

    By insertion: from one projection to the next the order hardly changes.
    """
    for a in range(1, order.shape[0]):
        c = order[a]
        b = a - 1
        while b >= 0 and (y[order[b]] < y[c] or (y[order[b]] == y[c] and order[b] > c)):
            order[b + 1] = order[b]
            b -= 1
        order[b + 1] = c


@jit
def project(y, t, order, x):
    """x = the nearest point of the cone to y (0 when no ray of it points y's way).

    The best ray is (y − θ)₊ for the θ that makes its ratio ‖·‖₁/‖·‖₂ equal t (Thom and Palm 2013); that ratio falls
    with θ, and for the p largest entries, with mean m and variance v, θ = m − t √(v / (p − t²)).
    """
    k = y.shape[0]
    sort_down(y, order)
    top = y[order[0]]
    spread = 0.0
    for c in range(k):
        spread = max(spread, abs(y[c]))
    x[:] = 0.0
    if not top > 0:
        return
    if t * t >= k * (1 - 1e-12):
        mean = 0.0
        for c in range(k):
            mean += y[c] / k
        x[:] = max(mean, 0.0)
        return
    s = 0.0
    q = 0.0
    theta = 0.0
    for p in range(1, k + 1):
        # Ties are broken towards the first: without it no threshold tells equal entries apart.
        v = y[order[p - 1]] - 1e-7 * spread * (p - 1) / k
        s += v
        q += v * v
        if p <= t * t:
            continue
        variance = max(q / p - (s / p) ** 2, 0.0)
        theta = s / p - t * np.sqrt(variance / (p - t * t))
        if p == k or theta >= y[order[p]] - 1e-7 * spread * p / k:
            break
    norm = 0.0
    along = 0.0
    for p in range(k):
        v = y[order[p]] - 1e-7 * spread * p / k - theta
        if v > 0:
            x[order[p]] = v
            norm += v * v
            along += v * y[order[p]]
    for c in range(k):
        x[c] *= max(along, 0.0) / norm if norm > 0 else 0.0


@jit
def cone_rows(gram, rhs, bound, t, inner, tol, out):
    """Improve each row of ``out`` in place: projected on the cone, then x ← P(x − (xG − r)/bound) until it rests."""
    k = gram.shape[0]
    r = np.empty(k)
    x = np.empty(k)
    y = np.empty(k)
    z = np.empty(k)
    order = np.arange(k)
    for i in range(out.shape[0]):
        for c in range(k):
            r[c] = rhs[i, c]
            y[c] = out[i, c]
        project(y, t, order, x)
        for _ in range(inner):
            descent(gram, r, x, y)
            for c in range(k):
                y[c] = x[c] - y[c] / bound
            project(y, t, order, z)
            moved = 0.0
            size = 0.0
            for c in range(k):
                moved += (z[c] - x[c]) ** 2
                size += z[c] ** 2
            x[:] = z
            if moved <= tol * tol * size:
                break
        for c in range(k):
            out[i, c] = x[c]


@jit
def cone_residual(gram, rhs, bound, t, factor):
    """bound · Σ ‖x − P(x − (xG − r)/bound)‖² over some rows."""
    k = gram.shape[0]
    r = np.empty(k)
    x = np.empty(k)
    y = np.empty(k)
    z = np.empty(k)
    order = np.arange(k)
    total = 0.0
    for i in range(factor.shape[0]):
        for c in range(k):
            r[c] = rhs[i, c]
            x[c] = factor[i, c]
        descent(gram, r, x, y)
        for c in range(k):
            y[c] = x[c] - y[c] / bound
        project(y, t, order, z)
        for c in range(k):
            total += bound * (z[c] - x[c]) ** 2
    return total
