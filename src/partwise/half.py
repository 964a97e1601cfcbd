"""The half-step as one pass over row blocks, its sums in block order and in float64; both sides are this function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.algorithms import Side
from partwise.blocks import Workers, gram_of
from partwise.kernels.products import column_dots, look_ahead, optimality
from partwise.penalties import indefinite
from partwise.types import Array, Data, DataUpdate, NoMinimum


@dataclass(frozen=True)
class Half:
    """A new factor and the sums that came with it."""

    factor: Array
    gram: Array
    inner: float
    """<rhs, factor>"""
    dots: Array
    """Column by column, the inner product with the factor before (zeros where none was given)."""
    ahead: Array | None = None
    ahead_gram: Array | None = None

    @property
    def moved(self) -> tuple[Array, Array]:
        """The factor moved ahead by the momentum, and its gram."""
        if self.ahead is None or self.ahead_gram is None:
            raise ValueError("This half-step was made without momentum.")
        return self.ahead, self.ahead_gram


def half(
    data: Data,
    side: Side,
    fixed: Array,
    gram: Array,
    factor: Array,
    workers: Workers,
    *,
    rhs: Array | None = None,
    old: Array | None = None,
    beta: float = 0.0,
) -> Half:
    """Update the rows of ``factor`` for A ≈ factor · fixedᵀ.

    ``gram`` is fixedᵀ fixed, ``rhs`` is A · fixed when it is at hand, ``old`` is the factor of the iteration before,
    with which the new one is compared and from which the momentum ``beta`` leads ahead.
    """
    rank = fixed.shape[1]
    solve = _solver(data, side, fixed, gram)
    new = np.empty((data.shape[0], rank), data.dtype)
    ahead = np.empty_like(new) if beta else None

    def block(lo: int, hi: int) -> tuple[Any, ...]:
        right = _right(data, fixed, rhs, lo, hi)
        x = new[lo:hi]
        solve(lo, hi, right, factor[lo:hi], x)
        dots = column_dots(x, old[lo:hi]) if old is not None else np.zeros(rank)
        sums = gram_of(x), column_dots(right, x), dots
        if ahead is None or old is None:
            return *sums, None
        look_ahead(x, old[lo:hi], data.dtype.type(beta), ahead[lo:hi])
        return *sums, gram_of(ahead[lo:hi])

    grams, inners, dots, aheads = zip(*workers.map(block, data.blocks), strict=True)
    return Half(
        new,
        sum(grams[1:], grams[0]),
        float(sum(inners[1:], inners[0]).sum()),
        sum(dots[1:], dots[0]),
        ahead,
        sum(aheads[1:], aheads[0]) if ahead is not None else None,
    )


def side_optimality(
    data: Data,
    side: Side,
    fixed: Array,
    gram: Array,
    factor: Array,
    workers: Workers,
    keep: Array | None = None,
) -> tuple[float, int]:
    """(squared KKT residual, wrongly locked zeros) of one side; the right-hand side is left in ``keep``."""
    penalised = gram + side.penalty.matrix(len(gram))
    scale = np.sqrt(np.diag(gram))
    slack = float(np.sqrt(np.finfo(data.dtype).eps))
    own = side.update.residual(penalised)

    def block(lo: int, hi: int) -> tuple[float, int]:
        right = _right(data, fixed, None, lo, hi)
        if keep is not None:
            keep[lo:hi] = right
        x = factor[lo:hi]
        gradient = x.astype(np.float64, copy=False) @ penalised - right
        squares, _, locked = optimality(x, gradient, right, scale, slack)
        return (squares if own is None else own(right, x)), locked

    parts = workers.map(block, data.blocks)
    return sum(p[0] for p in parts), sum(p[1] for p in parts)


def residual2(data: Data, w: Array, h: Array, workers: Workers) -> float:
    """‖A − WH‖² entry by entry, a block of rows at a time: the trace form cancels near an exact fit."""
    tall = h.astype(np.float64, copy=False)
    lines = max(1, 2**20 // len(h))

    def block(lo: int, hi: int) -> float:
        total = 0.0
        for start in range(lo, hi, lines):
            stop = min(start + lines, hi)
            gap = data.rows(start, stop) - w[start:stop].astype(np.float64, copy=False) @ tall.T
            total += float(np.vdot(gap, gap))
        return total

    return float(sum(workers.map(block, data.blocks)))


def _right(data: Data, fixed: Array, rhs: Array | None, lo: int, hi: int) -> Array:
    if rhs is not None:
        return rhs[lo:hi]
    out = np.empty((hi - lo, fixed.shape[1]), data.dtype)
    data.product(lo, hi, fixed, out)
    return out


def _solver(data: Data, side: Side, fixed: Array, gram: Array) -> Callable[[int, int, Array, Array, Array], None]:
    """The half-step on a block: from the right-hand side, or from the data where the update needs them."""
    update = side.update
    if isinstance(update, DataUpdate):
        return lambda lo, hi, right, factor, out: update.solve(data.rows(lo, hi), fixed, out)
    penalised = gram + side.penalty.matrix(len(gram))
    if update.needs_convex and not side.penalty.convex and indefinite(penalised):
        raise NoMinimum(
            f"AHCLS's penalty (λ = {side.penalty.lam:g}, α = {side.penalty.alpha:g}) makes the Gram matrix "
            f"indefinite here, so rows with nonnegativity properly enforced may have no minimum; "
            f"use a smaller λ or α, or the clipping method ahcls."
        )
    rows = update.prepare(penalised)
    return lambda lo, hi, right, factor, out: rows(right, factor, out)
