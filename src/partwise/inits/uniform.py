"""Random numbers between 0 and 1."""

import numpy as np

from partwise.threads.pool import Workers
from partwise.types import Array, Data


class Uniform:
    """W uniform on [0, 1), dense, as the paper's rand(m, k); drawn in float64, so both precisions start alike."""

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        return rng.random((data.shape[0], rank)).astype(data.dtype)


class UniformPair(Uniform):
    """W and H uniform on [0, 1), dense: the start of Lee and Seung's method, which needs both."""

    def other(self, data: Data, rank: int, rng: np.random.Generator) -> Array:
        """H as a tall factor, drawn after W."""
        return rng.random((data.shape[1], rank)).astype(data.dtype)
