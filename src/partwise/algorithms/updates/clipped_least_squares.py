"""Least squares, then every negative entry set to 0: the half-step of ALS, ACLS and AHCLS."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from partwise import kernels
from partwise.types import Array, Rows, Systems, Update

SMALL = 64
"""Up to this rank a call of LAPACK takes longer than the work."""
ROUNDS = 20
"""Rounds of balancing; each halves the logarithms of the rows' maxima, so that this many are enough for any double."""


def inverse(gram: Array) -> Array:
    """G⁻¹ of a symmetric, possibly indefinite matrix; the pseudo-inverse where G is singular to rounding.

    It is taken in a scale in which every row has a largest entry near 1, so that topics of unequal length do not look
    singular. A row of zeros stays one: the inverse has zeros there. A zero on the diagonal alone is no such row; AHCLS
    with α = 1 has it for a topic that is dead, and the system is solved as it stands.
    """
    rank = len(gram)
    if rank <= SMALL:
        result = np.empty((rank, rank))
        if kernels.inverse.positive_inverse(gram, np.empty(rank), result):
            return result
    return lapack_inverse(gram)


def lapack_inverse(gram: Array) -> Array:
    """By LAPACK, for every symmetric matrix; one that is not finite has no inverse that is."""
    if not np.isfinite(gram).all():
        return np.full_like(gram, np.nan)
    scaled, scale = _balanced(gram)
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


def _balanced(gram: Array) -> tuple[Array, Array]:
    """(DGD, D): the unit-diagonal scale, then halved or doubled until rows are near 1; a row of zeros gets a 1 there.

    In the unit-diagonal scale of a positive semidefinite matrix no entry exceeds 1, so nothing is left to do; an
    indefinite matrix may have larger ones, or a zero on the diagonal (Ruiz 2001: divide by roots of the rows' maxima).
    """
    diagonal = abs(np.diag(gram))
    scale = np.divide(1.0, np.sqrt(diagonal), out=np.ones_like(diagonal), where=diagonal > 0)
    for _ in range(ROUNDS):
        largest = abs(gram * scale * scale[:, None]).max(axis=1)
        exponents = np.where(largest > 0, np.round(np.log2(np.where(largest > 0, largest, 1.0)) / 2), 0.0)
        if not exponents.any():
            break
        scale *= 2.0**-exponents
    empty = ~gram.any(axis=1)
    scale[empty] = 0
    return gram * scale * scale[:, None] + np.diag(empty.astype(float)), scale


@dataclass(frozen=True, eq=False)
class Clipped:
    """Rows max(0, rhs · square)."""

    square: Array

    def __call__(self, rhs: Array, factor: Array, out: Array) -> None:
        kernels.squares.square_product(rhs, self.square.astype(rhs.dtype, copy=False), rhs.dtype.type(0), out)


class LeastSquares(Update):
    """X = max(0, R G⁻¹), the least-norm least-squares solution where G is singular.

    Langville et al., sections 3.1 and 3.2 ("set all negative elements to 0"). AHCLS's matrix can be indefinite; the
    system is solved all the same, as the paper does.
    """

    cold = True
    monotone = False
    needs_convex = False
    own_systems: ClassVar[bool] = True

    def solve_systems(self, rows: Systems, before: Array, out: Array) -> None:
        kernels.row_systems.clipped_rows(rows.packed, rows.linear, rows.ridge, before, rows.free, out)

    def prepare(self, gram: Array) -> Rows:
        return Clipped(inverse(gram))
