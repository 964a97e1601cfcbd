"""The stationarity check: how far a pair is from the KKT conditions of what was minimised."""

from __future__ import annotations

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import unbounded
from partwise.engine.step import Check, Optimality
from partwise.losses.base import Loss
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Data, Factor

STATIONARY, NEARLY = 1e-4, 1e-2
"""The KKT residuals up to which a point counts as stationary, and as nearly so."""
EXACT = 1e-6
"""The relative error up to which a fit counts as exact: nothing is left to gain."""


def stationarity(
    data: Data, loss: Loss, algorithm: Algorithm, basis: Factor, weights: Factor, workers: Workers
) -> Check:
    """The KKT residual of both sides over ‖A‖_F, free of the scale of A and of the components.

    r² = (‖min(W·b, ∇_W/b)‖² + ‖min(H·a, ∇_H/a)‖²) / ‖A‖², b and a the lengths of the other factor's columns. The
    product AᵀW is not made again where ``basis`` has it.
    """
    with single_threaded_blas():
        w = loss.check(data, algorithm.w, Factor(weights.rows, weights.gram), basis.rows, workers)
        h = loss.check(data.T, algorithm.h, basis, weights.rows, workers)
    bounded = not any(
        not side.penalty.convex and unbounded(side.penalised(gram))
        for side, gram in ((algorithm.w, weights.gram), (algorithm.h, basis.gram))
    )
    scale = loss.scale(data) or 1.0  # an all-zero matrix, whose only solution is 0
    residual = float(np.sqrt((w.squares + h.squares) / scale)) if loss.stationarity else None
    return Check(Optimality(residual, w.locked, h.locked, bounded), w.rhs, h.rhs)
