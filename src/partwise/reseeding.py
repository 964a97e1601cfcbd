"""Dead topics: how they are found, and the new start they get."""

from dataclasses import dataclass, replace

import numpy as np

from partwise.blocks import Workers
from partwise.products import gram_matrix, product
from partwise.steps import Step
from partwise.types import Array, Data
from partwise.updates.multiplicative import lift
from partwise.walks import each

NOTHING_LEFT = 1e-6
"""Relative error below which nothing is left for another topic to explain."""


def dead_topics(gram_w: Array, gram_h: Array, norm2: float) -> Array:
    """The topics that add nothing: ‖w_c‖ ‖h_c‖ is zero beside ‖A‖, to rounding."""
    size2 = np.diag(gram_w) * np.diag(gram_h)
    return np.flatnonzero(~(size2 > np.finfo(np.float64).eps ** 2 * norm2))


def reseed_dead(data: Data, step: Step, locks: bool, workers: Workers) -> Step:
    """Give each dead topic the worst-fitted column of A that has not been used, with a zero row of H.

    The column gets the mean length of W's columns, so that the run does not know the scale of A. The error does not
    move. At most k times in a run, and not near an exact fit. Where H's half-step locks zeros,
    its row starts from a small fraction of the others' mean instead.
    """
    dead = dead_topics(step.gram_w, step.gram_h, data.norm2)
    left = step.w.shape[1] - len(step.reseeded)
    if not len(dead) or left <= 0 or step.error < NOTHING_LEFT:
        return step
    misfit = _column_misfit(data, step, workers)
    misfit[list(step.reseeded)] = -np.inf
    columns = np.argsort(-misfit, kind="stable")[: min(len(dead), left)]
    columns = columns[misfit[columns] > 0]
    w = np.array(step.w)
    lengths = np.sqrt(np.diag(step.gram_w))
    usual = float(lengths[lengths > 0].mean())
    for topic, column in zip(dead, columns, strict=False):
        found = data.T.rows(column, column + 1)[0].astype(np.float64)
        w[:, topic] = found * (usual / np.linalg.norm(found))
    w, h = data.hold(w), each(_Restart(tuple(int(c) for c in dead[: len(columns)]), locks), step.h)
    return replace(
        step,
        w=w,
        h=h,
        gram_w=gram_matrix(w, data.blocks, workers),
        gram_h=gram_matrix(h, data.T.blocks, workers),
        momentum=None,
        ready=False,
        onward_w=None,
        onward_h=None,
        reported=step,
        reseeded=step.reseeded + tuple(int(c) for c in columns),
    )


@dataclass(frozen=True)
class _Restart:
    """Rows of H in which some topics start again."""

    topics: tuple[int, ...]
    locks: bool

    def __call__(self, rows: Array) -> Array:
        rows = rows.copy()
        again = list(self.topics)
        rows[:, again] = 0
        if self.locks:
            rows[:, again] = lift(rows)[:, again]
        return rows


def _column_misfit(data: Data, step: Step, workers: Workers) -> Array:
    """‖a_j − W h_j‖² for each column j."""
    rhs = product(data.T, step.w, workers).astype(np.float64, copy=False)
    h = np.asarray(step.h).astype(np.float64, copy=False)
    fitted = np.einsum("ij,ij->i", h @ step.gram_w - 2 * rhs, h)
    misfit: Array = data.T.row_norms2 + fitted
    return misfit
