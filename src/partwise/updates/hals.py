"""Coordinate sweeps: hierarchical alternating least squares, row by row."""

from dataclasses import dataclass

import numpy as np

from partwise.kernels.coordinate import coordinate_rows
from partwise.types import Array, Rows, Update


@dataclass(frozen=True)
class CoordinateSweeps(Update):
    """x_c ← max(0, x_c − (xG − r)_c / G_cc) for c = 1 … k in turn, ``sweeps`` times per product.

    Cichocki and Phan 2009; several sweeps for each product with A as in Gillis and Glineur 2012.
    """

    sweeps: int = 1

    def prepare(self, gram: Array) -> Rows:
        def rows(rhs: Array, factor: Array, out: Array) -> None:
            np.copyto(out, factor)
            coordinate_rows(gram.astype(out.dtype), rhs, self.sweeps, out)

        return rows
