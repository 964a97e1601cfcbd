"""The inverse of a small positive definite matrix against LAPACK's, and what it leaves to LAPACK."""

import numpy as np
import pytest

from partwise.algorithms.updates.clipped_least_squares import SMALL, inverse
from partwise.kernels.inverse import positive_inverse


def small(gram):
    """The kernel's inverse of a gram, or None."""
    result = np.full(gram.shape, np.nan)
    return result if positive_inverse(gram, np.empty(len(gram)), result) else None


def with_eigenvalues(values):
    """A symmetric matrix with these eigenvalues."""
    turned, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((len(values), len(values))))
    matrix = (turned * values) @ turned.T
    return (matrix + matrix.T) / 2


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
    values = np.logspace(0, -power, 20)
    gram, exact = with_eigenvalues(values), with_eigenvalues(1 / values)
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


def hoyer_gram(rank, dead, scale):
    """AHCLS's matrix at α = 1, λ(I − E) on a gram of which some topics are dead: zeros on the diagonal, and not PSD."""
    factor = np.random.default_rng(rank).random((3 * rank, rank)) * scale
    factor[:, :dead] = 0
    return factor.T @ factor + 0.05 * scale**2 * (np.eye(rank) - np.ones((rank, rank)))


def test_a_dead_topic_at_alpha_1_by_hand():
    """[[0, −.05], [−.05, 2]] has the inverse [[−800, −20], [−20, 0]]: a zero on the diagonal is no row of zeros."""
    expected = [[-800.0, -20.0], [-20.0, 0.0]]
    np.testing.assert_allclose(inverse(np.array([[0.0, -0.05], [-0.05, 2.0]])), expected, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("rank", [2, 3, 10, SMALL + 1])
@pytest.mark.parametrize("dead", [0, 1, 2])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e8])
def test_indefinite_systems(rank, dead, scale):
    """Against numpy's inverse, in any scale and with rows of any length, negative diagonals too."""
    gram = hoyer_gram(rank, min(dead, rank - 1), scale)
    lengths = np.logspace(0, 4, rank)
    for system in (gram, -gram, gram * lengths * lengths[:, None]):
        size = np.sqrt(abs(system).max(axis=1))
        unit = (system / size / size[:, None]) @ (inverse(system) * size * size[:, None])
        np.testing.assert_allclose(unit, np.eye(rank), atol=1e-8)
    expected = np.linalg.inv(gram)
    np.testing.assert_allclose(inverse(gram), expected, rtol=1e-7, atol=1e-10 * abs(expected).max())


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e8])
def test_singular_systems(scale):
    """Indefinite and singular: a system that has solutions is solved, and an empty row gives zeros."""
    values = np.array([3.0, -2.0, 1.0, 0.5, 0.0])
    gram = with_eigenvalues(values) * scale
    rhs = np.random.default_rng(1).standard_normal((4, 5)) @ gram
    np.testing.assert_allclose(rhs @ inverse(gram) @ gram, rhs, atol=1e-12 * abs(rhs).max())
    gram[2], gram[:, 2] = 0, 0
    result, rest = inverse(gram), [0, 1, 3, 4]
    assert not result[2].any()
    np.testing.assert_allclose(
        result[np.ix_(rest, rest)], inverse(gram[np.ix_(rest, rest)]), rtol=1e-12, atol=1e-13 * abs(result).max()
    )
