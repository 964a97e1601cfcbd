"""Least absolute error by linear programming, a row at a time."""

from collections.abc import Callable

import numpy as np

from partwise.types import Array, Rows, Update


class LeastAbsolute(Update):
    """min Σ_j |a_j − (Fx)_j| over x ≥ 0, as a linear programme for HiGHS.

    With a = Fx + u − v, u, v ≥ 0, the objective is Σ u + v and nonnegativity is a plain bound: the alternating linear
    programming that Langville et al., section 3.3.4, mention. For small data and comparison only.
    """

    cold = True
    linear = False

    def prepare(self, gram: Array) -> Rows:
        raise TypeError("LeastAbsolute needs the data themselves, not their Gram matrix.")

    def solve(self, rows: Array, fixed: Array, out: Array, between: Callable[[], None] = lambda: None) -> None:
        """A programme for each row; ``between`` is called before each, and what it raises ends them."""
        from scipy.optimize import linprog  # imported late: it takes a quarter of a second
        from scipy.sparse import csr_array, eye_array, hstack

        n, rank = fixed.shape
        # A common scale keeps HiGHS's absolute tolerances relative.
        size, height = abs(fixed).max(), abs(rows).max()
        if not (size > 0 and height > 0):
            out[:] = 0
            return
        equations = hstack([csr_array(fixed / size), eye_array(n), -eye_array(n)], format="csr")
        cost = np.r_[np.zeros(rank), np.ones(2 * n)]
        for i, row in enumerate(rows):
            between()
            answer = linprog(cost, A_eq=equations, b_eq=row / height, bounds=(0, None), method="highs")
            out[i] = np.maximum(answer.x[:rank], 0) * (height / size)
