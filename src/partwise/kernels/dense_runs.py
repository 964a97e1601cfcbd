"""Whole iterations of coordinate sweeps on a small dense matrix, where what surrounds a kernel costs as much as it."""

import numba
import numpy as np

from partwise.kernels.coordinate import VECTORS, sweep_lanes
from partwise.kernels.jit import inlined, jit
from partwise.kernels.squares import COMPILES
from partwise.kernels.vectors import BYTES, fused, lanes_of, load, spread, store
from partwise.types import Array

LANES, GROUP = BYTES // 8, 5
"""The numbers of a vector, and the columns of a factor whose sums for the rows of four vectors stay in registers."""
MOST = 24
"""The largest rank; from there on BLAS is faster."""

_sweep = inlined(sweep_lanes)


def suits(rank: int, item: int) -> bool:
    """Whether :func:`dense_iterations` takes a rank; vectors check no index, so make bounds goes without."""
    return COMPILES and not numba.config.BOUNDSCHECK and item == 8 and GROUP <= rank <= MOST


def by_rows_and_columns(matrix: Array) -> tuple[Array, Array]:
    """Copies of A and of Aᵀ, by their rows, with zeros behind those that are shorter than four vectors."""
    m, n = matrix.shape
    by_rows, by_columns = np.zeros((m, max(n, 4 * LANES))), np.zeros((n, max(m, 4 * LANES)))
    by_rows[:, :n], by_columns[:, :m] = matrix, matrix.T
    return by_rows, by_columns


def memory(m: int, n: int, rank: int) -> tuple[Array, ...]:
    """What :func:`dense_iterations` overwrites: right-hand sides of H and W, a vector, a tile, those of the sweeps."""
    lanes = VECTORS * LANES
    sweeps = np.zeros((2 * rank + 1, lanes)), np.zeros((2, lanes)), np.empty((2, lanes), int)
    sides = [np.empty((max(rows, 4 * LANES), rank)) for rows in (n, m)]
    return *sides, np.empty(rank), np.empty((GROUP, 4 * LANES)), *sweeps


@jit
def dense_iterations(by_rows, by_columns, sweeps, rules, limits, count, pairs, grams, sums, work):
    """Make up to ``count`` iterations; how many were made.

    ``sweeps`` holds (the most sweeps, the gain that settles a row) for H and for W. ``pairs`` holds H, W, H before it
    was moved and the point ahead of W, each with a first axis for the iterations, of which entry 0 is known, and
    ``grams`` those of H, W and the point ahead of W. A row of ``sums`` is <A Hᵀ, W>, ‖A − WH‖², β, its ceiling and,
    column by column, the inner product of W with the one before. ``rules`` are those of the momentum: the growth of β
    and of its ceiling, what β is divided by, and the least one; a growth of 0 is no momentum.

    It ends after an iteration in which a component died, ‖w‖²‖h‖² ≤ limits[2], and before one that is not finite or has
    an error below limits[1], so near an exact fit that the trace form, from ‖A‖² = limits[0], cancels.
    """
    (h, w, plain_h, ahead), (gram_h, gram_w, gram_ahead) = pairs, grams
    (growth, ceiling_growth, shrink, least), (norm2, exact, dead) = rules, limits
    rhs_h, rhs_w, inverse, tile, columns, gains, rows = work
    k = w.shape[2]
    for i in range(count):
        j, moving, beta = i + 1, growth > 0, sums[i, 2]
        while True:
            for phase in range(3 if moving else 2):  # H, W, the point ahead of W
                if phase < 2:
                    start, first_gram = (ahead[i], gram_ahead[i]) if moving else (w[i], gram_w[i])
                    fixed, old, square = (h[j], start, gram_h[j]) if phase else (start, h[i], first_gram)
                    new = w[j] if phase else (plain_h[j] if moving else h[j])
                    numbers, right = by_columns if phase else by_rows, rhs_w if phase else rhs_h
                    _product(numbers, fixed, tile, right)
                    for c in range(k):
                        inverse[c] = 1 / square[c, c] if square[c, c] > 0 else 0.0
                    most, settled = sweeps[phase]
                    _sweep(square, inverse, right, old, most, settled, new, columns, gains, rows)
                if moving and phase != 1:
                    plain, before, target = (w[j], w[i], ahead[j]) if phase else (plain_h[j], plain_h[i], h[j])
                    for row in range(len(plain)):
                        for c in range(k):
                            target[row, c] = max(plain[row, c] + beta * (plain[row, c] - before[row, c]), 0.0)
                if phase == 0:
                    made, gram = h[j], gram_h[j]
                else:
                    made, gram = (w[j], gram_w[j]) if phase == 1 else (ahead[j], gram_ahead[j])
                _gram(made, gram)
            for c in range(k):
                inverse[c] = sums[j, 4 + c] = 0
            for row in range(w.shape[1]):
                for c in range(k):
                    inverse[c] += w[j, row, c] * rhs_w[row, c]
                    sums[j, 4 + c] += w[j, row, c] * w[i, row, c]
            inner = fitted = 0.0
            for c in range(k):
                inner += inverse[c]
                for d in range(k):
                    fitted += gram_w[j, c, d] * gram_h[j, c, d]
            error2 = norm2 - 2 * inner + fitted
            if not moving or error2 <= sums[i, 1]:
                break
            moving = False
        sums[j, 0], sums[j, 1] = inner, error2
        if not exact <= error2 < np.inf:
            return i
        if moving:
            sums[j, 2], sums[j, 3] = min(sums[i, 3], growth * beta), min(1.0, ceiling_growth * sums[i, 3])
        elif growth > 0:
            for c in range(k):
                for row in range(w.shape[1]):
                    ahead[j, row, c] = w[j, row, c]
                for row in range(h.shape[1]):
                    plain_h[j, row, c] = h[j, row, c]
                for d in range(k):
                    gram_ahead[j, c, d] = gram_w[j, c, d]
            sums[j, 2], sums[j, 3] = max(least, beta / shrink), beta
        for c in range(k):
            if not gram_w[j, c, c] * gram_h[j, c, c] > dead:
                return j
    return count


@inlined
def _product(numbers, factor, tile, out):
    """out[i] = Σ_p numbers[p, i] factor[p]: a vector holds rows, so that a few columns fill it.

    Columns are made ``GROUP`` at a time; at the end of the rows and of the columns some are made twice.
    """
    n, (m, k), lanes = numbers.shape[1], factor.shape, lanes_of(factor)
    zero = spread(0.0)
    for start in range(0, n, 4 * lanes):
        i = min(start, n - 4 * lanes)
        for first in range(0, k, GROUP):
            j = min(first, k - GROUP)
            q0 = q1 = q2 = q3 = q4 = r0 = r1 = r2 = r3 = r4 = zero
            s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = t3 = t4 = zero
            for p in range(m):
                x, y = load(numbers, p, i), load(numbers, p, i + lanes)
                z, w = load(numbers, p, i + 2 * lanes), load(numbers, p, i + 3 * lanes)
                f = spread(factor[p, j])
                q0, r0, s0, t0 = fused(f, x, q0), fused(f, y, r0), fused(f, z, s0), fused(f, w, t0)
                f = spread(factor[p, j + 1])
                q1, r1, s1, t1 = fused(f, x, q1), fused(f, y, r1), fused(f, z, s1), fused(f, w, t1)
                f = spread(factor[p, j + 2])
                q2, r2, s2, t2 = fused(f, x, q2), fused(f, y, r2), fused(f, z, s2), fused(f, w, t2)
                f = spread(factor[p, j + 3])
                q3, r3, s3, t3 = fused(f, x, q3), fused(f, y, r3), fused(f, z, s3), fused(f, w, t3)
                f = spread(factor[p, j + 4])
                q4, r4, s4, t4 = fused(f, x, q4), fused(f, y, r4), fused(f, z, s4), fused(f, w, t4)
            store(tile, 0, 0, q0), store(tile, 0, lanes, r0)
            store(tile, 0, 2 * lanes, s0), store(tile, 0, 3 * lanes, t0)
            store(tile, 1, 0, q1), store(tile, 1, lanes, r1)
            store(tile, 1, 2 * lanes, s1), store(tile, 1, 3 * lanes, t1)
            store(tile, 2, 0, q2), store(tile, 2, lanes, r2)
            store(tile, 2, 2 * lanes, s2), store(tile, 2, 3 * lanes, t2)
            store(tile, 3, 0, q3), store(tile, 3, lanes, r3)
            store(tile, 3, 2 * lanes, s3), store(tile, 3, 3 * lanes, t3)
            store(tile, 4, 0, q4), store(tile, 4, lanes, r4)
            store(tile, 4, 2 * lanes, s4), store(tile, 4, 3 * lanes, t4)
            for row in range(4 * lanes):
                for c in range(GROUP):
                    out[i + row, j + c] = tile[c, row]


@inlined
def _gram(factor, out):
    """out = FᵀF, four columns and two vectors at a time."""
    (n, k), lanes, zero = factor.shape, lanes_of(factor), spread(0.0)
    for c in range(0, k, 4):
        c1, c2, c3 = min(c + 1, k - 1), min(c + 2, k - 1), min(c + 3, k - 1)
        for d in range(0, k, 2 * lanes):
            u, v = min(d, k - lanes), min(d + lanes, k - lanes)
            p0 = p1 = q0 = q1 = r0 = r1 = s0 = s1 = zero
            for i in range(n):
                x, y = load(factor, i, u), load(factor, i, v)
                p, q, r, s = spread(factor[i, c]), spread(factor[i, c1]), spread(factor[i, c2]), spread(factor[i, c3])
                p0, q0, r0, s0 = fused(p, x, p0), fused(q, x, q0), fused(r, x, r0), fused(s, x, s0)
                p1, q1, r1, s1 = fused(p, y, p1), fused(q, y, q1), fused(r, y, r1), fused(s, y, s1)
            store(out, c, u, p0), store(out, c1, u, q0), store(out, c2, u, r0), store(out, c3, u, s0)
            store(out, c, v, p1), store(out, c1, v, q1), store(out, c2, v, r1), store(out, c3, v, s1)
