"""Half-steps, one file each. None of them sees the data."""

from partwise.types import Update
from partwise.updates.barrier import Barrier
from partwise.updates.fnnls import FastActiveSet
from partwise.updates.hals import CoordinateSweeps
from partwise.updates.hoyer import HoyerCone
from partwise.updates.lawson_hanson import LawsonHanson
from partwise.updates.least_squares import LeastSquares
from partwise.updates.linear_programming import LeastAbsolute
from partwise.updates.multiplicative import Multiplicative
from partwise.updates.pivoting import Pivoting
from partwise.updates.projected_gradient import ProjectedGradient

__all__ = [
    "Barrier",
    "CoordinateSweeps",
    "FastActiveSet",
    "HoyerCone",
    "LawsonHanson",
    "LeastAbsolute",
    "LeastSquares",
    "Multiplicative",
    "Pivoting",
    "ProjectedGradient",
    "exact",
]


def exact(update: Update) -> Update:
    """The cold update that solves the row problem of ``update`` to the end, a function of (gram, rhs) alone."""
    return update.exact() or Pivoting()
