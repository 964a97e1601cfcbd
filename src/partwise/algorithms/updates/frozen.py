"""Some components held fixed, around any half-step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from partwise.algorithms.updates.pivoting import Pivoting
from partwise.types import Array, Rows, Update


@dataclass(frozen=True, eq=True)
class Frozen(Update):
    """The half-step of ``update`` on the free components Z̄, those in Z as they were.

    The free columns solve the problem with gram G[Z̄, Z̄] and right-hand side R[:, Z̄] − X[:, Z] G[Z, Z̄].
    """

    update: Update
    components: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in (
            "monotone",
            "needs_convex",
            "needs_nonnegative_gram",
            "linear",
            "zero_floor",
            "ahead_floor",
            "constraint",
        ):
            object.__setattr__(self, name, getattr(self.update, name))

    def refuses(self, rank: int) -> str | None:
        if not all(0 <= c < rank for c in self.components):
            return f"There are {rank} components, from 0 to {rank - 1}; {self.components} cannot be frozen."
        if len(self.components) == rank:
            return f"All {rank} components are frozen, so there is nothing left to find."
        return self.update.refuses(rank - len(self.components))

    def prepare(self, gram: Array) -> Rows:
        held = np.array(self.components, int)
        free = np.setdiff1d(np.arange(len(gram)), held)
        solve = self.update.prepare(np.ascontiguousarray(gram[np.ix_(free, free)]))
        coupling = gram[np.ix_(held, free)]

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            fixed = np.ascontiguousarray(factor[:, held])
            rest = rhs[:, free] - (fixed.astype(np.float64, copy=False) @ coupling).astype(rhs.dtype, copy=False)
            new = np.empty((len(out), len(free)), out.dtype)
            solve(np.ascontiguousarray(rest), np.ascontiguousarray(factor[:, free]), new)
            out[:, free], out[:, held] = new, fixed

        return rows

    def residual(self, gram: Array) -> Callable[[Array, Array], float] | None:
        """The free components alone count; the held ones may be anything."""
        free = np.setdiff1d(np.arange(len(gram)), np.array(self.components, int))
        scale = np.sqrt(np.diag(gram))[free]

        def squares(rhs: Array, factor: Array) -> float:
            x = factor.astype(np.float64, copy=False)
            gradient = (x @ gram - rhs)[:, free]
            slack = np.minimum(x[:, free] * scale, np.divide(gradient, scale, where=scale > 0, out=gradient * 0))
            return float(np.vdot(slack, slack))

        return squares

    def exact(self) -> Update | None:
        return Frozen(self.update.exact() or Pivoting(), self.components)
