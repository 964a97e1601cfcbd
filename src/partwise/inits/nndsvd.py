"""The nonnegative parts of the singular vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from partwise.arguments import number
from partwise.data.products import product
from partwise.inits.base import Start
from partwise.inits.compact import apart, compact
from partwise.linalg.svd import SVD, block_svd, svd_peak_bytes
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class NNDSVD(Start):
    """W from the larger of the positive and negative parts of each singular pair (Boutsidis and Gallopoulos 2008).

    w_1 = √s_1 |u_1|, and w_c = √(s_c ‖u_c^±‖ ‖v_c^±‖) u_c^± / ‖u_c^±‖ with the sign for which the root is larger.
    ``tol`` is the tolerance of the SVD; a loose one is enough for a start. ``svd`` is one that is known.
    """

    seeded = False
    within_sides = True

    tol: float = 1e-2
    svd: SVD | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_svd_settings("nndsvd", self.tol, self.svd)

    def peak_bytes(self, data: Data, rank: int) -> int:
        """The bases of the SVD, unless one was passed."""
        return svd_peak_bytes(data.shape, rank) if self.svd is None else 0

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array | sp.csr_array:
        return compact(self.parts(data, rank, rng, workers))

    def parts(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        """W, dense; where A has a smaller rank, the topics beyond it are made from the others."""
        return apart(self.both(data, rank, rng, workers)[0], rng)

    def both(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> tuple[Array, Array]:
        """W and its own H, both tall; what lies beyond the rank of A is 0."""
        y, z = balanced(data, rank, self.tol, self.svd, rng, workers)
        w, h = np.zeros(y.shape, data.dtype), np.zeros(z.shape, data.dtype)
        w[:, 0], h[:, 0] = abs(y[:, 0]), abs(z[:, 0])
        for c in range(1, rank):
            w[:, c], h[:, c] = signed_parts(y[:, c], z[:, c])[0]
        return w, h


@dataclass(frozen=True)
class NNDSVDa(NNDSVD):
    """NNDSVD with its zeros filled by the mean of A, for updates that lock zeros (Boutsidis and Gallopoulos 2008).

    W grows as √A and the mean as A, so the fill is mean(A) / √ℓ with ℓ the root mean square length of A's columns:
    the authors' own number for columns of unit length, and as large beside W in whatever units A is given.
    """

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        w = self.parts(data, rank, rng, workers)
        w[w == 0] = mean_fill(data, workers)
        return w


@dataclass(frozen=True)
class NNDSVDar(NNDSVD):
    """NNDSVD with its zeros filled by random numbers on [0, 1/100) of what NNDSVDa fills in."""

    seeded = True

    def __call__(self, data: Data, rank: int, rng: np.random.Generator, workers: Workers) -> Array:
        w = self.parts(data, rank, rng, workers)
        zeros = w == 0
        w[zeros] = mean_fill(data, workers) / 100 * rng.random(np.count_nonzero(zeros))
        return w


def check_svd_settings(name: str, tol: object, svd: object) -> None:
    """Refuse a tolerance that is not above 0, and what is not an SVD."""
    number(f"{name} (tol=...)", tol, ends="()")
    if svd is not None and not isinstance(svd, SVD):
        raise TypeError(
            f"{name} (svd=...) must be an SVD, as truncated_svd gives one, or None; not {type(svd).__name__}."
        )


def mean_entry(data: Data, workers: Workers) -> float:
    """The mean of A's entries."""
    sums = product(data, np.ones((data.shape[1], 1)), workers)
    return float(sums.sum(dtype=np.float64)) / (data.shape[0] * data.shape[1])


def mean_fill(data: Data, workers: Workers) -> float:
    """mean(A) / √ℓ with ℓ the root mean square length of A's columns."""
    return float(mean_entry(data, workers) / np.sqrt(np.sqrt(data.norm2 / data.shape[1])))


def balanced(
    data: Data, rank: int, tol: float, svd: SVD | None, rng: np.random.Generator, workers: Workers
) -> tuple[Array, Array]:
    """(Y, Z) = (U √S, V √S) in float64, so that Y Zᵀ ≈ A; what is zero to rounding is made zero."""
    triplets = block_svd(data, rank, tol, rng, workers) if svd is None else _given(svd, data, rank)
    s = triplets.s.astype(np.float64)
    eps = float(np.finfo(data.dtype).eps)
    root = np.sqrt(np.where(s > max(data.shape) * eps * s[0], s, 0))
    u, v = (np.where(abs(side) > eps * abs(side).max(axis=0), side, 0) for side in (triplets.u, triplets.v))
    return u * root, v * root


def _given(svd: SVD, data: Data, rank: int) -> SVD:
    if (len(svd.u), len(svd.v)) != data.shape:
        raise ValueError(f"The SVD is of a {len(svd.u)} × {len(svd.v)} matrix, not {data.shape[0]} × {data.shape[1]}.")
    return svd.truncate(rank)


def signed_parts(y: Array, z: Array) -> list[tuple[Array, Array]]:
    """The positive and the negative part of the pair y zᵀ, each balanced to equal lengths, the larger first."""
    parts = [(np.maximum(sign * y, 0), np.maximum(sign * z, 0)) for sign in (1, -1)]
    lengths = [(float(np.linalg.norm(a)), float(np.linalg.norm(b))) for a, b in parts]
    order = (0, 1) if lengths[0][0] * lengths[0][1] >= lengths[1][0] * lengths[1][1] else (1, 0)
    return [_equal(*parts[i], *lengths[i]) for i in order]


def _equal(a: Array, b: Array, length_a: float, length_b: float) -> tuple[Array, Array]:
    """The same a bᵀ with both sides of length √(‖a‖ ‖b‖)."""
    if length_a == 0 or length_b == 0:
        return 0 * a, 0 * b
    ratio = float(np.sqrt(length_b / length_a))
    return a * ratio, b / ratio
