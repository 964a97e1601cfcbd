"""Half-steps for the Poisson likelihood (Kullback–Leibler divergence); they see the entries of their rows of A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise import kernels
from partwise.types import Array, EntryRows, EntryUpdate

TILE = 2**17
"""The numbers of the systems that are made at a time, so that they stay near."""


@dataclass(frozen=True)
class PoissonSweeps(EntryUpdate):
    """Safe coordinate steps on φ(x) = s·x − Σ a_j log(f_j·x), ``sweeps`` times over the components.

    Each step minimises a convex majoriser along its coordinate that is tight in value, slope and curvature: up by
    x − (c/s)·g/h, down by x − x·g/(h·x + ρ·g) or to 0, with c = Σ a f/y, g = s − c, h = Σ a f²/y², ρ = x·max f/y. So φ
    never rises, a zero can grow again and is set only where it is optimal, and there is no constant.
    """

    sweeps: int = 2
    settled: float = 0.0
    """A row ends its sweeps when one gains at most this share of what the first one gained."""

    def solve(self, rows: EntryRows, out: Array) -> None:
        kernels.poisson.coordinate_rows(
            *rows.entries, rows.fixed, rows.sums, rows.before, self.sweeps, self.settled, out, rows.logs
        )

    def exact(self) -> EntryUpdate:
        return PoissonSweeps(sweeps=1000, settled=1e-13)


class PoissonNewton(EntryUpdate):
    """A damped Newton step on every row from c = Σ a f/y and M = Σ a f fᵀ/y², which are sums over the row's entries.

    So a row may lie scattered over the parts of A, and the factors are the same in memory, on disk and on Dask. The
    model's minimiser under x ≥ 0 is found exactly and the step damped so that φ never rises; zeros can grow again.
    """

    needs_memory: ClassVar[bool] = False

    def solve(self, rows: EntryRows, out: Array) -> None:
        indptr, indices, values = rows.entries
        tile = max(1, TILE // kernels.row_systems.width(out.shape[1]))
        for lo in range(0, len(out), tile):
            hi = min(lo + tile, len(out))
            systems = np.zeros((hi - lo, kernels.row_systems.width(out.shape[1])))
            before = rows.before[lo:hi]
            kernels.row_systems.poisson_systems(
                indptr[lo : hi + 1], indices, values, rows.fixed, before, systems, rows.logs_before
            )
            sums = rows.sums if len(rows.sums) == 1 else rows.sums[lo:hi]
            kernels.row_systems.newton_rows(systems, sums, rows.totals[lo:hi], before, out[lo:hi])
        kernels.poisson.log_sums(indptr, indices, values, rows.fixed, out, rows.logs)

    def solve_systems(self, rows: EntryRows, systems: Array, out: Array) -> None:
        kernels.row_systems.newton_rows(systems, rows.sums, rows.totals, rows.before, out)

    def exact(self) -> EntryUpdate:
        return PoissonSweeps(sweeps=1000, settled=1e-13)


class PoissonMultiplicative(EntryUpdate):
    """x ∘ (Σ a_j f_j / y_j) / s (Lee and Seung 2000, theorem 2). A zero stays zero: the field's yardstick."""

    needs_memory: ClassVar[bool] = False
    zero_floor: ClassVar[float] = 1e-4

    def solve(self, rows: EntryRows, out: Array) -> None:
        ratios = np.empty(out.shape)
        kernels.poisson.ratio_rows(*rows.entries, rows.fixed, rows.before, ratios, rows.logs_before)
        self.solve_systems(rows, ratios, out)
        kernels.poisson.log_sums(*rows.entries, rows.fixed, out, rows.logs)

    def solve_systems(self, rows: EntryRows, systems: Array, out: Array) -> None:
        ratios = systems[:, : out.shape[1]]
        sums = np.broadcast_to(rows.sums, out.shape)
        quotient = np.divide(rows.before * ratios, sums, out=np.zeros(out.shape), where=sums > 0)
        np.copyto(out, quotient, casting="same_kind")

    def exact(self) -> EntryUpdate:
        return PoissonSweeps(sweeps=1000, settled=1e-13)
