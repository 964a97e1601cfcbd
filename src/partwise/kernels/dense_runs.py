"""Whole iterations of coordinate sweeps on dense data, where what surrounds a kernel costs as much as it.

One thread leads: it opens each half of an iteration, takes blocks of its rows and adds their sums in block order.
Others help: they take blocks too, for as long as they are there, and wait for the next half without the interpreter. So
results depend on the blocks, which are those of the data, and not on who made them.
"""

from typing import Any

import numba
import numpy as np

from partwise.kernels import atomics, gram, memory
from partwise.kernels.coordinate import lane_memory, wide_sweep_lanes
from partwise.kernels.gram import squares
from partwise.kernels.jit import inlined, jit
from partwise.kernels.squares import COMPILES
from partwise.kernels.vectors import BYTES, WIDEST, fused, store
from partwise.kernels.vectors import wide_lanes_of as lanes_of
from partwise.kernels.vectors import wide_load as load
from partwise.kernels.vectors import wide_spread as spread
from partwise.types import Array

GROUP = 5
"""The columns of a factor whose sums for the rows of four vectors stay in registers."""
MOST = 64 if WIDEST > BYTES else 24
"""The largest rank; from there on BLAS is faster, or nearly so."""
BLOCK_WORK, MOST_BLOCKS = 2**20, 8
"""Multiplications that are worth a block of rows, and the most blocks of a side; their number is even."""
SWEEPS_WORK = 64
"""Multiplications that take as long as the sweeps of an entry."""
TICKET, DONE, HALF, SLOT = range(4)
"""Places of ``control``: a ticket, the blocks that are made, which half is open (H, W), and from which slot."""
BITS, END = 10, -1
"""A ticket has the number of the open half, that of its blocks and that of the next block, the last two in so many bits
each; END is the number of the half after which nobody is needed."""
PATIENT = 1000
"""How often a thread looks before it gives way to another one."""


def suits(rank: int, item: int) -> bool:
    """Whether :func:`dense_iterations` takes a rank; vectors check no index, so make bounds goes without."""
    return COMPILES and not numba.config.BOUNDSCHECK and GROUP <= rank <= MOST


def tile_width(item: int) -> int:
    """The numbers of four vectors."""
    return 4 * WIDEST // item


def in_tiles(matrix: Array) -> tuple[Array, Array]:
    """A and Aᵀ, some columns after the other, as many as four vectors hold, so that those of a tile lie together."""
    return _tiles(matrix), _tiles(matrix.T)


def _tiles(matrix: Array) -> Array:
    (m, n), width = matrix.shape, tile_width(matrix.itemsize)
    tiles = memory.empty((-(-n // width), m, width), matrix.dtype)
    for tile, lo in zip(tiles, range(0, n, width), strict=True):
        columns = matrix[:, lo : lo + width]
        tile[:, : columns.shape[1]], tile[:, columns.shape[1] :] = columns, 0
    return tiles.reshape(-1, width)


def tile_product(tiles: Array, factor: Array, lo: int, hi: int, out: Array) -> None:
    """out = A[lo:hi] · factor, from the tiles of Aᵀ; ``lo`` is the beginning of one."""
    _product(tiles[lo // tiles.shape[1] * len(factor) :], factor, 0, hi - lo, _tile(factor.dtype), out)


def borders(rows: int, columns: int, rank: int, item: int) -> Array:
    """Where blocks of a factor's rows begin and end, in units of a tile but for the end; one block of little work."""
    unit, work = tile_width(item), rows * rank * (columns + SWEEPS_WORK)
    count = max(1, 2 * (min(MOST_BLOCKS, rows // (2 * unit), work // BLOCK_WORK) // 2))
    edges = np.arange(count + 1) * rows // count // unit * unit
    edges[-1] = rows
    return edges


def shared_memory(m: int, n: int, rank: int, blocks: int, dtype: Any) -> tuple[Array, ...]:
    """What all threads overwrite: the right-hand sides of H and W, the gram of the open half and the inverse of its
    diagonal, the sums of blocks, the momentum, control."""
    sides = [np.empty((rows, rank), dtype) for rows in (n, m)]
    square = np.empty((rank, rank), dtype), np.empty(rank, dtype)
    sums = np.empty((blocks, 2, rank, rank)), np.empty((blocks, 2, rank))
    return *sides, *square, *sums, np.zeros(1), np.zeros(4, np.int64)


def own_memory(rank: int, dtype: Any) -> tuple[Array, ...]:
    """What a thread overwrites: a tile of a product, what the sweeps do, and what a gram does."""
    return _tile(dtype), *lane_memory(rank, dtype, WIDEST), *gram.gram_memory(rank)


def _tile(dtype: Any) -> Array:
    """Memory for a tile of a product."""
    return memory.empty((GROUP, tile_width(np.dtype(dtype).itemsize)), dtype)


def end(shared: tuple[Array, ...]) -> None:
    """Let those that help go."""
    shared[-1][TICKET] = END << 2 * BITS


@jit
def help_iterations(matrices, sweeps, edges, pairs, grams, shared, own):
    """Take blocks of whatever half is open, until :func:`end`."""
    control = shared[-1]
    while True:
        block, parts, half = _ticket(control)
        if half == END:
            return
        if block < parts:
            _rows(matrices, sweeps, edges, pairs, grams, shared, own, block)
            atomics.add(control, DONE, 1)
            continue
        looks = 0
        while atomics.read(control, TICKET) >> 2 * BITS == half:
            looks += 1
            if looks > PATIENT:
                atomics.give_way()


@inlined
def _ticket(control):
    """The next block, of how many, of which half."""
    ticket, mask = atomics.add(control, TICKET, 1), (1 << BITS) - 1
    return ticket & mask, (ticket >> BITS) & mask, ticket >> 2 * BITS


@jit
def dense_iterations(matrices, sweeps, edges, rules, limits, first, count, pairs, grams, sums, shared, own):
    """Make up to ``count`` iterations; how many were made.

    ``sweeps`` holds (the most sweeps, the gain that settles a row) for H and for W, ``edges`` the borders of their
    blocks. ``pairs`` holds H, W, H before it was moved and the point ahead of W, and ``grams`` those of H, W and the
    point ahead of W, each with a first axis of slots: slot ``first`` is known, the next ones are overwritten, and after
    the last one comes the first one again. A row of ``sums`` is <A Hᵀ, W>, ‖A − WH‖², β, its ceiling and, column by
    column, the inner product of W with the one before. ``rules`` are those of the momentum: the growth of β and of its
    ceiling, what β is divided by, and the least one; a growth of 0 is no momentum.

    It ends after an iteration in which a component died, ‖w‖²‖h‖² ≤ limits[2], and before one that is not finite or has
    an error below limits[1], so near an exact fit that the trace form, from ‖A‖² = limits[0], cancels.
    """
    (_, w, _, _), (gram_h, gram_w, gram_ahead), (blocks, block_sums, momentum, control) = pairs, grams, shared[4:]
    (growth, ceiling_growth, shrink, least), (norm2, exact, dead) = rules, limits
    slots, _, k = w.shape
    for finished in range(count):
        i = (first + finished) % slots
        j = (i + 1) % slots
        beta = sums[i, 2] if growth > 0 else -1.0
        while True:
            momentum[0], control[SLOT], parts = beta, i, 0
            for half in range(2):
                control[HALF], parts = half, len(edges[half]) - 1
                _lead(matrices, sweeps, edges, pairs, grams, shared, own)
                for which in range(2 if half and growth > 0 else 1):
                    out = gram_ahead[j] if which else (gram_w[j] if half else gram_h[j])
                    for c in range(k):
                        for d in range(k):
                            out[c, d] = blocks[0, which, c, d]
                            for part in range(1, parts):
                                out[c, d] += blocks[part, which, c, d]
            inner = fitted = 0.0
            for c in range(k):
                total = sums[j, 4 + c] = 0.0
                for part in range(parts):
                    total += block_sums[part, 0, c]
                    sums[j, 4 + c] += block_sums[part, 1, c]
                inner += total
                for d in range(k):
                    fitted += gram_w[j, c, d] * gram_h[j, c, d]
            error2 = norm2 - 2 * inner + fitted
            if not beta > 0 or error2 <= sums[i, 1]:
                break
            beta = 0.0
        sums[j, 0], sums[j, 1] = inner, error2
        if not exact <= error2 < np.inf:
            return finished
        if beta > 0:
            sums[j, 2], sums[j, 3] = min(sums[i, 3], growth * beta), min(1.0, ceiling_growth * sums[i, 3])
        else:
            sums[j, 2], sums[j, 3] = max(least, sums[i, 2] / shrink), sums[i, 2]
        for c in range(k):
            if not gram_w[j, c, c] * gram_h[j, c, c] > dead:
                return finished + 1
    return count


@inlined
def _lead(matrices, sweeps, edges, pairs, grams, shared, own):
    """Open the half that ``control`` says, take its blocks, and wait for those that others took."""
    (_, _, square, inverse, _, _, momentum, control), (gram_h, gram_w, gram_ahead) = shared, grams
    slot, parts = control[SLOT], len(edges[control[HALF]]) - 1
    fixed = gram_ahead[slot] if momentum[0] > 0 else gram_w[slot]
    if control[HALF]:
        fixed = gram_h[(slot + 1) % len(gram_h)]
    for c in range(len(inverse)):
        inverse[c] = 1 / fixed[c, c] if fixed[c, c] > 0 else 0.0
        for d in range(len(inverse)):
            square[c, d] = fixed[c, d]
    atomics.write(control, DONE, 0)
    half = (atomics.read(control, TICKET) >> 2 * BITS) + 1
    atomics.write(control, TICKET, (half << 2 * BITS) + (parts << BITS))
    block, _, _ = _ticket(control)
    while block < parts:
        _rows(matrices, sweeps, edges, pairs, grams, shared, own, block)
        atomics.add(control, DONE, 1)
        block, _, _ = _ticket(control)
    looks = 0
    while atomics.read(control, DONE) < parts:
        looks += 1
        if looks > PATIENT:
            atomics.give_way()


@inlined
def _rows(matrices, sweeps, edges, pairs, grams, shared, own, block):
    """A block of rows of the open half: its right-hand side, its sweeps, its momentum and its sums.

    β is that of a try with momentum, 0 for the same iteration made again without, and negative where there is none.
    """
    (h, w, plain_h, ahead), (tile, columns, gains, rows, near, sums) = pairs, own
    rhs_h, rhs_w, square, inverse, blocks, block_sums, momentum, control = shared
    half, i, beta = control[HALF], control[SLOT], h.dtype.type(momentum[0])
    j, k, zero = (i + 1) % len(h), h.shape[2], h.dtype.type(0)
    lo, hi = edges[half][block], edges[half][block + 1]
    most, settled = sweeps[half]
    start = ahead[i] if beta > 0 else w[i]
    numbers, right = (matrices[1], rhs_w) if half else (matrices[0], rhs_h)
    fixed, old = (h[j], start) if half else (start, h[i])
    new = w[j] if half else (plain_h[j] if beta >= 0 else h[j])
    _product(numbers, fixed, lo, hi, tile, right)
    wide_sweep_lanes(square, inverse, right[lo:hi], old[lo:hi], most, settled, new[lo:hi], columns, gains, rows)
    before, target = (w[i], ahead[j]) if half else (plain_h[i], h[j])
    if beta >= 0:
        for row in range(lo, hi):
            for c in range(k):
                target[row, c] = max(new[row, c] + beta * (new[row, c] - before[row, c]), zero)
    for which in range(2 if half and beta >= 0 else 1):
        squares((target if beta >= 0 and half == which else new)[lo:hi], near, sums, blocks[block, which])
    if half:
        for c in range(k):
            block_sums[block, 0, c] = block_sums[block, 1, c] = 0.0
        for row in range(lo, hi):
            for c in range(k):
                number = np.float64(new[row, c])
                block_sums[block, 0, c] += number * right[row, c]
                block_sums[block, 1, c] += number * w[i, row, c]


@jit
def _product(numbers, factor, lo, hi, tile, out):
    """out[i] = Σ_p A[p, i] factor[p] for lo ≤ i < hi: a vector holds rows, so that a few columns fill it.

    Columns are made ``GROUP`` at a time; at the end some are made twice.
    """
    (m, k), lanes, zero = factor.shape, lanes_of(factor), spread(factor.dtype.type(0))
    for i in range(lo, hi, 4 * lanes):
        top = i // (4 * lanes) * m
        for first in range(0, k, GROUP):
            j = min(first, k - GROUP)
            q0 = q1 = q2 = q3 = q4 = r0 = r1 = r2 = r3 = r4 = zero
            s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = t3 = t4 = zero
            for p in range(m):
                x, y = load(numbers, top + p, 0), load(numbers, top + p, lanes)
                z, w = load(numbers, top + p, 2 * lanes), load(numbers, top + p, 3 * lanes)
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
            for row in range(min(4 * lanes, hi - i)):
                for c in range(GROUP):
                    out[i + row, j + c] = tile[c, row]
