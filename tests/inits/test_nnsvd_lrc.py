"""nnsvd-lrc: both parts of half as many singular vectors, corrected on the low-rank matrix."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from partwise.data.as_data import as_data
from partwise.inits.nnsvd_lrc import NNSVDLRC
from partwise.linalg.svd import truncated_svd
from partwise.threads.pool import Workers


def start(init, matrix, rank):
    with Workers(2) as workers:
        w = init(as_data(matrix), rank, np.random.default_rng(0), workers)
    return w.toarray() if sp.issparse(w) else w


def sweep(target, fixed, x):
    """Two sweeps over the rows of ‖target − x fixedᵀ‖, x ≥ 0, one entry at a time."""
    for _ in range(2):
        for c in range(x.shape[1]):
            rest = target - x @ fixed.T + np.outer(x[:, c], fixed[:, c])
            x[:, c] = np.maximum(0, rest @ fixed[:, c] / (fixed[:, c] @ fixed[:, c]))
    return x


def slowly(matrix, rank, gain=0.05, rounds=20):
    """The same from numpy's SVD, with the low-rank matrix formed."""
    u, s, vt = np.linalg.svd(matrix)
    low = sum(s[c] * np.outer(u[:, c], vt[c]) for c in range(rank // 2 + 1))
    pairs = [(np.sqrt(s[0]) * abs(u[:, 0]), np.sqrt(s[0]) * abs(vt[0]))]
    for c in range(1, rank // 2 + 1):
        both = [(np.maximum(sign * u[:, c], 0), np.maximum(sign * vt[c], 0)) for sign in (1, -1)]
        both = sorted(both, key=lambda pair: -np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
        for a, b in both:
            size = np.sqrt(s[c] * np.linalg.norm(a) * np.linalg.norm(b))
            pairs.append((size * a / np.linalg.norm(a), size * b / np.linalg.norm(b)))
    w, h = (np.stack(side, axis=1) for side in zip(*pairs[:rank], strict=True))
    scale = np.sqrt((low * (w @ h.T)).sum() / ((w @ h.T) ** 2).sum())
    w, h = scale * w, scale * h
    errors = [np.linalg.norm(low - w @ h.T)]
    for _ in range(rounds):
        w = sweep(low, h, w)
        h = sweep(low.T, w, h)
        errors.append(np.linalg.norm(low - w @ h.T))
        if errors[-2] - errors[-1] <= gain * errors[0]:
            break
    return w


def best_error(matrix, w):
    """‖A − W H‖ with the best H ≥ 0."""
    return np.sqrt(sum(nnls(w, column)[1] ** 2 for column in matrix.T))


@pytest.mark.parametrize("rank", [1, 2, 5, 6])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_against_a_slow_version(small, rank, form):
    """Odd and even ranks, to the SVD's tolerance."""
    np.testing.assert_allclose(start(NNSVDLRC(tol=1e-14), form(small), rank), slowly(small, rank), atol=1e-7)


@pytest.mark.parametrize("rank", [4, 5, 8])
def test_the_correction_helps(small, rank):
    """The best fit from the corrected topics is nearer than that from the bare parts."""
    bare = start(NNSVDLRC(tol=1e-12, gain=1e9, rounds=0), small, rank)
    corrected = start(NNSVDLRC(tol=1e-12), small, rank)
    assert best_error(small, corrected) < best_error(small, bare)


@pytest.mark.parametrize("rank", [4, 5])
def test_half_of_the_triplets_and_no_product_with_a(small, rank):
    """⌊k/2⌋ + 1 triplets at hand are enough, and A is not asked for anything but its shape."""
    svd = truncated_svd(small, rank // 2 + 1, tol=1e-14)
    data = as_data(small)
    expected = start(NNSVDLRC(tol=1e-14), small, rank)
    data.product = data.T.product = data.rows = data.T.rows = None
    with Workers(1) as workers:
        w = NNSVDLRC(svd=svd)(data, rank, np.random.default_rng(0), workers)
    np.testing.assert_allclose(w.toarray() if sp.issparse(w) else w, expected, atol=1e-8)
    with pytest.raises(ValueError, match="serves ranks 1 to 2"):
        start(NNSVDLRC(svd=svd.truncate(2)), small, rank)


def test_an_svd_that_does_not_fit_leaves_the_parts_alone():
    """Where W H has nothing in common with the low-rank matrix there is nothing to correct, and W is still a start."""
    matrix = np.ones((4, 3))
    svd = truncated_svd(matrix, 1)
    turned = replace(svd, v=-svd.v)
    w = start(NNSVDLRC(svd=turned), matrix, 1)
    assert (w > 0).all()
