"""Online factorisation: W from the sums over all samples that have come by, which need not be kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.algorithms.base import Side
from partwise.data.products import product
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor

FADING = 2.0
"""ρ: sample i of n counts (i/n)^ρ in the end. Chosen among 0, ½, 1, 2, 3 on digits and on Reuters' ten categories."""


@dataclass(frozen=True)
class Sums:
    """Σ hᵀh (k × k) and Σ A h (m × k), in float64: all that a half-step for W needs (Mairal et al. 2010).

    Law: the sums over batches are those over all samples at once, so that with W held fixed for one epoch the
    half-step from them is the loop's own.
    """

    gram: Array
    rhs: Array
    samples: int = 0

    @classmethod
    def empty(cls, features: int, rank: int) -> Sums:
        """Before anything has come by."""
        return cls(np.zeros((rank, rank)), np.zeros((features, rank)))

    @classmethod
    def recalled(cls, gram: Array, w: Array, samples: int) -> Sums:
        """The sums with this gram for which W is the minimiser: A h = W Σ hᵀh, where the gradient is 0."""
        return cls(gram, w.astype(np.float64) @ gram, samples)

    def fading(self, batch: int) -> float:
        """What the sums count beside a batch of so many samples: (1 − batch/all)^ρ (Mairal et al. 2010, section 3.4.2).

        The weights of a sample were the best ones for the W that it met; those of early samples are out of date.
        """
        share: float = (self.samples / (self.samples + batch)) ** FADING
        return share

    def add(self, data: Data, h: Factor, workers: Workers, forget: float = 1.0) -> Sums:
        """With a batch A (m × samples) and its weights; what came before counts ``forget`` times."""
        seen = self.samples + data.shape[1]
        return Sums(forget * self.gram + h.gram, forget * self.rhs + product(data, h.rows, workers), seen)

    def half_step(self, side: Side, w: Array) -> Array:
        """The half-step for W from all that has come by, one pass of it (Mairal et al. 2010, algorithm 2)."""
        side.check_minimum(self.gram)
        rhs = side.shifted(self.rhs.astype(w.dtype, copy=False), side.linear(len(self.gram)))
        new: Array = side.update.single()(side.penalised(self.gram), rhs, w)
        return new
