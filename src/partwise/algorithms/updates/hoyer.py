"""Rows whose Hoyer sparsity is what was asked for."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from partwise import kernels
from partwise.algorithms.updates.clipped_least_squares import inverse
from partwise.types import Array, Rows, Update


@dataclass(frozen=True)
class HoyerCone(Update):
    """min ½ xGxᵀ − r·x over the cone x ≥ 0, ‖x‖₁ = t‖x‖₂ with t = √k − s(√k − 1), so that spar(x) = s.

    Hoyer 2004 projects on the set of one L1 and one L2 norm; here the length is free, so each row is projected on the
    cone. The rows start from the clipped least-squares solution and go down by projected gradient; the cone is not
    convex, so this is a local answer, the same for the same (gram, rhs). A zero row has no sparsity and stays zero.
    """

    sparsity: float
    inner: int = 100
    tol: float = 1e-5

    cold = True
    monotone = False
    constraint = "the sparsity targets"

    def refuses(self, rank: int) -> str | None:
        return "A sparsity target needs 2 components or more: a row of length 1 has no sparsity." if rank < 2 else None

    def _bounds(self, gram: Array) -> tuple[float, float]:
        rank = len(gram)
        return float(np.linalg.eigvalsh(gram)[-1]), float(np.sqrt(rank) - self.sparsity * (np.sqrt(rank) - 1))

    def prepare(self, gram: Array) -> Rows:
        bound, ratio = self._bounds(gram)
        start = inverse(gram)

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            if not bound > 0:
                out[:] = 0
                return
            # In float64, so that equal topics tie to the last digits and the tie is broken alike everywhere.
            solution = np.maximum(rhs.astype(np.float64, copy=False) @ start, 0)
            kernels.cone.cone_rows(gram, rhs, bound, ratio, self.inner, self.tol, solution)
            np.copyto(out, solution, casting="same_kind")

        return rows

    def residual(self, gram: Array) -> Callable[[Array, Array], float] | None:
        bound, ratio = self._bounds(gram)
        if not bound > 0:
            return lambda rhs, factor: 0.0
        return lambda rhs, factor: float(kernels.cone.cone_residual(gram, rhs, bound, ratio, factor))

    def exact(self) -> Update | None:
        return self
