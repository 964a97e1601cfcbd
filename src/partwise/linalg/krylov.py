"""The leading singular triplets as a start needs them: few passes over A, and only the shorter side orthogonalised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.data.products import product
from partwise.linalg.svd import SVD
from partwise.threads.pool import Workers
from partwise.types import Array, Data

LOST = 1e-14
"""The share of its squares below which a direction lies in the span of those before."""


def krylov_peak_bytes(shape: tuple[int, int], rank: int) -> int:
    """The bytes of the growing basis of the shorter side, and of the triplets."""
    return 8 * (6 * max(rank, 8) * min(shape) + 2 * rank * sum(shape))


def leading_svd(data: Data, rank: int, tol: float, rng: np.random.Generator, workers: Workers) -> SVD:
    """The ``rank`` largest singular triplets by block Lanczos on AᵀA, V on the shorter side.

    V grows by the block that AᵀA makes of its last one, orthogonalised against V twice; VᵀAᵀAV, which that leaves, has
    the squares of the singular values. It ends where they change by at most ``tol`` of themselves. Since they are
    squares, what is below the root of the precision beside the largest one is 0. A short side is taken whole at once.
    """
    m, n = data.shape
    if m < n:
        other = leading_svd(data.T, rank, tol, rng, workers)
        return replace(other, u=other.v, v=other.u)
    width = 8 * -(-rank // 24)
    new = np.eye(n) if n <= 8 * width else _orthonormal(np.zeros((n, 0)), rng.standard_normal((n, width)))
    v, inner = np.zeros((n, 0)), np.zeros((0, 0))
    before = np.full(rank, np.nan)
    while True:
        v = np.hstack([v, new])
        image = product(data.T, product(data, new, workers), workers).astype(np.float64, copy=False)
        inner = _bordered(inner, v.T @ image)
        values, turn = np.linalg.eigh(inner)
        squares = np.maximum(values[::-1][:rank], 0)
        settled = len(squares) == rank and bool(np.all(abs(squares - before) <= 2 * tol * squares))
        if settled or v.shape[1] >= n:
            break
        before = squares if len(squares) == rank else before
        new = _orthonormal(v, image)[:, : n - v.shape[1]]
        if new.shape[1] == 0:
            break
    return _result(data, np.sqrt(squares), v @ turn[:, ::-1][:, :rank], rank, workers)


def _bordered(inner: Array, column: Array) -> Array:
    """The symmetric matrix with further columns, given whole."""
    old = len(inner)
    grown = np.empty((len(column), len(column)))
    grown[:old, :old], grown[:, old:] = inner, column
    grown[old:, :old] = column[:old].T
    grown[old:, old:] = (column[old:] + column[old:].T) / 2
    return grown


def _orthonormal(basis: Array, block: Array) -> Array:
    """An orthonormal basis of what the block adds to the span of the basis."""
    size = float(np.vdot(block, block))
    for _ in range(2):
        block = block - basis @ (basis.T @ block)
        squares, turn = np.linalg.eigh(block.T @ block)
        there = squares > LOST * size
        block = block @ (turn[:, there] / np.sqrt(squares[there]))
        size = 1.0
    return block


def _result(data: Data, s: Array, v: Array, rank: int, workers: Workers) -> SVD:
    """The triplets with u = Av/s; those that are nil, or beyond the rank of A, are zero."""
    there = s > np.sqrt(np.finfo(data.dtype).eps) * s[0]
    image = product(data, v, workers).astype(np.float64, copy=False)
    s = np.where(there, s, 0)
    u = np.divide(image, s, out=np.zeros_like(image), where=there)
    missing = rank - len(s)
    u, v = (np.pad(side * there, ((0, 0), (0, missing))).astype(data.dtype, copy=False) for side in (u, v))
    s = np.pad(s, (0, missing))
    return SVD(u, s.astype(data.dtype), v, data.norm2, max(0.0, data.norm2 - float(s @ s)))
