"""The inverse of a small positive definite matrix against LAPACK's, and what it leaves to LAPACK."""

import numpy as np
import pytest

from partwise.kernels.inverse import positive_inverse
from partwise.updates.least_squares import SMALL, inverse


def with_eigenvalues(values, seed=0):
    """A symmetric matrix and its inverse."""
    turned, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))
    made, back = (turned * values) @ turned.T, (turned / values) @ turned.T
    return (made + made.T) / 2, back


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5, 8, 13, 50, SMALL])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_the_inverse(rank, scale):
    """To rounding, symmetric, for topics of any length; the gram stays as it is."""
    rng = np.random.default_rng(rank)
    factor = rng.random((3 * rank, rank)) * np.logspace(0, 6, rank) * scale
    gram = factor.T @ factor
    before, out = gram.copy(), np.full((rank, rank), np.nan)
    assert positive_inverse(gram, out)
    np.testing.assert_array_equal(gram, before)
    np.testing.assert_array_equal(out, out.T)
    length = np.sqrt(np.diag(gram))
    np.testing.assert_allclose(
        (out * length[:, None]) @ (gram / length), np.diag(length) @ np.diag(1 / length), atol=1e-9
    )
    np.testing.assert_array_equal(inverse(gram), out)


@pytest.mark.parametrize("power", [2, 6, 10])
def test_as_near_as_lapack(power):
    """The error is LAPACK's for matrices that are nearly singular, within a factor of ten."""
    gram, exact = with_eigenvalues(np.logspace(0, -power, 20))
    out = np.empty_like(gram)
    assert positive_inverse(gram, out)
    far, theirs = (abs(found - exact).max() for found in (out, np.linalg.inv(gram)))
    assert far <= 10 * theirs


@pytest.mark.parametrize(
    "gram",
    [
        np.zeros((3, 3)),
        np.ones((4, 4)),
        np.diag([1.0, 0.0, 2.0]),
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        with_eigenvalues(np.logspace(0, -17, 9))[0],
        np.full((2, 2), np.nan),
    ],
    ids=["zero", "rank one", "a dead topic", "indefinite", "nearly singular", "not a number"],
)
def test_what_is_not_positive_definite_is_left_to_lapack(gram):
    """It is said, and nothing is guessed."""
    assert not positive_inverse(gram, np.empty_like(gram))
