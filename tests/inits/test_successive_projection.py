"""spa: columns by successive orthogonal projection."""

import numpy as np
import pytest
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.inits.successive_projection import SuccessiveProjection, projected_columns
from partwise.threads.pool import Workers


def picked(matrix, rank):
    with Workers(2) as workers:
        return projected_columns(as_data(matrix), rank, workers)


def start(matrix, rank):
    with Workers(2) as workers:
        w = SuccessiveProjection()(as_data(matrix), rank, np.random.default_rng(0), workers)
    return w.toarray() if sp.issparse(w) else w


def slowly(matrix, rank):
    """Araújo et al.: project the whole matrix off each column that is picked."""
    left, chosen = matrix.astype(float), []
    for _ in range(rank):
        chosen.append(int(np.argmax((left**2).sum(axis=0))))
        q = left[:, chosen[-1]] / np.linalg.norm(left[:, chosen[-1]])
        left = left - np.outer(q, q @ left)
    return chosen


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_against_projecting_the_whole_matrix(small, dtype, form):
    """The same columns at every rank up to full, and W holds them unchanged."""
    matrix = small.astype(dtype)
    assert picked(form(matrix), 24 if dtype is np.float64 else 12) == slowly(matrix, 24 if dtype is np.float64 else 12)
    assert np.array_equal(start(form(matrix), 8), matrix[:, slowly(matrix, 8)])


@pytest.mark.parametrize("noise", [0, 1e-4])
def test_a_separable_matrix_gives_its_topics(noise):
    """A = W [I, H'] with the columns of H' summing to at most 1, in any order: the pure columns are found."""
    rng = np.random.default_rng(0)
    w = rng.random((20, 5))
    mixed = rng.dirichlet(np.ones(5), 40).T
    order = rng.permutation(45)
    matrix = (w @ np.hstack([np.eye(5), mixed]) + noise * rng.random((20, 45)))[:, order]
    assert sorted(order[picked(matrix, 5)]) == [0, 1, 2, 3, 4]


def test_ties_go_to_the_longer_column_then_to_the_first():
    """Equal to rounding is equal, in whatever units."""
    matrix = np.eye(5)
    assert picked(matrix, 5) == [0, 1, 2, 3, 4]
    assert picked(matrix * [1, 1 + 1e-12, 1, 1, 1 + 1e-9], 5) == [0, 1, 2, 3, 4]
    leaning = np.array([[3.0, 3, 0], [0, 2, 0], [0, 0, 2]])
    assert picked(leaning[:, [2, 1, 0]], 2) == [1, 0]
    residuals_tie = np.array([[9.0, 1, 0], [0, 2, 0], [0, 0, 2]])
    assert picked(residuals_tie[:, [0, 2, 1]], 2) == [0, 2]


def test_spent_columns_are_followed_by_the_longest_of_the_rest():
    """A of rank 2 and four topics: two directions, then the longest columns that are left; zero columns never."""
    one, two = np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0])
    matrix = np.stack([0 * one, 2 * one, 5 * one, 3 * two, one + two, 4 * two], axis=1)
    assert picked(matrix, 4) == [2, 5, 3, 1]
    assert picked(matrix[:, :3], 3) == [2, 1]
