"""A start with a bias of each row and of each column as its last two components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.inits.base import Start
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class Biased(Start):
    """k random components, then the biases: (b, ½√μ) and (½√μ, c), whose ½√μ columns are held; μ is the mean entry.

    So WH holds ½√μ (b_i + c_j) beside the parts, and both biases are nonnegative. The lower the level that is held, the
    more a penalty weighs on the biases; ½ predicted ratings best among 1, 0.7 and 0.5.
    """

    reads_nothing = True

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        level = _level(data)
        w = rng.random((data.shape[0], rank)) * level
        w[:, -2], w[:, -1] = level, level / 2
        return w.astype(data.dtype)

    def pair(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> tuple[Array, Array]:
        """W, and H as a tall factor: small weights, and the columns' biases."""
        w, level = self(data, rank, rng, workers), _level(data)
        h = rng.random((data.shape[1], rank)) * 0.2 * level
        h[:, -2], h[:, -1] = level / 2, level
        return w, h.astype(data.dtype)


def _level(data: Data) -> float:
    return float(np.sqrt(data.mean if data.weighted else data.row_sums.sum() / (data.shape[0] * data.shape[1])))  # type: ignore[attr-defined]
