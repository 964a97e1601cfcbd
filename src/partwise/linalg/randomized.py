"""The leading singular triplets as a start needs them: power iterations on a random block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from partwise.data.products import gram_matrix, product
from partwise.linalg.svd import SVD
from partwise.threads.pool import Block, Workers
from partwise.types import Array, Data

OVERSAMPLED = 10
"""The columns of the block beyond the rank."""
SHORT = 8
"""The columns of A, in widths of the block, up to which AᵀA costs less than its power iterations."""
SMALL = 1e-5
"""The share of the largest one that the diagonal of R must have."""
LITTLE = 2**22
"""The multiplications of a Gram matrix up to which it takes longer to wake a thread than to make it on one."""


def randomized_peak_bytes(shape: tuple[int, int], rank: int) -> int:
    """The bytes of the blocks on both sides, with the copies that orthogonalising them takes, and of the triplets."""
    return 8 * (4 * (rank + OVERSAMPLED) + rank) * sum(shape)


def randomized_svd(
    data: Data, rank: int, numbers: np.random.Generator | np.random.RandomState, workers: Workers
) -> SVD:
    """The ``rank`` largest singular triplets, nearly, from the range of (AAᵀ)^q A Ω, Ω of normal ``numbers``.

    Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1, with rank + 10 columns of Ω on the shorter side and q = 7,
    or 4 where the rank is above a tenth of that side: what ``sklearn.utils.extmath.randomized_svd`` does, so that with
    its numbers this is its result to rounding. Triplets beyond the rank of A have a singular value of 0.
    """
    if data.shape[0] <= data.shape[1]:
        other = _tall_svd(data.T, rank, numbers, workers)
        return replace(other, u=other.v, v=other.u)
    return _tall_svd(data, rank, numbers, workers)


def _tall_svd(data: Data, rank: int, numbers: np.random.Generator | np.random.RandomState, workers: Workers) -> SVD:
    """The same where A has at least as many rows as columns; of a few columns AᵀA is made once."""
    short, width = data.shape[1], rank + OVERSAMPLED
    data = data.for_many_products(width)
    blocks = data.T.blocks
    square = _normal(data, np.eye(short), workers) if short <= SHORT * width else None
    block = numbers.standard_normal((short, width))
    for _ in range(7 if 10 * rank < short else 4):
        image = _normal(data, block, workers) if square is None else square @ block
        image /= max(image.max(), -image.min()) or 1.0  # squares of squares leave the range
        block = _basis(image, blocks, workers)[0]
    block = _orthonormal(product(data, block, workers).astype(np.float64, copy=False), data.blocks, workers)[0]
    basis, triangle = _orthonormal(product(data.T, block, workers).astype(np.float64, copy=False), blocks, workers)
    v, s, turn = np.linalg.svd(triangle)
    u, s, v = block @ turn[:rank].T, s[:rank], basis @ v[:, :rank]
    rest2 = max(0.0, data.norm2 - float(s @ s))
    return SVD(u.astype(data.dtype), s.astype(data.dtype), v.astype(data.dtype), data.norm2, rest2)


def _normal(data: Data, block: Array, workers: Workers) -> Array:
    """AᵀA times the block."""
    image: Array = product(data.T, product(data, block, workers), workers).astype(np.float64, copy=False)
    return image


def _orthonormal(block: Array, blocks: Sequence[Block], workers: Workers) -> tuple[Array, Array]:
    """(Q, R) with X = QR and QᵀQ = 1: the second time the basis is so near to Q that its Gram matrix loses nothing.

    Yamamoto, Nakatsukasa, Yanagisawa and Fukaya 2015, CholeskyQR2.
    """
    near, first = _basis(block, blocks, workers)
    basis, second = _basis(near, blocks, workers)
    return basis, second @ first


def _basis(block: Array, blocks: Sequence[Block], workers: Workers) -> tuple[Array, Array]:
    """Another basis of the block's range, X R⁻¹, and R with RᵀR = XᵀX; QR where R is too small for that."""
    blocks = blocks if block.size * block.shape[1] > LITTLE else ((0, len(block)),)
    try:
        triangle = np.linalg.cholesky(gram_matrix(block, blocks, workers)).T
    except np.linalg.LinAlgError:
        triangle = np.zeros((1, 1))
    sizes = triangle.diagonal()
    if not sizes.min() > SMALL * sizes.max():
        return np.linalg.qr(block)
    inverse, basis = np.linalg.inv(triangle), np.empty_like(block)
    workers.map(lambda lo, hi: np.matmul(block[lo:hi], inverse, out=basis[lo:hi]), blocks)
    return basis, triangle
