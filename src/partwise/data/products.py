"""Products, Gram matrices and the residual, each in one pass over A."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise import kernels
from partwise.data.passes import Tall, sum_rows, walk
from partwise.threads.pool import Block, Workers
from partwise.types import Array, Data, FactorRows, Part, Spread

NEAR_EXACT = {8: 1e-10, 4: 1e-4}
"""Squared relative error below which a trace form has lost too many digits, by bytes of a number."""
GRAM_WORK, GRAM_COLUMNS = 2**18, (10, 100)
"""Multiplications from which on, and columns for which, the kernel is faster than BLAS."""


def product(data: Data, factor: FactorRows, workers: Workers) -> Array:
    """A · factor, whole and here; the factor may be spread where it is as long as the axis of the parts."""
    width = factor.shape[1]
    if data.split == 1:
        tall = factor if isinstance(factor, Spread) else np.ascontiguousarray(factor, data.dtype)
        return walk(data, _Share(), [Tall(factor=tall)], [], workers, [width]).shares[0]
    shared = np.ascontiguousarray(factor, data.dtype)
    return np.asarray(walk(data, _Product((width,)), [], [shared], workers).rows[0])


@dataclass(frozen=True)
class _Product:
    """The rows of A · factor."""

    widths: tuple[int, ...]

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, out = shared[0], np.empty((part.shape[0], self.widths[0]), part.dtype)
        workers.map(lambda lo, hi: part.product(lo, hi, factor, out[lo:hi]), part.blocks)
        return [out], []


@dataclass(frozen=True)
class _Share:
    """A part of the columns times its rows of a factor."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Any, shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        add_product(part, tall[0].factor, shares[0], workers)
        return [], []


def add_product(part: Part, factor: Array, out: Array, workers: Workers) -> None:
    """out += part · factor, for a part of the columns of a matrix."""

    def block(lo: int, hi: int) -> None:
        rows = workers.buffer(hi - lo, factor.shape[1], part.dtype)
        part.product(lo, hi, factor, rows)
        out[lo:hi] += rows

    workers.map(block, part.blocks)


def gram_of(rows: Array) -> Array:
    """FᵀF in float64; where it is little work, nobody waits for the kernel to be loaded."""
    count, k = rows.shape
    if count * k * k >= GRAM_WORK and GRAM_COLUMNS[0] <= k <= GRAM_COLUMNS[1]:
        return kernels.gram.gram(rows)
    tall = rows.astype(np.float64, copy=False)
    gram: Array = tall.T @ tall
    return gram


def gram_matrix(factor: FactorRows, blocks: Sequence[Block], workers: Workers) -> Array:
    """FᵀF, summed over row blocks in their order."""
    if isinstance(factor, Spread):
        return sum_rows(gram_of, factor)
    grams = workers.map(lambda lo, hi: gram_of(factor[lo:hi]), blocks)
    return sum(grams[1:], grams[0])


def residual2(data: Data, w: FactorRows, h: FactorRows, workers: Workers) -> float:
    """‖A − WH‖² entry by entry, a block of rows at a time: the trace form cancels near an exact fit."""
    if data.split == 1:
        return residual2(data.T, h, w, workers)
    return float(walk(data, _Residual(), [Tall(factor=w)], [np.asarray(h)], workers).sums)


@dataclass(frozen=True)
class _Residual:
    """‖A − WH‖² on a part."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        w, h = tall[0].factor, shared[0].astype(np.float64, copy=False)
        lines = max(1, 2**20 // len(h))
        filled = w.any(axis=1) | (part.row_norms2 > 0)

        def block(lo: int, hi: int) -> float:
            squares = 0.0
            rows = lo + np.flatnonzero(filled[lo:hi])
            for start in range(0, len(rows), lines):
                some = rows[start : start + lines]
                if some[-1] - some[0] == len(some) - 1:
                    entries = part.rows(some[0], some[-1] + 1)
                else:
                    entries = np.concatenate([part.rows(i, i + 1) for i in some])
                gap = entries - w[some].astype(np.float64, copy=False) @ h.T
                squares += float(np.vdot(gap, gap))
            return squares

        return [], [float(sum(workers.map(block, part.blocks)))]
