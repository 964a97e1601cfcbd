"""The leading singular triplets of a start, against numpy's."""

import numpy as np
import pytest
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.linalg.krylov import leading_svd
from partwise.threads.pool import Workers


def triplets(matrix, rank, tol=1e-6, threads=1):
    with Workers(threads) as workers:
        return leading_svd(as_data(matrix), rank, tol, np.random.default_rng(0), workers)


@pytest.mark.parametrize("shape", [(300, 200), (200, 300), (400, 30), (12, 500)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_they_are_those_of_numpy(shape, form):
    """Values, and vectors up to sign; a tall, a wide, and a short side that is taken whole."""
    rng = np.random.default_rng(1)
    matrix = rng.random((shape[0], 12)) * 0.7 ** np.arange(12) @ rng.random((12, shape[1])) + 0.01 * rng.random(shape)
    svd = triplets(form(matrix), 5)
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    assert svd.s == pytest.approx(s[:5], rel=1e-6)
    assert abs(np.sum(svd.u * u[:, :5], axis=0)) == pytest.approx(np.ones(5), abs=1e-4)
    assert abs(np.sum(svd.v * vt[:5].T, axis=0)) == pytest.approx(np.ones(5), abs=1e-4)
    assert svd.error == pytest.approx(np.sqrt(np.sum(s[5:] ** 2) / np.sum(s**2)), rel=1e-4)


@pytest.mark.parametrize("shape", [(300, 200), (20, 30)])
def test_beyond_the_rank_of_the_matrix_they_are_zero(shape):
    """Two directions: the other triplets are zero, none is noise."""
    rng = np.random.default_rng(2)
    matrix = rng.random((shape[0], 2)) @ rng.random((2, shape[1]))
    svd = triplets(matrix, 6)
    assert np.all(svd.s[:2] > 0)
    assert not svd.s[2:].any()
    assert not svd.u[:, 2:].any()
    assert np.allclose(svd.u * svd.s @ svd.v.T, matrix)


def test_threads_and_scale_change_nothing():
    """The same bits on three threads; a power of two moves the values alone."""
    matrix = sp.random_array((1500, 1200), density=0.05, rng=np.random.default_rng(3), format="csr")
    one, three, larger = triplets(matrix, 4, 1e-3), triplets(matrix, 4, 1e-3, 3), triplets(1024 * matrix, 4, 1e-3)
    assert np.array_equal(one.u, three.u)
    assert np.array_equal(one.v, larger.v)
    assert np.array_equal(1024 * one.s, larger.s)
