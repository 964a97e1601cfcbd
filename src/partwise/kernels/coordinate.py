"""Coordinate sweeps over the rows of ½ xGxᵀ − r·x, x ≥ 0."""

from typing import Any

import numpy as np

from partwise.kernels.jit import jit
from partwise.kernels.squares import square_product
from partwise.types import Array

LANES = 64
"""Rows that are swept together, an entry of each at a time, in vector instructions."""
NARROW = 32
"""The largest rank at which that is faster; above it most steps are zero and a row by itself skips them."""


def coordinate_rows(
    gram: Array, inverse: Array, rhs: Array, factor: Array, sweeps: int, settled: float, out: Array
) -> None:
    """Improve each row of ``factor`` by exact minimisation over one entry at a time, in at most ``sweeps`` sweeps.

    A row ends when a sweep gains at most the share ``settled`` of what its first one gained. ``inverse`` is 1/diag G, 0
    for a component that is zero on the other side: its entry becomes zero where a penalty asks for that, and stays as
    it is else, since nothing depends on it. A row whose right-hand side is all zero becomes zero: that is what the
    sweeps go to, and what rounding can keep them from.
    """
    gradient = np.empty_like(out)
    square_product(factor, gram, gram.dtype.type(-np.inf), gradient)
    sweep = _sweep_together if len(gram) <= NARROW else _sweep_rows
    sweep(gram, inverse, rhs, factor, sweeps, settled, gradient, out)


@jit
def _sweep_rows(gram, inverse, rhs, factor, sweeps, settled, gradient, out):
    """The same for rows whose gradient comes as xG, and is overwritten.

    No views of rows in the loops: numba counts references to each.
    """
    k, zero = gram.shape[0], gram.dtype.type(0)  # old * 0 would be of double precision, and all that follows from it
    for i in range(out.shape[0]):
        largest = rhs[i, 0]
        for c in range(k):
            out[i, c] = factor[i, c]
            gradient[i, c] -= rhs[i, c]
            if rhs[i, c] > largest:
                largest = rhs[i, c]
        if largest == 0:
            for c in range(k):
                out[i, c] = 0
            continue
        first = 0.0
        for sweep in range(sweeps):
            gain = 0.0
            for c in range(k):
                old = out[i, c]
                if inverse[c] == 0:
                    if gradient[i, c] > 0:
                        out[i, c] = 0
                    continue
                if old == 0 and gradient[i, c] >= 0:
                    continue
                new = old - gradient[i, c] * inverse[c]
                if not new > 0:
                    new = old * zero
                step = new - old
                if step != 0:
                    out[i, c] = new
                    gain += np.float64(step) * np.float64(step) * gram[c, c]
                    for d in range(k):
                        gradient[i, d] += step * gram[c, d]
            if sweep == 0:
                first = gain
            if gain <= settled * first:
                break


def _sweep_together(gram: Array, inverse: Array, rhs: Array, factor: Array, *settings: Any) -> None:
    """The same bits from ``LANES`` rows at a time, which lie in columns meanwhile."""
    columns, steps = np.empty((2, len(gram), LANES), rhs.dtype), np.empty(LANES, rhs.dtype)
    _sweep_lanes(gram, inverse, rhs, factor, *settings, columns[0], columns[1], steps, np.zeros((2, LANES)))


@jit
def _sweep_lanes(gram, inverse, rhs, factor, sweeps, settled, gradient, out, x, y, step, sums):
    """``x`` and ``y`` are memory for columns of the factor and of the gradient, ``step`` and ``sums`` for three numbers
    a row.

    Where there are too few rows the last one stands in for the others. ``limit`` is what a sweep must gain for another
    one, −1 when a row has ended.
    """
    (n, k), zero, gain, limit = out.shape, gram.dtype.type(0), sums[0], sums[1]
    for lo in range(0, n, LANES):
        for i in range(LANES):
            row, limit[i] = min(lo + i, n - 1), 0
            largest = rhs[row, 0]
            for c in range(k):
                x[c, i] = factor[row, c]
                y[c, i] = gradient[row, c] - rhs[row, c]
                largest = max(largest, rhs[row, c])
            for c in range(k if largest == 0 else 0):
                x[c, i] = 0
                y[c, i] = 0
        for sweep in range(sweeps):
            for c in range(k):
                scale, curvature, moved = inverse[c], np.float64(max(gram[c, c], 0)), False
                for i in range(LANES):
                    old = x[c, i]
                    new = old - y[c, i] * scale
                    new = new if new > 0 and (scale > 0 or y[c, i] <= 0) else old * zero
                    new = new if limit[i] >= 0 else old
                    step[i] = new - old
                    gain[i] += np.float64(step[i]) * np.float64(step[i]) * curvature
                    x[c, i] = new
                    moved |= step[i] != 0
                if moved and scale > 0:
                    for d in range(c + 1 if sweep == sweeps - 1 else 0, k):
                        g = gram[c, d]
                        for i in range(LANES):
                            y[d, i] += step[i] * g
            going = False
            for i in range(LANES):
                if sweep == 0:
                    limit[i] = settled * gain[i]
                if gain[i] <= limit[i]:
                    limit[i] = -1
                going |= limit[i] >= 0
                gain[i] = 0
            if not going:
                break
        for i in range(min(LANES, n - lo)):
            for c in range(k):
                out[lo + i, c] = x[c, i]
