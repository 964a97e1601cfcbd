"""Averages of random columns of A."""

from dataclasses import dataclass

import numpy as np

from partwise.blocks import Workers, product
from partwise.types import Array, Data


@dataclass(frozen=True)
class RandomColumns:
    """Each column of W is the mean of ``p`` random columns of A (the paper's random Acol, section 4.2, p = 20).

    Zero columns are not drawn. With fewer than p columns, all of them are averaged, and every topic starts alike
    unless their weights differ; so each mean then takes a random half of them.
    """

    p: int = 20

    def __post_init__(self) -> None:
        if isinstance(self.p, bool) or not isinstance(self.p, (int, np.integer)) or self.p < 1:
            raise ValueError(f"random-acol (p=...) must be a whole number of at least 1, not {self.p!r}.")

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        pool = np.flatnonzero(data.T.row_norms2 > 0)
        count = min(self.p, max(1, len(pool) // 2))
        average = np.zeros((data.shape[1], rank), data.dtype)
        for c in range(rank):
            average[rng.choice(pool, count, replace=False), c] = 1 / count
        return product(data, average, workers)
