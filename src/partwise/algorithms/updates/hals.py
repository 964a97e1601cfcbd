"""Coordinate sweeps: hierarchical alternating least squares, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise import kernels
from partwise.types import Array, Rows, SharedGram, Systems, Update


@dataclass(frozen=True)
class CoordinateSweeps(Update):
    """x_c ← max(0, x_c − (xG − r)_c / G_cc) for c = 1 … k in turn, ``sweeps`` times per product.

    Cichocki and Phan 2009; several sweeps for each product with A as in Gillis and Glineur 2012.
    """

    sweeps: int = 1
    settled: float = 0.0
    """A row ends its sweeps when one gains at most this share of what the first one gained."""

    own_systems: ClassVar[bool] = True
    shared_gram: ClassVar[bool] = True

    @property
    def plain_sweeps(self) -> tuple[int, float] | None:
        return (self.sweeps, float(self.settled)) if type(self) is CoordinateSweeps else None

    def single(self) -> CoordinateSweeps:
        return CoordinateSweeps()

    def solve_systems(self, rows: Systems, before: Array, out: Array) -> None:
        kernels.row_systems.sweep_rows(
            rows.packed, rows.linear, rows.ridge, before, rows.free, self.sweeps, self.settled, out
        )

    def solve_shared(self, rows: SharedGram, before: Array, out: Array, gains: Array) -> None:
        known = (*rows.entries, rows.fixed, rows.gram, rows.right, rows.linear, rows.ridge)
        kernels.shared_gram.sweep_entries(*known, before, self.sweeps, self.settled, out, gains)

    def prepare(self, gram: Array) -> Rows:
        diagonal = gram.diagonal()
        inverse = 1 / np.where(diagonal > 0, diagonal, np.inf)

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            own, scale = gram.astype(out.dtype, copy=False), inverse.astype(out.dtype, copy=False)
            kernels.coordinate.coordinate_rows(own, scale, rhs, factor, self.sweeps, self.settled, out)

        return rows
