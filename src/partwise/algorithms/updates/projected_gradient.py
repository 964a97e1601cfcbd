"""Projected gradient with a line search on every row."""

from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.types import Array, Rows, Update


@dataclass(frozen=True)
class ProjectedGradient(Update):
    """x ← max(0, x − s (xG − r)), s by Lin's sufficient-decrease search, on each row by itself (Lin 2007, section 3).

    Lin's first step length 1 is an absolute constant; 1/‖G‖_∞ takes its place. A row is left when its projected
    gradient has fallen to ``tol`` of what it was, or after ``inner`` steps.
    """

    inner: int = 20
    tol: float = 1e-3

    def prepare(self, gram: Array) -> Rows:
        bound = float(abs(gram).sum(axis=1).max())
        scale = 1 / bound if bound > 0 else 0.0  # in units of the bound no square of a gradient leaves the range
        unit, first = gram * scale, 1.0 if bound > 0 else 0.0

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            np.copyto(out, factor)
            kernels.gradient.gradient_rows(unit, rhs * rhs.dtype.type(scale), first, self.inner, self.tol, out)

        return rows
