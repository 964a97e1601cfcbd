"""Least squares, then every negative entry set to 0: the half-step of ALS, ACLS and AHCLS."""

from dataclasses import dataclass

import numpy as np

from partwise.algorithms.updates.scaling import unit_diagonal
from partwise.kernels.inverse import positive_inverse
from partwise.kernels.squares import square_product
from partwise.types import Array, Rows, Update

SMALL = 64
"""Up to this rank a call of LAPACK takes longer than the work."""


def inverse(gram: Array) -> Array:
    """G⁻¹ of a symmetric, possibly indefinite matrix; the pseudo-inverse where G is singular to rounding.

    It is taken in the unit-diagonal scale, so that topics of unequal length do not look singular, and a topic whose
    diagonal is 0 gets a row of zeros.
    """
    rank = len(gram)
    if rank <= SMALL:
        result = np.empty((rank, rank))
        if positive_inverse(gram, result):
            return result
    return _general_inverse(gram)


def _general_inverse(gram: Array) -> Array:
    """By LAPACK, for every symmetric matrix; one that is not finite has no inverse that is."""
    if not np.isfinite(gram).all():
        return np.full_like(gram, np.nan)
    scaled, scale = unit_diagonal(gram)
    singular = 1 / (len(gram) * np.finfo(np.float64).eps)
    try:
        result = np.linalg.inv(scaled)
        sound = bool(np.linalg.norm(scaled, 1) * np.linalg.norm(result, 1) < singular)
    except np.linalg.LinAlgError:
        sound = False
    if not sound:
        result = np.linalg.pinv(scaled, rcond=1 / singular, hermitian=True)
    symmetric: Array = (result + result.T) / 2 * scale * scale[:, None]
    return symmetric


@dataclass(frozen=True, eq=False)
class Clipped:
    """Rows max(0, rhs · square)."""

    square: Array

    def __call__(self, rhs: Array, factor: Array, out: Array) -> None:
        square_product(rhs, self.square.astype(rhs.dtype, copy=False), rhs.dtype.type(0), out)


class LeastSquares(Update):
    """X = max(0, R G⁻¹), the least-norm least-squares solution where G is singular.

    Langville et al., sections 3.1 and 3.2 ("set all negative elements to 0"). AHCLS's matrix can be indefinite; the
    system is solved all the same, as the paper does.
    """

    cold = True
    monotone = False
    needs_convex = False

    def prepare(self, gram: Array) -> Rows:
        return Clipped(inverse(gram))
