"""What a given pair is worth: the stationarity check of one side, and the sums that its error needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.algorithm import Side
from partwise.blocks import Workers
from partwise.half import right_side
from partwise.kernels.products import column_dots, optimality
from partwise.products import gram_of, product
from partwise.types import Array, Data
from partwise.walks import total


def side_optimality(
    data: Data, side: Side, fixed: Any, gram: Array, factor: Any, workers: Workers, right: Any = None
) -> tuple[float, int, Any]:
    """(squared KKT residual, wrongly locked zeros, the right-hand side) of one side."""
    task = _Optimality(side, gram)
    if data.split == 1:
        right = product(data, fixed, workers) if right is None else right
        _, sums = task(data, [factor, right], (), (), workers)
        squares, locked = total(sums)
        return squares, locked, right
    walked = data.walk(task, [factor, right], [fixed], workers)
    return *walked.sums, walked.rows[0]


@dataclass(frozen=True)
class _Optimality:
    """The stationarity check of some rows."""

    side: Side
    gram: Array

    @property
    def widths(self) -> list[int]:
        """The right-hand side is kept."""
        return [len(self.gram)]

    def __call__(
        self, part: Data, rows: Any, shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, right = rows
        penalised = self.gram + self.side.penalty.matrix(len(self.gram))
        scale, slack = np.sqrt(np.diag(self.gram)), float(np.sqrt(np.finfo(part.dtype).eps))
        own = self.side.update.residual(penalised)
        keep = np.empty((part.shape[0], len(self.gram)), part.dtype) if right is None else right

        def block(lo: int, hi: int) -> tuple[float, int]:
            if right is None:
                part.product(lo, hi, shared[0], keep[lo:hi])
            x = factor[lo:hi]
            gradient = x.astype(np.float64, copy=False) @ penalised - keep[lo:hi]
            squares, locked = optimality(x, gradient, keep[lo:hi], scale, slack)
            return (squares if own is None else own(keep[lo:hi], x)), locked

        return [keep], workers.map(block, part.blocks)


@dataclass(frozen=True)
class _Fit:
    """FᵀF and <A · fixed, F> of some rows of a factor that was given."""

    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Data, rows: Any, shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        factor, right = rows

        def block(lo: int, hi: int) -> tuple[Array, Array]:
            there = right_side(part, shared[0], lo, hi, workers) if right is None else right[lo:hi]
            inner = np.zeros(factor.shape[1])
            column_dots(there, factor[lo:hi], inner)
            return gram_of(factor[lo:hi]), inner

        return [], workers.map(block, part.blocks)


def fit_sums(data: Data, fixed: Any, factor: Any, workers: Workers) -> tuple[Array, float]:
    """(the gram of a factor of these rows, its inner product with A · fixed)."""
    if data.split == 1:
        gram, inner = total(_Fit()(data, [factor, product(data, fixed, workers)], (), (), workers)[1])
    else:
        gram, inner = data.walk(_Fit(), [factor, None], [fixed], workers).sums
    return gram, float(np.sum(inner))
