"""Exact rows by block principal pivoting."""

from partwise.kernels.nnls import pivoting_rows
from partwise.types import Array, Rows, Update
from partwise.updates.least_squares import inverse
from partwise.updates.scaling import rescaled, unit_diagonal


class Pivoting(Update):
    """The minimiser of ½ xGxᵀ − r·x over x ≥ 0 by block principal pivoting (Kim and Park 2011).

    It starts from the support of the clipped least-squares solution, which is one product for all rows; a row with a
    singular subsystem, or on which pivoting cycles, is solved by FNNLS instead.
    """

    cold = True

    def prepare(self, gram: Array) -> Rows:
        scaled, scale = unit_diagonal(gram)
        start = inverse(scaled)
        return rescaled(scale, lambda rhs, out: pivoting_rows(scaled, rhs, rhs @ start, out))
