"""Projected gradient with a line search for each row of ½ xGxᵀ − r·x, x ≥ 0."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.nnls import descent


@jit
def trial(gram, x, y, step, z, d, gd):
    """Lin's test of z = max(0, x − step·y): .99 y·d + ½ dGdᵀ ≤ 0 with d = z − x."""
    k = x.shape[0]
    slope = 0.0
    for c in range(k):
        v = x[c] - step * y[c]
        z[c] = v if v > 0 else 0.0
        d[c] = z[c] - x[c]
        slope += y[c] * d[c]
        gd[c] = 0.0
    for c in range(k):
        if d[c] != 0:
            for e in range(k):
                gd[e] += d[c] * gram[c, e]
    curvature = 0.0
    for c in range(k):
        curvature += d[c] * gd[c]
    return 0.99 * slope + 0.5 * curvature <= 0


@jit
def gradient_rows(gram, rhs, first, inner, tol, out):
    """Improve each row of ``out`` in place, at most ``inner`` steps, until its projected gradient fell by ``tol``."""
    k = gram.shape[0]
    r = np.empty(k)
    x = np.empty(k)
    y = np.empty(k)
    z = np.empty(k)
    kept = np.empty(k)
    d = np.empty(k)
    gd = np.empty(k)
    for i in range(out.shape[0]):
        for c in range(k):
            r[c] = rhs[i, c]
            x[c] = out[i, c]
        step = first
        start = 0.0
        for j in range(inner):
            descent(gram, r, x, y)
            size = 0.0
            for c in range(k):
                if x[c] > 0 or y[c] < 0:
                    size += y[c] * y[c]
            if j == 0:
                start = size
            if size <= tol * tol * start:
                break
            accepted = trial(gram, x, y, step, z, d, gd)
            if accepted:
                for _ in range(20):
                    kept[:] = z
                    moved = trial(gram, x, y, step * 10, z, d, gd)
                    if not moved or np.all(z == kept):
                        break
                    step *= 10
                z[:] = kept
            else:
                for _ in range(20):
                    step /= 10
                    accepted = trial(gram, x, y, step, z, d, gd)
                    if accepted:
                        break
            if not accepted:
                break
            x[:] = z
        for c in range(k):
            out[i, c] = x[c]
