"""Exact rows by the fast active-set method."""

from partwise import kernels
from partwise.algorithms.updates.scaling import rescaled, unit_diagonal
from partwise.types import Array, Rows, Update


class FastActiveSet(Update):
    """The minimiser of ½ xGxᵀ − r·x over x ≥ 0 by FNNLS (Bro and de Jong 1997), which swaps one entry at a time."""

    cold = True

    def prepare(self, gram: Array) -> Rows:
        scaled, scale = unit_diagonal(gram)
        return rescaled(scale, lambda rhs, out: kernels.nnls.fnnls_rows(scaled, rhs, out))
