"""Coordinate sweeps over the rows of ½ xGxᵀ − r·x, x ≥ 0."""

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.squares import square_product
from partwise.types import Array


def coordinate_rows(
    gram: Array, inverse: Array, rhs: Array, factor: Array, sweeps: int, settled: float, out: Array
) -> None:
    """Improve each row of ``factor`` by exact minimisation over one entry at a time, in at most ``sweeps`` sweeps.

    A row ends when a sweep gains at most the share ``settled`` of what its first one gained. ``inverse`` is 1/diag G, 0
    for a dead topic. A row whose right-hand side is all zero becomes zero:
    that is what the sweeps go to, and what rounding can keep them from.
    """
    gradient = np.empty_like(out)
    square_product(factor, gram, gram.dtype.type(-np.inf), gradient)
    _sweep_rows(gram, inverse, rhs, factor, sweeps, settled, gradient, out)


@jit
def _sweep_rows(gram, inverse, rhs, factor, sweeps, settled, gradient, out):
    """The same for rows whose gradient comes as xG, and is overwritten."""
    k = gram.shape[0]
    for i in range(out.shape[0]):
        x, y, r, before = out[i], gradient[i], rhs[i], factor[i]
        largest = r[0]
        for c in range(k):
            x[c] = before[c]
            y[c] -= r[c]
            if r[c] > largest:
                largest = r[c]
        if largest == 0:
            for c in range(k):
                x[c] = 0
            continue
        first = 0.0
        for sweep in range(sweeps):
            gain = 0.0
            for c in range(k):
                old = x[c]
                if inverse[c] == 0:
                    x[c] = 0
                    continue
                if old == 0 and y[c] >= 0:
                    continue
                new = old - y[c] * inverse[c]
                if not new > 0:
                    new = old * 0
                step = new - old
                if step != 0:
                    x[c] = new
                    gain += np.float64(step) * np.float64(step) * gram[c, c]
                    g = gram[c]
                    for d in range(k):
                        y[d] += step * g[d]
            if sweep == 0:
                first = gain
            if gain <= settled * first:
                break
