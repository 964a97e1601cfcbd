"""The inverse of a small positive definite matrix against LAPACK's, and what it leaves to LAPACK."""

import numpy as np
import pytest

from partwise.algorithms.updates.clipped_least_squares import SMALL, inverse
from partwise.kernels.inverse import positive_inverse


def small(gram):
    """The kernel's inverse of a gram, or None."""
    result = np.full(gram.shape, np.nan)
    return result if positive_inverse(gram, result) else None


def with_eigenvalues(values):
    """A symmetric matrix and its inverse."""
    turned, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((len(values), len(values))))
    matrix, back = (turned * values) @ turned.T, (turned / values) @ turned.T
    return (matrix + matrix.T) / 2, back


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5, 8, 13, 50, SMALL, SMALL + 1])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_the_inverse(rank, scale):
    """To rounding, for topics of any length, on either side of where LAPACK takes over; the gram stays as it is."""
    rng = np.random.default_rng(rank)
    factor = rng.random((3 * rank, rank)) * np.logspace(0, 6, rank) * scale
    gram = factor.T @ factor
    before = gram.copy()
    result = inverse(gram)
    np.testing.assert_array_equal(gram, before)
    np.testing.assert_array_equal(result, result.T if rank <= SMALL else result)
    length = np.sqrt(np.diag(gram))
    unit = (gram / length / length[:, None]) @ (result * length * length[:, None])
    np.testing.assert_allclose(unit, np.eye(rank), atol=1e-10)


@pytest.mark.parametrize("power", [2, 6, 10])
def test_as_near_as_lapack(power):
    """The error is LAPACK's for matrices that are nearly singular, within a factor of ten."""
    gram, exact = with_eigenvalues(np.logspace(0, -power, 20))
    far, theirs = (abs(result - exact).max() for result in (small(gram), np.linalg.inv(gram)))
    assert far <= 10 * theirs


@pytest.mark.parametrize(
    "gram",
    [
        np.zeros((3, 3)),
        np.ones((4, 4)),
        np.diag([1.0, 0.0, 2.0]),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.full((2, 2), np.nan),
    ],
    ids=["zero", "rank one", "a dead topic", "indefinite", "not a number"],
)
def test_what_is_not_positive_definite_is_left_to_lapack(gram):
    """It is said, and nothing is guessed."""
    assert small(gram) is None


def test_a_gram_that_is_singular_to_rounding_has_the_pseudo_inverse():
    """A pivot that is positive by rounding alone is not trusted."""
    factor = np.random.default_rng(0).random((30, 6))
    factor[:, 5] = factor[:, 4]
    gram = factor.T @ factor
    scale = 1 / np.sqrt(np.diag(gram))
    expected = np.linalg.pinv(gram * scale * scale[:, None], hermitian=True) * scale * scale[:, None]
    np.testing.assert_allclose(inverse(gram), expected, rtol=1e-8, atol=1e-10)
