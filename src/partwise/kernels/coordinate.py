"""Coordinate sweeps over the rows of ½ xGxᵀ − r·x, x ≥ 0."""

import numpy as np

from partwise.kernels.jit import jit


@jit
def coordinate_rows(gram, rhs, sweeps, out):
    """Improve each row of ``out`` in place by exact minimisation over one entry at a time, ``sweeps`` times."""
    k = gram.shape[0]
    gradient = np.empty(k, out.dtype)
    for i in range(out.shape[0]):
        x = out[i]
        for c in range(k):
            gradient[c] = -rhs[i, c]
        for c in range(k):
            if x[c] != 0:
                v = x[c]
                g = gram[c]
                for d in range(k):
                    gradient[d] += v * g[d]
        for _ in range(sweeps):
            moved = False
            for c in range(k):
                g = gram[c]
                old = x[c]
                if g[c] > 0:
                    new = old - gradient[c] / g[c]
                    if not new > 0:
                        new = old * 0
                else:
                    new = old * 0
                step = new - old
                if step != 0:
                    moved = True
                    x[c] = new
                    for d in range(k):
                        gradient[d] += step * g[d]
            if not moved:
                break
