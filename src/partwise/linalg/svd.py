"""The truncated singular value decomposition, through products with A alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partwise.arguments import check_rank, check_seed, is_whole, number, quoted
from partwise.data.as_data import as_data
from partwise.data.products import NEAR_EXACT, product, residual2
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array, Data


@dataclass(frozen=True)
class SVD:
    """A ≈ U diag(s) Vᵀ with ``u`` m × k and ``v`` n × k; ``u, s, vt = svd`` unpacks it as scipy does."""

    u: Array
    s: Array
    v: Array
    norm2: float
    """‖A‖_F²"""
    rest2: float
    """‖A − U diag(s) Vᵀ‖_F², from which the error of every smaller rank follows without cancellation."""

    def __iter__(self) -> Iterator[Array]:
        return iter((self.u, self.s, self.v.T))

    @property
    def rank(self) -> int:
        """The number of singular triplets."""
        return len(self.s)

    @property
    def nbytes(self) -> int:
        """The storage of the three factors."""
        return self.u.nbytes + self.s.nbytes + self.v.nbytes

    def truncate(self, rank: int) -> SVD:
        """The decomposition of a smaller rank, at no cost."""
        if not is_whole(rank) or not 1 <= rank <= self.rank:
            raise ValueError(f"This SVD serves ranks 1 to {self.rank}, not {quoted(rank)}.")
        rest2 = self.rest2 + float(np.sum(self.s[rank:].astype(np.float64) ** 2))
        return SVD(self.u[:, :rank], self.s[:rank], self.v[:, :rank], self.norm2, rest2)

    @property
    def error(self) -> float:
        """‖A − U diag(s) Vᵀ‖_F / ‖A‖_F, the least that any factorisation of this rank can reach."""
        return float(np.sqrt(self.rest2 / self.norm2))


def truncated_svd(
    matrix: Any, rank: int, *, tol: float = 1e-6, seed: int | None = 0, threads: int | None = None
) -> SVD:
    """The ``rank`` largest singular triplets by block Golub–Kahan bidiagonalisation with full reorthogonalisation.

    ``tol`` is the relative change of the singular values between two steps at which it stops; the error is below it,
    since it falls fast. A loose tolerance such as 1e-2 serves a start; one SVD serves every smaller rank.
    """
    data = as_data(matrix)
    check_rank(rank, data.shape)
    number("tol", tol, 0, 1, ends="()")
    check_seed(seed)
    with Workers(threads) as workers, single_threaded_blas():
        return block_svd(data, int(rank), tol, np.random.default_rng(seed), workers)


def svd_peak_bytes(shape: tuple[int, int], rank: int) -> int:
    """The bytes of the growing bases, measured: 9.4 pairs of factors in float64."""
    return int(9.4 * 8 * sum(shape) * rank)


def block_svd(data: Data, rank: int, tol: float, rng: np.random.Generator, workers: Workers) -> SVD:
    """Grow bases U and V with A V = U T, T small, until the leading singular values of T stand still.

    V runs on the shorter side, so that once it is full there is nothing outside the bases.
    """
    m, n = data.shape
    if m < n:
        other = block_svd(data.T, rank, tol, rng, workers)
        return replace(other, u=other.v, v=other.u)
    width = min(max(rank // 3, 8), m, n)
    v_new, _ = np.linalg.qr(rng.standard_normal((n, width)))
    u, v, t = np.zeros((m, 0)), np.zeros((n, 0)), np.zeros((0, 0))
    before, nil = np.full(rank, np.nan), 32 * float(np.finfo(data.dtype).eps)
    while True:
        y = product(data, v_new, workers).astype(np.float64, copy=False)
        v = np.hstack([v, v_new])
        u_new, inside, outside = _orthonormal(u, y, rng)
        t = np.block([[t, inside], [np.zeros((u_new.shape[1], t.shape[1])), outside]])
        u = np.hstack([u, u_new])
        left, s, right = np.linalg.svd(t)
        if len(s) >= rank:
            settled = bool(np.all(abs(s[:rank] - before) <= tol * s[:rank] + nil * s[0]))
            before = s[:rank]
            if settled or v.shape[1] >= n:
                break
        z = product(data.T, u_new, workers).astype(np.float64, copy=False)
        v_new = _orthonormal(v, z, rng)[0][:, : n - v.shape[1]]
    return _result(data, u @ left[:, :rank], s[:rank], v @ right[:rank].T, workers)


def _orthonormal(basis: Array, block: Array, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """(Q, C, R) with block = basis C + Q R, Q orthonormal and orthogonal to the basis.

    A direction of the block that lies in the span of the basis is replaced by a random one, with nothing of the block
    along it; twice is enough for the others.
    """
    inside, q, r = np.zeros((basis.shape[1], block.shape[1])), block, np.eye(block.shape[1])
    for _ in range(3):
        size = np.linalg.norm(q, axis=0).max()
        again = basis.T @ q
        q, r2 = np.linalg.qr(q - basis @ again)
        turn, sizes, rows = np.linalg.svd(r2)
        lost = sizes <= 1e-12 * size
        if lost.any():  # turned so that what is lost stands in columns of its own
            q, r2 = q @ turn, sizes[:, None] * rows
            q[:, lost] = rng.standard_normal((len(q), int(lost.sum())))
            r2[lost] = 0
        inside, r = inside + again @ r, r2 @ r
    return q, inside, r


def _result(data: Data, u: Array, s: Array, v: Array, workers: Workers) -> SVD:
    """Signs fixed by the largest entry of each left vector, vectors in the data's precision."""
    largest = u[abs(u).argmax(axis=0), np.arange(u.shape[1])]
    signs = np.where(largest < 0, -1.0, 1.0)
    u, v = np.ascontiguousarray(u * signs, data.dtype), np.ascontiguousarray(v * signs, data.dtype)
    rest2 = data.norm2 - float(s @ s)
    if rest2 < NEAR_EXACT[data.dtype.itemsize] * data.norm2:
        rest2 = residual2(data, u * s, v, workers)
    return SVD(u, s.astype(data.dtype), v, data.norm2, rest2)
