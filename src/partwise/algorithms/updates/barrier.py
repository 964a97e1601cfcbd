"""Exact rows by a logarithmic barrier."""

from partwise import kernels
from partwise.algorithms.updates.scaling import rescaled, unit_diagonal
from partwise.types import Array, Rows, Update


class Barrier(Update):
    """The minimiser of ½ xGxᵀ − r·x − μ Σ log x as μ → 0, by a primal–dual interior point on each row.

    The logarithmic penalty that Langville et al., section 3.3.4, leave to future work. At the end of the path an
    entry smaller than its multiplier (both in the unit-diagonal scale) is rounded to an exact zero.
    """

    cold = True

    def prepare(self, gram: Array) -> Rows:
        scaled, scale = unit_diagonal(gram)
        return rescaled(scale, lambda rhs, out: kernels.barrier.barrier_rows(scaled, rhs, out))
