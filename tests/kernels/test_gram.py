"""FᵀF by vectors against numpy in double precision."""

import numpy as np
import pytest

from partwise.data.products import GRAM_COLUMNS, GRAM_WORK, gram_of
from partwise.kernels.gram import NEAR_ROWS, gram


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 4, 5, 8, 9, 12, 17, 50])
def test_the_gram_is_that_of_numpy(k, dtype):
    rng = np.random.default_rng(k)
    for n in (0, 1, NEAR_ROWS - 1, NEAR_ROWS, 3 * NEAR_ROWS + 2):
        rows = rng.normal(size=(n, k)).astype(dtype)
        tall = rows.astype(np.float64)
        found = gram(rows)
        assert found.shape == (k, k)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_allclose(found, tall.T @ tall, rtol=1e-13, atol=1e-13 * max(n, 1))


def test_single_precision_loses_nothing():
    rows = np.array([[1.0, 1.0], [1e-5, 1e4]], np.float32).repeat(3, axis=0)
    np.testing.assert_allclose(gram(rows), rows.astype(float).T @ rows.astype(float), rtol=1e-15)


def test_rows_may_lie_in_any_order_and_be_read_only():
    rows = np.asfortranarray(np.random.default_rng(0).random((130, 6)))
    rows.flags.writeable = False
    np.testing.assert_allclose(gram(rows), rows.T @ rows, rtol=1e-13)
    np.testing.assert_allclose(gram(rows[::2]), rows[::2].T @ rows[::2], rtol=1e-13)


def test_what_is_not_finite_stays_in_its_own_columns():
    rows = np.ones((70, 11))
    rows[3, 2], rows[69, 5] = np.nan, np.inf
    found = gram(rows)
    finite = np.isfinite(found)
    touched = np.zeros((11, 11), bool)
    touched[[2, 5]] = touched[:, [2, 5]] = True
    np.testing.assert_array_equal(finite, ~touched)


def test_much_work_goes_to_the_kernel_and_little_to_blas():
    rng = np.random.default_rng(1)
    for k in (GRAM_COLUMNS[0] - 1, GRAM_COLUMNS[0], 20, GRAM_COLUMNS[1], GRAM_COLUMNS[1] + 1):
        for n in (GRAM_WORK // k**2 - 1, GRAM_WORK // k**2 + 1):
            rows = rng.random((n, k), np.float32)
            by_kernel = n * k**2 >= GRAM_WORK and GRAM_COLUMNS[0] <= k <= GRAM_COLUMNS[1]
            tall = rows.astype(np.float64)
            assert (gram_of(rows) == (gram(rows) if by_kernel else tall.T @ tall)).all()
