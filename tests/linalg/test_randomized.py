"""The leading singular triplets of a start, against scikit-learn's and numpy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd as oracle

from partwise.data.as_data import as_data
from partwise.linalg.randomized import randomized_svd
from partwise.threads.pool import Workers


def triplets(matrix, rank, threads=1):
    with Workers(threads) as workers:
        return randomized_svd(as_data(matrix), rank, np.random.RandomState(3), workers)


@pytest.mark.parametrize("shape", [(300, 200), (200, 350), (60, 60), (900, 30), (12, 500)])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_they_are_those_of_scikit_learn(shape, form):
    """The same random numbers: the same triplets up to sign, long before they are those of the matrix.

    The matrix is scikit-learn's Xᵀ; a side of at most 8 times the block is taken whole.
    """
    matrix = np.random.default_rng(1).random(shape) ** 3
    svd = triplets(form(matrix), 5)
    v, s, ut = oracle(matrix.T, 5, random_state=3)
    assert svd.s == pytest.approx(s, rel=1e-9)
    assert abs(np.sum(svd.u * ut.T, axis=0)) == pytest.approx(np.ones(5), abs=1e-9)
    assert abs(np.sum(svd.v * v, axis=0)) == pytest.approx(np.ones(5), abs=1e-9)
    assert svd.error == pytest.approx(np.sqrt(1 - np.sum(s**2) / np.sum(matrix**2)), rel=1e-9)


@pytest.mark.parametrize("shape", [(400, 300), (20, 30)])
def test_a_matrix_of_a_smaller_rank(shape):
    """Two directions are the matrix, the other values nil; so are those of a block that has more columns than A."""
    rng = np.random.default_rng(2)
    matrix = rng.random((shape[0], 2)) @ rng.random((2, shape[1]))
    svd = triplets(matrix, 6)
    assert np.all(svd.s[2:] < 1e-7 * svd.s[0])
    assert np.allclose(svd.u * svd.s @ svd.v.T, matrix)


def test_the_number_of_threads_changes_no_bit():
    """One and three."""
    matrix = np.random.default_rng(4).random((700, 650))
    one, three = triplets(matrix, 4), triplets(matrix, 4, threads=3)
    assert np.array_equal(one.u, three.u)
    assert np.array_equal(one.v, three.v)
