"""Dead components: how they are found, and the new start they get."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partwise.algorithms.updates.multiplicative import lift
from partwise.data.passes import map_rows
from partwise.data.products import gram_matrix
from partwise.engine.problem import Problem
from partwise.engine.stationarity import EXACT
from partwise.engine.step import Step
from partwise.types import Array, Factor

EPS = float(np.finfo(np.float64).eps)
NONE = np.empty(0, np.intp)


def dead_components(gram_w: Array, gram_h: Array, norm2: float) -> Array:
    """The components that add nothing: ‖w_c‖ ‖h_c‖ is zero beside ‖A‖, to rounding."""
    alive = gram_w.diagonal() * gram_h.diagonal() > EPS**2 * norm2
    return NONE if alive.all() else np.flatnonzero(~alive)


def reseed_dead(problem: Problem, step: Step, zero_floor: float) -> Step:
    """Give each dead component the worst-fitted column of A that has not been used, with a zero row of H.

    The column gets the mean length of W's columns, so that the run does not know the scale of A. The error does not
    move. At most k times in a run, and not near an exact fit. Where H's half-step locks zeros (``zero_floor`` above 0),
    its row starts from that fraction of the others' mean instead.
    """
    data, workers = problem.data, problem.workers
    dead = dead_components(step.basis.gram, step.weights.gram, data.norm2)
    if not len(dead):
        return step
    dead = np.setdiff1d(dead, [c for side in problem.algorithm.sides for c in side.update.fixed])
    left = problem.rank - len(step.reseeded)
    if not len(dead) or left <= 0 or step.error < EXACT:
        return step
    misfit = problem.loss.column_misfit(data, step.basis, step.h, workers)
    misfit[list(step.reseeded)] = -np.inf
    columns = np.argsort(-misfit, kind="stable")[: min(len(dead), left)]
    columns = columns[misfit[columns] > 0]
    w = np.array(step.w)
    lengths = np.sqrt(np.diag(step.basis.gram))
    usual = float(lengths[lengths > 0].mean())
    for component, column in zip(dead, columns, strict=False):
        worst = data.T.rows(column, column + 1)[0].astype(np.float64)
        w[:, component] = worst * (usual / np.linalg.norm(worst))
    again = _Restart(tuple(int(c) for c in dead[: len(columns)]), zero_floor)
    basis, weights = data.hold(w), map_rows(again, step.h)
    return replace(
        step,
        basis=Factor(basis, gram_matrix(basis, data.blocks, workers)),
        weights=Factor(weights, gram_matrix(weights, data.T.blocks, workers)),
        momentum=None,
        ready=False,
        onward=None,
        deferred=None,
        reported=step,
        reseeded=step.reseeded + tuple(int(c) for c in columns),
    )


@dataclass(frozen=True)
class _Restart:
    """Rows of H in which some components start again."""

    components: tuple[int, ...]
    zero_floor: float

    def __call__(self, rows: Array) -> Array:
        rows = rows.copy()
        again = list(self.components)
        rows[:, again] = 0
        if self.zero_floor:
            rows[:, again] = lift(rows, self.zero_floor)[:, again]
        return rows
