"""Half-steps, one file each. None of them sees the data."""

from partwise.algorithms.updates.barrier import Barrier
from partwise.algorithms.updates.beta import BetaMultiplicative
from partwise.algorithms.updates.clipped_least_squares import LeastSquares
from partwise.algorithms.updates.frozen import Frozen
from partwise.algorithms.updates.hals import CoordinateSweeps
from partwise.algorithms.updates.hoyer import HoyerCone
from partwise.algorithms.updates.linear_programming import LeastAbsolute
from partwise.algorithms.updates.multiplicative import Multiplicative
from partwise.algorithms.updates.nnls_fnnls import FastActiveSet
from partwise.algorithms.updates.nnls_lawson_hanson import LawsonHanson
from partwise.algorithms.updates.nnls_pivoting import Pivoting
from partwise.algorithms.updates.poisson import PoissonMultiplicative, PoissonNewton, PoissonSweeps
from partwise.algorithms.updates.projected_gradient import ProjectedGradient
from partwise.types import Update

__all__ = [
    "Barrier",
    "BetaMultiplicative",
    "CoordinateSweeps",
    "FastActiveSet",
    "Frozen",
    "HoyerCone",
    "LawsonHanson",
    "LeastAbsolute",
    "LeastSquares",
    "Multiplicative",
    "Pivoting",
    "PoissonMultiplicative",
    "PoissonNewton",
    "PoissonSweeps",
    "ProjectedGradient",
    "exact",
]


def exact(update: Update) -> Update:
    """The cold update that solves the row problem of ``update`` to the end, a function of (gram, rhs) alone."""
    return update.exact() or Pivoting()
