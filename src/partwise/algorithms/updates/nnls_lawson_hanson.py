"""Exact rows by the classical active-set method, the slow yardstick of the paper."""

import numpy as np

from partwise.algorithms.updates.scaling import rescaled, unit_diagonal
from partwise.types import Array, Rows, Update


class LawsonHanson(Update):
    """The minimiser of ½ xGxᵀ − r·x over x ≥ 0 by ``scipy.optimize.nnls``, one call a row.

    With G = CᵀC and Cᵀd = r the row is min ‖Cx − d‖; C comes from the eigenvectors, so a singular G is allowed.
    """

    cold = True

    def prepare(self, gram: Array) -> Rows:
        from scipy.optimize import nnls  # imported late: it takes a quarter of a second

        scaled, scale = unit_diagonal(gram)
        values, vectors = np.linalg.eigh(scaled)
        kept = values > len(values) * np.finfo(np.float64).eps * abs(values).max()
        root = np.sqrt(values[kept])
        design = root[:, None] * vectors[:, kept].T
        target = vectors[:, kept] / root

        def solve(rhs: Array, out: Array) -> None:
            goals = rhs @ target
            for i, goal in enumerate(goals):
                out[i] = nnls(design, goal, maxiter=30 * len(scaled))[0]

        return rescaled(scale, solve)
