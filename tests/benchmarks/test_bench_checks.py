"""The harness's own error and KKT residual against dense formulas and against the certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
from harness.checks import check

import partwise as pw


def by_hand(x, w, h):
    """Both formulas written out with dense matrices and loops over the topics."""
    error = np.linalg.norm(x - w @ h) / np.linalg.norm(x)
    grad_w, grad_h = w @ (h @ h.T) - x @ h.T, (w.T @ w) @ h - w.T @ x
    total = 0.0
    for c in range(w.shape[1]):
        a, b = np.linalg.norm(w[:, c]), np.linalg.norm(h[c])
        total += np.sum(np.minimum(w[:, c] * b, grad_w[:, c] / b) ** 2)
        total += np.sum(np.minimum(h[c] * a, grad_h[c] / a) ** 2)
    return error, np.sqrt(total) / np.linalg.norm(x)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_check_against_dense_formulas(kind, small):
    """Any nonnegative factors, dense and sparse data."""
    rng = np.random.default_rng(0)
    w, h = rng.random((30, 4)) * (rng.random((30, 4)) < 0.6), rng.random((4, 24))
    result = check(kind(small), w, h)
    assert (result.error, result.kkt) == pytest.approx(by_hand(small, w, h), rel=1e-10)


def test_check_against_the_certificate(small):
    """What partwise says of its own fit is what the harness finds; A is X transposed."""
    fit = pw.factorize(small.T, 5, stop=pw.MaxIterations(30))
    result = check(small, fit.h, fit.w.T)
    assert result.error == pytest.approx(fit.error, rel=1e-9)
    assert result.kkt == pytest.approx(fit.certificate.kkt, rel=1e-6)


def test_factors_that_are_no_factorisation(small):
    """Negative factors have an error and no residual, infinite ones neither, wrong shapes are refused."""
    u, s, v = np.linalg.svd(small)
    result = check(small, u[:, :5] * s[:5], v[:5])
    assert result.kkt is None
    assert result.error == pytest.approx(np.sqrt(np.sum(s[5:] ** 2) / np.sum(s**2)))
    assert check(small, np.full((30, 2), np.nan), np.ones((2, 24))).error == np.inf
    with pytest.raises(ValueError, match="for a matrix of shape"):
        check(small, np.ones((24, 2)), np.ones((2, 30)))


def test_a_dead_topic_adds_nothing(small):
    """A topic that is zero on both sides leaves both figures as they are."""
    rng = np.random.default_rng(1)
    w, h = rng.random((30, 3)), rng.random((3, 24))
    dead = check(small, np.column_stack([w, np.zeros(30)]), np.vstack([h, np.zeros(24)]))
    assert (dead.error, dead.kkt) == pytest.approx((check(small, w, h).error, check(small, w, h).kkt))
