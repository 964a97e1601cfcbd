"""What a start is, and the one that somebody else made."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_factor
from partwise.inits.range import in_range
from partwise.threads.pool import Workers
from partwise.types import Array, Data


class Init(Protocol):
    """A start for W, dense or a CSR array, whichever takes fewer bytes.

    Law: m × k, nonnegative, finite, not zero, in the data's precision; a function of data and seed. A start may say
    ``seeded = False``, and ``within_sides = True`` where it cannot have more components than A has rows or columns.
    """

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array: ...


class Given:
    """A start that somebody else made: W (m × k), or the pair (W, H) with H k × n."""

    seeded = False
    reads_nothing = True
    in_range = True
    """W is in the range of the data's precision, and goes with an H."""

    def __init__(self, w: Any, h: Any = None) -> None:
        self.w, self.h = w, h

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return np.array(self._pair(data, rank)[0], data.dtype, order="C")

    def warm(self, data: Data, rank: int) -> bool:
        """Whether it is a pair."""
        return self.h is not None

    def check(self, data: Data, rank: int) -> None:
        """Refuse factors that do not fit, before any work."""
        self._pair(data, rank)

    def other(self, data: Data, rank: int, rng: np.random.Generator) -> Array | None:
        """H as a tall factor, where it was given."""
        h = self._pair(data, rank)[1]
        return None if h is None else np.array(h.T, data.dtype, order="C")

    def _pair(self, data: Data, rank: int) -> tuple[Array, Array | None]:
        """W and H, checked and in the range of the data's precision."""
        w = as_factor(self.w, "W", (data.shape[0], rank))
        h = None if self.h is None else as_factor(self.h, "H", (rank, data.shape[1]))
        return in_range(data, w, h)
