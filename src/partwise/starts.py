"""What a start is, and the one that somebody else made."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from partwise.blocks import Workers
from partwise.data import as_factor
from partwise.types import Array, Data


class Init(Protocol):
    """A start for W, dense or a CSR array, whichever takes fewer bytes.

    Law: m × k, nonnegative, finite, not zero, in the data's precision; a function of data and seed.
    """

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array: ...


class Given:
    """A start that somebody else made: W (m × k), or the pair (W, H) with H k × n."""

    seeded = False

    def __init__(self, w: Any, h: Any = None) -> None:
        self.w, self.h = w, h

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return np.array(as_factor(self.w, "W", (data.shape[0], rank)), data.dtype, order="C")

    def warm(self, data: Data, rank: int) -> bool:
        """Whether it is a pair."""
        return self.h is not None

    def check(self, data: Data, rank: int) -> None:
        """Refuse factors that do not fit, before any work."""
        as_factor(self.w, "W", (data.shape[0], rank))
        self.other(data, rank)

    def other(self, data: Data, rank: int) -> Array | None:
        """H as a tall factor, where it was given."""
        if self.h is None:
            return None
        return np.array(as_factor(self.h, "H", (rank, data.shape[1])).T, data.dtype, order="C")


def is_warm(init: Init, data: Data, rank: int) -> bool:
    """Whether W comes from a run, so that it needs no lead; without a word from the start itself, no."""
    told = getattr(init, "warm", None)
    return told is not None and bool(told(data, rank))
