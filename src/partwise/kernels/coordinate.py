"""Coordinate sweeps over the rows of ½ xGxᵀ − r·x, x ≥ 0."""

from typing import Any

import numba
import numpy as np

from partwise.kernels import memory
from partwise.kernels.jit import inlined, jit
from partwise.kernels.squares import COMPILES, NEAREST, square_product
from partwise.kernels.vectors import BYTES, WIDEST, fused, load, spread, store, wide_load, wide_spread
from partwise.types import Array

VECTORS = 8
"""Rows are swept together, one in each lane of so many vectors, whose sums stay in registers."""
NARROW = 128
"""The largest rank at which that is faster; above it most entries are zero, and a row by itself skips them."""


def coordinate_rows(
    gram: Array, inverse: Array, rhs: Array, factor: Array, sweeps: int, settled: float, out: Array
) -> None:
    """Improve each row of ``factor`` by exact minimisation over one entry at a time, in at most ``sweeps`` sweeps.

    A row ends when a sweep gains at most the share ``settled`` of what its first one gained. ``inverse`` is 1/diag G, 0
    for a component that is zero on the other side: its entry becomes zero where a penalty asks for that, and stays as
    it is else, since nothing depends on it. A row whose right-hand side is all zero becomes zero: that is what the
    sweeps go to, and what rounding can keep them from. A row has the same bits wherever it stands.
    """
    k = len(gram)
    if k > NARROW or not COMPILES or numba.config.BOUNDSCHECK:  # vectors check no index, so make bounds would see none
        gradient = np.empty_like(out)
        square_product(factor, gram, gram.dtype.type(-np.inf), gradient)
        _sweep_rows(gram, inverse, rhs, factor, sweeps, settled, gradient, out)
        return
    wide = WIDEST == BYTES or k * VECTORS * WIDEST <= NEAREST  # one width: one kernel for all ranks
    sweep = wide_sweep_lanes if wide else _sweep_lanes
    sweep(gram, inverse, rhs, factor, sweeps, settled, out, *lane_memory(k, rhs.dtype, WIDEST if wide else BYTES))


def lane_memory(k: int, dtype: Any, size: int) -> tuple[Array, Array, Array]:
    """What sweeps with vectors of so many bytes overwrite: ``columns``, ``gains`` and ``rows``."""
    lanes = VECTORS * size // np.dtype(dtype).itemsize
    return memory.zeros((2 * k + 1, lanes), dtype), np.zeros((2, lanes)), np.empty((2, lanes), int)


@jit
def _sweep_lanes(gram, inverse, rhs, factor, sweeps, settled, out, columns, gains, rows):
    """By the vectors that every machine has."""
    _lanes(load, spread, gram, inverse, rhs, factor, sweeps, settled, out, columns, gains, rows)


@jit
def wide_sweep_lanes(gram, inverse, rhs, factor, sweeps, settled, out, columns, gains, rows):
    """By the widest: faster as long as the entries of all lanes stay in the nearest cache."""
    _lanes(wide_load, wide_spread, gram, inverse, rhs, factor, sweeps, settled, out, columns, gains, rows)


@inlined
def _lanes(load, spread, gram, inverse, rhs, factor, sweeps, settled, out, columns, gains, rows):
    """A row in every lane; one that ends gives its lane to the next row.

    ``columns`` is memory for the entries of these rows, for their right-hand sides and, at the end, for one entry of
    their gradients xG − r, which is summed anew each time: that takes no more than to keep all of them up to date, and
    nothing has to be stored. ``gains`` are those of the sweep and what it must gain for another one, ``rows`` which
    row a lane holds, −1 for none, and how many sweeps it has had. A lane without a row holds zeros.
    """
    (n, k), width, zero = out.shape, columns.shape[1], gram.dtype.type(0)
    lanes, at, nil, following, left = width // VECTORS, 2 * k, spread(zero), 0, n
    for i in range(width):
        rows[0, i] = -1
    while left > 0:
        for i in range(width):
            row = rows[0, i]
            if row >= 0:
                rows[1, i] += 1
                if rows[1, i] == 1:
                    gains[1, i] = settled * gains[0, i]
                if gains[0, i] > gains[1, i] and rows[1, i] < sweeps:
                    gains[0, i] = 0
                    continue
                left -= 1
                for c in range(k):
                    out[row, c] = columns[c, i]
            if row >= 0 or following < n:
                row = following if following < n else -1
                largest = rhs[row, 0] if row >= 0 else zero
                for c in range(1, k if row >= 0 else 1):
                    largest = max(largest, rhs[row, c])
                for c in range(k):
                    columns[c, i] = factor[row, c] if largest != 0 else zero
                    columns[k + c, i] = rhs[row, c] if largest != 0 else zero
                rows[0, i], rows[1, i], following = row, 0, following + 1
            gains[0, i] = 0
        for c in range(k if left > 0 else 0):
            s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = nil
            for d in range(k):
                g = spread(gram[c, d])
                s0, s1 = fused(g, load(columns, d, 0), s0), fused(g, load(columns, d, lanes), s1)
                s2, s3 = fused(g, load(columns, d, 2 * lanes), s2), fused(g, load(columns, d, 3 * lanes), s3)
                s4, s5 = fused(g, load(columns, d, 4 * lanes), s4), fused(g, load(columns, d, 5 * lanes), s5)
                s6, s7 = fused(g, load(columns, d, 6 * lanes), s6), fused(g, load(columns, d, 7 * lanes), s7)
            store(columns, at, 0, s0), store(columns, at, lanes, s1)
            store(columns, at, 2 * lanes, s2), store(columns, at, 3 * lanes, s3)
            store(columns, at, 4 * lanes, s4), store(columns, at, 5 * lanes, s5)
            store(columns, at, 6 * lanes, s6), store(columns, at, 7 * lanes, s7)
            scale, curvature = inverse[c], np.float64(max(gram[c, c], 0))
            for i in range(width):
                old, slope = columns[c, i], columns[at, i] - columns[k + c, i]
                new = old - slope * scale
                new = new if new > 0 and (scale > 0 or slope <= 0) else old * zero
                step = np.float64(new - old)
                gains[0, i] += step * step * curvature
                columns[c, i] = new


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
