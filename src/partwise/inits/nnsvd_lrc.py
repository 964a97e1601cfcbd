"""Both parts of half as many singular vectors, corrected on the low-rank matrix they came from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.updates import CoordinateSweeps
from partwise.arguments import number, whole_number
from partwise.data.products import gram_of
from partwise.inits.base import Start
from partwise.inits.compact import apart, compact
from partwise.inits.nndsvd import balanced, check_svd_settings, signed_parts
from partwise.linalg.svd import SVD, svd_peak_bytes
from partwise.threads.pool import Block, Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class NNSVDLRC(Start):
    """Both parts of ⌊k/2⌋ + 1 singular pairs, improved on their low-rank product (Atif, Qazi and Gillis 2019).

    With Y Zᵀ the SVD of rank p = ⌊k/2⌋ + 1: the first topic is |y_1| |z_1|ᵀ, each further pair gives its positive and
    its negative part, the larger first. Coordinate sweeps then lower ‖Y Zᵀ − W H‖ in turn for W and H, at a cost of
    (m + n) k p, without A, until a round gains less than ``gain`` of the first error (the authors' δ = .05), at most
    ``rounds`` times. ``tol`` is the tolerance of the SVD, ``svd`` one that is known.
    """

    seeded = False
    within_sides = True

    tol: float = 1e-2
    svd: SVD | None = field(default=None, repr=False)
    gain: float = 0.05
    rounds: int = 20

    def __post_init__(self) -> None:
        check_svd_settings("nnsvd-lrc", self.tol, self.svd)
        number("nnsvd-lrc (gain=...)", self.gain)
        whole_number("nnsvd-lrc (rounds=...)", self.rounds, 0)

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The bases of the SVD, unless one was passed."""
        return svd_peak_bytes(data.shape, rank) if self.svd is None else 0

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        y, z = balanced(data, rank // 2 + 1, self.tol, self.svd, rng, workers)
        w, h = both_parts(y, z, rank)
        along = float(np.vdot(y.T @ w, z.T @ h))
        if along > 0:
            scale = np.sqrt(along / np.vdot(gram_of(w), gram_of(h)))
            w = self.corrected(data, y, z, w * scale, h * scale, workers)
        return compact(apart(w.astype(data.dtype), rng))

    def corrected(self, data: Data, y: Array, z: Array, w: Array, h: Array, workers: Workers) -> Array:
        """W after rounds of sweeps on Y Zᵀ; the error never rises, so W H stays nearer to it than zero is."""
        first = error = low_rank_error(y, z, w, h)
        for _ in range(self.rounds):
            w = improved(w, y, z.T @ h, gram_of(h), data.blocks, workers)
            h = improved(h, z, y.T @ w, gram_of(w), data.T.blocks, workers)
            before, error = error, low_rank_error(y, z, w, h)
            if before - error <= self.gain * first:
                break
        return w


def both_parts(y: Array, z: Array, rank: int) -> tuple[Array, Array]:
    """W (m × k) and H (n × k) from p pairs: |y_1|, |z_1|, then two parts of each."""
    pairs = [(abs(y[:, 0]), abs(z[:, 0]))]
    for c in range(1, y.shape[1]):
        pairs += signed_parts(y[:, c], z[:, c])
    w, h = zip(*pairs[:rank], strict=True)
    return np.stack(w, axis=1), np.stack(h, axis=1)


def improved(
    factor: Array, left: Array, right: Array, gram: Array, blocks: tuple[Block, ...], workers: Workers
) -> Array:
    """A half-step whose rhs is left · right, both thin, over row blocks."""
    out = np.empty_like(factor)
    rows = CoordinateSweeps(2).prepare(gram)
    workers.map(lambda lo, hi: rows(left[lo:hi] @ right, factor[lo:hi], out[lo:hi]), blocks)
    return out


def low_rank_error(y: Array, z: Array, w: Array, h: Array) -> float:
    """‖Y Zᵀ − W H‖ by the trace form, clamped at 0."""
    square = np.vdot(gram_of(y), gram_of(z)) - 2 * np.vdot(y.T @ w, z.T @ h) + np.vdot(gram_of(w), gram_of(h))
    return float(np.sqrt(max(0.0, float(square))))
