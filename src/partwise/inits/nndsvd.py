"""The nonnegative parts of the singular vectors."""

from dataclasses import dataclass

import numpy as np

from partwise.blocks import Workers
from partwise.svd import block_svd
from partwise.types import Array, Data


@dataclass(frozen=True)
class NNDSVD:
    """W from the larger of the positive and negative parts of each singular pair (Boutsidis and Gallopoulos 2008).

    ``tol`` is the tolerance of the SVD; a loose one is enough for a start.
    """

    tol: float = 1e-2

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        svd = block_svd(data, rank, self.tol, rng, workers)
        w = np.empty(svd.u.shape, data.dtype)
        for c in range(rank):
            u, v = svd.u[:, c], svd.v[:, c]
            parts = [(np.maximum(sign * u, 0), np.maximum(sign * v, 0)) for sign in (1, -1)]
            size = [float(np.linalg.norm(a) * np.linalg.norm(b)) for a, b in parts]
            best = int(np.argmax(size))
            length = float(np.linalg.norm(parts[best][0]))
            w[:, c] = parts[best][0] * (np.sqrt(svd.s[c] * size[best]) / length if length > 0 else 0)
        return w
