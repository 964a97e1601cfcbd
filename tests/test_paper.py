"""The paper's methods, iterate by iterate, against independent dense calculations written from its formulas."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw

RANK = 4
LAM_W, LAM_H, ALPHA_W, ALPHA_H = 0.3, 0.7, 0.2, 0.4


def clip(x):
    return np.where(x > 0, x, 0)


def hoyer_matrix(lam, alpha, k):
    beta = ((1 - alpha) * np.sqrt(k) + alpha) ** 2
    return lam * beta * np.eye(k) - lam * np.ones((k, k))


def oracle_als(a, w, penalty_w, penalty_h):
    """(cls) (nonneg) (cls) (nonneg), as the boxes of sections 3.1 and 3.2 have it."""
    h = clip(np.linalg.solve(w.T @ w + penalty_h, w.T @ a))
    while True:
        yield w, h
        h = clip(np.linalg.solve(w.T @ w + penalty_h, w.T @ a))
        w = clip(np.linalg.solve(h @ h.T + penalty_w, h @ a.T)).T


def oracle_acls(a, w):
    return oracle_als(a, w, LAM_W * np.eye(RANK), LAM_H * np.eye(RANK))


def oracle_ahcls(a, w):
    return oracle_als(a, w, hoyer_matrix(LAM_W, ALPHA_W, RANK), hoyer_matrix(LAM_H, ALPHA_H, RANK))


def oracle_gdcls(a, w):
    h = clip(np.linalg.solve(w.T @ w + LAM_H * np.eye(RANK), w.T @ a))
    while True:
        yield w, h
        h = clip(np.linalg.solve(w.T @ w + LAM_H * np.eye(RANK), w.T @ a))
        w = w * (a @ h.T) / (w @ h @ h.T)


def oracle_multiplicative(a, w):
    h = clip(np.linalg.solve(w.T @ w, w.T @ a))
    h = np.where(h > 0, h, 1e-4 * h.mean(axis=0))
    while True:
        yield w, h
        h = h * (w.T @ a) / (w.T @ w @ h)
        w = w * (a @ h.T) / (w @ h @ h.T)


METHODS = {
    "acls": (lambda: pw.acls(lam_w=LAM_W, lam_h=LAM_H), oracle_acls),
    "ahcls": (lambda: pw.ahcls(lam_w=LAM_W, lam_h=LAM_H, alpha_w=ALPHA_W, alpha_h=ALPHA_H), oracle_ahcls),
    "gdcls": (lambda: pw.gdcls(lam_h=LAM_H), oracle_gdcls),
    "multiplicative": (pw.multiplicative, oracle_multiplicative),
    "als": (pw.als, lambda a, w: oracle_als(a, w, 0, 0)),
}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", METHODS)
def test_iterates_are_the_papers(name, kind):
    """Twenty iterations agree with the plain calculation to 1e-10 of the largest entry, from iteration 0 on."""
    a = planted(40, 30, RANK, seed=3) * 3
    start = np.random.default_rng(5).random((40, RANK))
    make, oracle = METHODS[name]
    steps = islice(pw.iterate(kind(a), RANK, algorithm=make(), init=start), 21)
    for step, (w, h) in zip(steps, oracle(a, start), strict=False):
        np.testing.assert_allclose(step.w, w, rtol=0, atol=1e-10 * w.max())
        np.testing.assert_allclose(step.h.T, h, rtol=0, atol=1e-10 * h.max())
        direct = np.linalg.norm(a - w @ h) / np.linalg.norm(a)
        assert step.error == pytest.approx(direct, rel=1e-9)


def test_ahcls_penalty_by_hand():
    """β = ((1 − α)√k + α)² and the matrix is λβI − λE: k = 4, α = ½, λ = 2 gives β = 2.25 by hand."""
    found = pw.ahcls(lam_w=2, alpha_w=0.5).w.penalty.matrix(4)
    wanted = np.full((4, 4), -2.0) + np.diag([4.5] * 4)
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_bare_names_have_the_papers_settings():
    """acls and gdcls mean λ = .5; ahcls λ = .5, α = .5; hoyer .5 and .5."""
    assert dict(pw.ALGORITHMS["acls"]().settings) == {"lam_w": 0.5, "lam_h": 0.5}
    assert pw.ALGORITHMS["gdcls"]().h.penalty.lam == 0.5
    ahcls = pw.ALGORITHMS["ahcls"]()
    assert (ahcls.w.penalty.lam, ahcls.w.penalty.alpha, ahcls.h.penalty.lam, ahcls.h.penalty.alpha) == (0.5,) * 4
    assert dict(pw.ALGORITHMS["hoyer"]().settings) == {"sparsity_w": 0.5, "sparsity_h": 0.5}


@pytest.mark.parametrize(
    ("vector", "sparsity"),
    [([1, 1, 1, 1], 0.0), ([0, 0, 7, 0], 1.0), ([3, 4], (np.sqrt(2) - 7 / 5) / (np.sqrt(2) - 1)), ([-3, 4], None)],
)
def test_hoyer_sparsity_by_hand(vector, sparsity):
    """spar(x) = (√n − ‖x‖₁/‖x‖₂)/(√n − 1), from absolute values."""
    wanted = pw.hoyer([3, 4]) if sparsity is None else sparsity
    assert pw.hoyer(vector) == pytest.approx(wanted, abs=1e-15)


def test_hoyer_sparsity_along_an_axis():
    """axis=1 takes rows, axis=0 columns; zero vectors have none; sparse matrices are as good as dense ones."""
    x = np.array([[1.0, 1, 0], [0, 0, 0], [0, 2, 0]])
    rows = pw.hoyer(x, axis=1)
    assert rows[0] == pytest.approx((np.sqrt(3) - np.sqrt(2)) / (np.sqrt(3) - 1))
    assert np.isnan(rows[1])
    assert rows[2] == 1
    np.testing.assert_array_equal(pw.hoyer(sp.csr_array(x), axis=1), rows)
    np.testing.assert_array_equal(pw.hoyer(x, axis=0), pw.hoyer(x.T, axis=1))
