"""Random numbers between 0 and 1."""

import numpy as np

from partwise.inits.base import Start
from partwise.threads.pool import Workers
from partwise.types import Array, Data


class Uniform(Start):
    """W uniform on [0, 1), dense, as the paper's rand(m, k); drawn in float64, so both precisions start alike.

    For data with weights or unknown entries it is scaled by the root of their mean, so that A and cA, whose penalties
    are relative to that mean, start alike too.
    """

    reads_nothing = True

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return _drawn(data, data.shape[0], rank, rng)


class UniformPair(Uniform):
    """W and H uniform on [0, 1), dense: the start of Lee and Seung's method, which needs both."""

    def pair(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> tuple[Array, Array]:
        """W, then H as a tall factor."""
        return _drawn(data, data.shape[0], rank, rng), _drawn(data, data.shape[1], rank, rng)


def _drawn(data: Data, rows: int, rank: int, rng: np.random.Generator) -> Array:
    scale = np.sqrt(getattr(data, "mean", 1.0)) if data.weighted else 1.0
    return (scale * rng.random((rows, rank))).astype(data.dtype)
