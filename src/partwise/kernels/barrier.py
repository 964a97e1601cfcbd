"""Each row of ½ xGxᵀ − r·x − μ Σ log x, μ → 0, by a primal–dual interior point; the gram has unit diagonal."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.nnls import descent, solve_passive

EPS = 2.220446049250313e-16


@jit
def newton(gram, x, z, y, target, work, everything, barred, right, dx):
    """Solve (G + diag(z/x)) dx = target/x − y."""
    k = x.shape[0]
    for c in range(k):
        for d in range(k):
            barred[c, d] = gram[c, d]
        barred[c, c] += z[c] / x[c]
        right[c] = target / x[c] - y[c]
    return solve_passive(barred, right, everything, work, dx)


@jit
def barrier_row(gram, r, work, everything, passive, barred, y, right, dx, z, s, x):
    """Follow the central path of one row to its end, then round: an entry smaller than its multiplier is 0."""
    k = r.shape[0]
    top = 0.0
    for c in range(k):
        top = max(top, r[c])
    if not top > 0:
        x[:] = 0.0
        return
    x[:] = top
    z[:] = top
    for _ in range(100):
        descent(gram, r, x, y)
        gap = 0.0
        wrong = 0.0
        for c in range(k):
            gap += x[c] * z[c]
            wrong = max(wrong, abs(y[c] - z[c]))
        if gap <= k * 1e-22 * top * top and wrong <= 64 * k * EPS * top:
            break
        if not newton(gram, x, z, y, 0.1 * gap / k, work, everything, barred, right, dx):
            break
        length = 1.0
        for c in range(k):
            dz = 0.1 * gap / k / x[c] - z[c] - z[c] / x[c] * dx[c]
            if dx[c] < 0:
                length = min(length, -0.995 * x[c] / dx[c])
            if dz < 0:
                length = min(length, -0.995 * z[c] / dz)
            right[c] = dz
        for c in range(k):
            x[c] += length * dx[c]
            z[c] += length * right[c]
    for c in range(k):
        passive[c] = x[c] > z[c]
        if not passive[c]:
            x[c] = 0.0
    if solve_passive(gram, r, passive, work, s):
        for c in range(k):
            if passive[c] and not s[c] > 0:
                return
        x[:] = s


@jit
def barrier_rows(gram, rhs, out):
    """Every row by :func:`barrier_row`."""
    k = gram.shape[0]
    work = np.empty((k, k + 2))
    barred = np.empty((k, k))
    everything = np.ones(k, np.bool_)
    passive = np.zeros(k, np.bool_)
    r = np.empty(k)
    y = np.empty(k)
    right = np.empty(k)
    dx = np.empty(k)
    z = np.empty(k)
    s = np.empty(k)
    x = np.empty(k)
    for i in range(rhs.shape[0]):
        for c in range(k):
            r[c] = rhs[i, c]
        barrier_row(gram, r, work, everything, passive, barred, y, right, dx, z, s, x)
        for c in range(k):
            out[i, c] = x[c]
