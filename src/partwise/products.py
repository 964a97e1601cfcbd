"""What is made of a matrix and a factor in one pass: products, Gram matrices, the residual."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.blocks import Block, Workers
from partwise.types import Array, Data, Spread

NEAR_EXACT = {8: 1e-10, 4: 1e-4}
"""Squared relative error below which a trace form has lost too many digits, by bytes of a number."""


def passes(data: Data, both: bool = False) -> Iterator[tuple[int, int, Data]]:
    """(lo, hi, rows lo:hi as data) for all rows in order: the parts of data that come in rows, else all at once."""
    if data.split == 0:
        yield from data.parts(both)
    else:
        yield 0, data.shape[0], data


def product(data: Data, factor: Any, workers: Workers) -> Array:
    """A · factor, whole and here; the factor may be spread where it is as long as the axis of the parts."""
    width = factor.shape[1]
    if data.split == 1:
        tall = factor if isinstance(factor, Spread) else np.ascontiguousarray(factor, data.dtype)
        shares: list[Array] = data.walk(_Share(), [tall], [], workers, [width]).shares
        return shares[0]
    shared = np.ascontiguousarray(factor, data.dtype)
    return np.asarray(data.walk(_Product((width,)), [], [shared], workers).rows[0])


@dataclass(frozen=True)
class _Product:
    """The rows of A · factor."""

    widths: tuple[int, ...]

    def __call__(self, part: Data, rows: Any, shared: Any, shares: Any, workers: Workers) -> tuple[list[Array], Any]:
        factor, out = shared[0], np.empty((part.shape[0], self.widths[0]), part.dtype)
        workers.map(lambda lo, hi: part.product(lo, hi, factor, out[lo:hi]), part.blocks)
        return [out], []


@dataclass(frozen=True)
class _Share:
    """A part of the columns times its rows of a factor."""

    widths: tuple[int, ...] = ()

    def __call__(self, part: Data, rows: Any, shared: Any, shares: Any, workers: Workers) -> tuple[list[Array], Any]:
        add_product(part, rows[0], shares[0], workers)
        return [], []


def add_product(part: Data, factor: Array, out: Array, workers: Workers) -> None:
    """out += part · factor, for a part of the columns of a matrix."""

    def block(lo: int, hi: int) -> None:
        rows = workers.buffer(hi - lo, factor.shape[1], part.dtype)
        part.product(lo, hi, factor, rows)
        out[lo:hi] += rows

    workers.map(block, part.blocks)


def gram_of(factor: Array) -> Array:
    """FᵀF in float64."""
    tall = factor.astype(np.float64, copy=False)
    gram: Array = tall.T @ tall
    return gram


def gram_matrix(factor: Any, blocks: Sequence[Block], workers: Workers) -> Array:
    """FᵀF, summed over row blocks in their order."""
    if isinstance(factor, Spread):
        gram: Array = factor.sum(gram_of)
        return gram
    grams = workers.map(lambda lo, hi: gram_of(factor[lo:hi]), blocks)
    return sum(grams[1:], grams[0])


def residual2(data: Data, w: Any, h: Any, workers: Workers) -> float:
    """‖A − WH‖² entry by entry, a block of rows at a time: the trace form cancels near an exact fit."""
    if data.split == 1:
        return residual2(data.T, h, w, workers)
    return float(data.walk(_Residual(), [w], [h], workers).sums)


@dataclass(frozen=True)
class _Residual:
    """‖A − WH‖² on a part."""

    widths: tuple[int, ...] = ()

    def __call__(self, part: Data, rows: Any, shared: Any, shares: Any, workers: Workers) -> tuple[list[Array], Any]:
        return [], [_residual2(part, rows[0], shared[0], workers)]


def _residual2(data: Data, w: Array, h: Array, workers: Workers) -> float:
    tall = h.astype(np.float64, copy=False)
    lines = max(1, 2**20 // len(h))
    filled = w.any(axis=1) | (data.row_norms2 > 0)

    def block(lo: int, hi: int) -> float:
        total = 0.0
        rows = lo + np.flatnonzero(filled[lo:hi])
        for start in range(0, len(rows), lines):
            some = rows[start : start + lines]
            if some[-1] - some[0] == len(some) - 1:
                there = data.rows(some[0], some[-1] + 1)
            else:
                there = np.concatenate([data.rows(i, i + 1) for i in some])
            gap = there - w[some].astype(np.float64, copy=False) @ tall.T
            total += float(np.vdot(gap, gap))
        return total

    return float(sum(workers.map(block, data.blocks)))
