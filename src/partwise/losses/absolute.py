"""The least absolute error Σ|A − WH|, on small data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.losses.base import Batch, Fill
from partwise.losses.squared import Squared
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor

MOST_ENTRIES = 40_000


class Absolute(Squared):
    """Σ|A − WH|: every row is a linear programme of A's own row (Law 1′).

    The relative error that is reported is ‖A − WH‖_F / ‖A‖_F, so that methods can be compared by one number; the
    objective is the sum of absolute errors.
    """

    name = "absolute"
    default_algorithm = "alp"
    local_only = True
    streams = False
    stationarity = False
    why_not_stationary = "not defined for the least absolute error"

    def refuses(self, data: Data, algorithm: Algorithm) -> str | None:
        if refusal := super().refuses(data, algorithm):
            return refusal
        if any(side.penalty or side.update.fixed for side in algorithm.sides):
            return f"{algorithm.name} takes no penalties and no frozen components; use hals or anls with them."
        m, n = data.shape
        if m * n > MOST_ENTRIES:
            return (
                f"{algorithm.name} solves a linear programme for every row and every column and is meant for matrices "
                f"of at most {MOST_ENTRIES:,} entries, not {m:,} × {n:,}; use anls, or a sample of the data."
            )
        return None

    def fill(self, batch: Batch) -> Fill:
        part, workers = batch.part, batch.workers

        def fill(lo: int, hi: int, sums: Sequence[Array]) -> None:
            rows = part.rows(lo, hi)
            for step, other, arrays, out, pair in zip(
                batch.steps, batch.fixed, batch.tall, batch.new, sums, strict=True
            ):
                x = out[lo:hi]
                update: Any = step.side.update
                update.solve(rows, other, x, workers.check_time)
                if step.measured:
                    right = workers.buffer(hi - lo, other.shape[1], part.dtype)
                    part.product(lo, hi, other, right)
                    kernels.products.factor_sums(x, right, x if arrays.old is None else arrays.old[lo:hi], *pair)

        return fill

    def entrywise(self, values: Array, fitted: Array) -> Array:
        errors: Array = abs(values - fitted)
        return errors

    def value(self, data: Data, w: Factor, h: Factor, inner: float, workers: Workers) -> tuple[float, float]:
        error, _ = super().value(data, w, h, inner, workers)
        wide = np.asarray(h.rows).T
        return error, float(
            sum(abs(data.rows(lo, hi) - np.asarray(w.rows)[lo:hi] @ wide).sum() for lo, hi in data.blocks)
        )

    def exact(self, side: Side, gram: Array) -> Side:
        return side
