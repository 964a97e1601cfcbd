"""Matrices with something to find in them."""

import numpy as np


def planted(m: int, n: int, rank: int, seed: int = 0, noise: float = 0.1, density: float = 0.4) -> np.ndarray:
    """A nonnegative matrix with planted parts."""
    rng = np.random.default_rng(seed)
    w = rng.random((m, rank)) * (rng.random((m, rank)) < density)
    h = rng.random((rank, n)) * (rng.random((rank, n)) < density)
    return w @ h + noise * rng.random((m, n)) * (rng.random((m, n)) < density)
