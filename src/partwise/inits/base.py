"""What a start is, what it may say of itself, and the one that somebody else made."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_factor
from partwise.threads.pool import Workers
from partwise.types import Array, Data


class Init(Protocol):
    """A start for W, dense or a CSR array, whichever takes fewer bytes; it may say more, see :class:`Start`.

    Law: m × k, nonnegative, finite, not zero, in the data's precision; a function of data and seed.
    """

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array: ...


class Start:
    """What a start may say of itself beside giving W; one that does not say it is as here."""

    seeded: ClassVar[bool] = True
    """Whether another seed gives another start."""
    reads_nothing: ClassVar[bool] = False
    """Whether it looks at no entry of A, so that unknown ones do not matter."""
    within_sides: ClassVar[bool] = False
    """Whether it cannot have more components than A has rows or columns."""

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        raise NotImplementedError

    def pair(
        self, data: Data, rank: int, rng: np.random.Generator, workers: Workers
    ) -> tuple[Array | sp.csr_array, Array | None]:
        """W, and H as a tall factor where the start has one of its own."""
        return self(data, rank, rng, workers), None

    def check(self, data: Data, rank: int) -> None:
        """Refuse what does not fit, before any work."""

    def warm(self, data: Data, rank: int) -> bool:
        """Whether it is a run already, so that it needs no lead."""
        return False

    def peak_bytes(self, data: Data, rank: int) -> int:
        """What it takes at most, before there are factors."""
        return 0

    def as_scikit_learn(self, seed: int) -> Start:
        """The start with the random numbers and the units that scikit-learn's own has, where it can take them."""
        return self


class _Own(Start):
    """A start of somebody's own, a function or an object, with what it says of itself."""

    def __init__(self, start: Init) -> None:
        self._start = start
        for name in (
            "seeded",
            "reads_nothing",
            "within_sides",
            "pair",
            "check",
            "warm",
            "peak_bytes",
            "as_scikit_learn",
        ):
            if hasattr(start, name):
                setattr(self, name, getattr(start, name))

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        return self._start(data, rank, rng, workers)


def declared(init: Init) -> Start:
    """The start with all that it may say of itself."""
    return init if isinstance(init, Start) else _Own(init)


class Given(Start):
    """A start that somebody else made: W (m × k), or the pair (W, H) with H k × n."""

    seeded = False
    reads_nothing = True

    def __init__(self, w: Any, h: Any = None) -> None:
        self.w, self.h = w, h

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return np.array(as_factor(self.w, "W", (data.shape[0], rank)))

    def pair(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> tuple[Array, Array | None]:
        """W and H as they were given, in whatever precision."""
        h = None if self.h is None else as_factor(self.h, "H", (rank, data.shape[1]))
        return self(data, rank, rng, workers), None if h is None else np.array(h.T)

    def warm(self, data: Data, rank: int) -> bool:
        """Whether it is a pair."""
        return self.h is not None

    def check(self, data: Data, rank: int) -> None:
        """Refuse factors that do not fit."""
        as_factor(self.w, "W", (data.shape[0], rank))
        if self.h is not None:
            as_factor(self.h, "H", (rank, data.shape[1]))
