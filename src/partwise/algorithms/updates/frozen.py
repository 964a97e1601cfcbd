"""Some components held fixed, around any half-step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.algorithms.updates.nnls_pivoting import Pivoting
from partwise.types import Array, Rows, Update

DECLARED = (
    "monotone",
    "needs_convex",
    "needs_nonnegative_gram",
    "linear",
    "quadratic",
    "zero_floor",
    "ahead_floor",
    "constraint",
    "own_systems",
)
"""What the update inside says of itself, which holds for the free components too."""


@dataclass(frozen=True)
class Frozen(Update):
    """The half-step of ``update`` on the free components Z̄, those in Z as they were.

    The free columns solve the problem with gram G[Z̄, Z̄] and right-hand side R[:, Z̄] − X[:, Z] G[Z, Z̄].
    """

    update: Update
    fixed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in DECLARED:
            object.__setattr__(self, name, getattr(self.update, name))

    def refuses(self, rank: int) -> str | None:
        if not all(0 <= c < rank for c in self.fixed):
            return f"There are {rank} components, from 0 to {rank - 1}; {self.fixed} cannot be frozen."
        if len(self.fixed) == rank:
            return f"All {rank} components are frozen, so there is nothing left to find."
        return self.update.refuses(rank - len(self.fixed))

    def prepare(self, gram: Array) -> Rows:
        held = np.array(self.fixed, int)
        free = np.setdiff1d(np.arange(len(gram)), held)
        solve = self.update.prepare(np.ascontiguousarray(gram[np.ix_(free, free)]))
        coupling = gram[np.ix_(held, free)]

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            kept = np.ascontiguousarray(factor[:, held])
            rest = rhs[:, free] - (kept.astype(np.float64, copy=False) @ coupling).astype(rhs.dtype, copy=False)
            new = np.empty((len(out), len(free)), out.dtype)
            solve(np.ascontiguousarray(rest), np.ascontiguousarray(factor[:, free]), new)
            out[:, free], out[:, held] = new, kept

        return rows

    def solve_systems(self, rows: Any, before: Array, out: Array) -> None:
        self.update.solve_systems(rows, before, out)

    def exact(self) -> Update | None:
        return Frozen(self.update.exact() or Pivoting(), self.fixed)
