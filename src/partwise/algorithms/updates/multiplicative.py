"""The multiplicative half-step of Lee and Seung for the squared error."""

import numpy as np

from partwise.types import Array, Rows, Update

LIFT = 1e-4
"""The fraction of a row's mean that stands for a zero where zeros are locked."""

SHRINK = 0.1
"""What is left of an entry in one half-step where a penalty alone speaks."""


class Multiplicative(Update):
    """X ∘ R / (X G), where 0/0 is 0 (Lee and Seung 2000, theorem 1). A zero stays zero.

    The ε that is often added to the denominator is left out: it is an absolute constant, and its only use is 0/0. Where
    a linear penalty makes an entry of R negative, the surrogate's minimum is 0; the entry goes nine tenths of the way,
    which cannot raise the objective either and does not lock it.
    """

    zero_floor = ahead_floor = LIFT
    needs_nonnegative_gram = True

    def prepare(self, gram: Array) -> Rows:
        if gram.min() < 0:
            raise ValueError(
                "The multiplicative half-step needs a Gram matrix without negative entries, so it cannot carry "
                "AHCLS's penalty; use a penalty without alpha, or hals or anls with this one."
            )

        def rows(rhs: Array, factor: Array, out: Array) -> None:
            below = factor @ gram.astype(factor.dtype, copy=False)
            np.multiply(factor, rhs, out=out)
            np.divide(out, below, out=out, where=below > 0)
            out[below <= 0] = 0
            np.multiply(factor, SHRINK, out=out, where=rhs < 0)

        return rows


def lift(factor: Array, fraction: float = LIFT) -> Array:
    """Raise the zeros of each row to a small fraction of the row's mean, so that they are not locked at the start."""
    floor = fraction * factor.mean(axis=1, keepdims=True, dtype=np.float64)
    lifted: Array = np.where(factor > 0, factor, floor.astype(factor.dtype))
    return lifted
