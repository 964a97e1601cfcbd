"""Half-steps for the Poisson likelihood (Kullback–Leibler divergence); they see the entries of their rows of A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise.kernels.poisson import coordinate_rows, ratio_rows
from partwise.types import Array, EntryUpdate


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

    def solve(
        self, entries: tuple[Array, Array, Array], fixed: Array, sums: Array, before: Array, out: Array, logs: Array
    ) -> None:
        coordinate_rows(*entries, fixed, sums, before, self.sweeps, self.settled, out, logs)

    def exact(self) -> EntryUpdate:
        return PoissonSweeps(sweeps=1000, settled=1e-13)


class PoissonMultiplicative(EntryUpdate):
    """x ∘ (Σ a_j f_j / y_j) / s (Lee and Seung 2000, theorem 2). A zero stays zero: the field's yardstick."""

    zero_floor: ClassVar[float] = 1e-4

    def solve(
        self, entries: tuple[Array, Array, Array], fixed: Array, sums: Array, before: Array, out: Array, logs: Array
    ) -> None:
        ratios = np.empty(out.shape)
        ratio_rows(*entries, fixed, before, ratios, np.zeros(2))
        np.copyto(out, np.divide(before * ratios, sums, out=np.zeros(out.shape), where=sums > 0), casting="same_kind")
        ratio_rows(*entries, fixed, out, ratios, logs)

    def exact(self) -> EntryUpdate:
        return PoissonSweeps(sweeps=1000, settled=1e-13)
