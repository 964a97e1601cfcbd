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


def oracle_gdcls(a, w, lam=LAM_H):
    penalty = lam * np.eye(RANK)
    h = clip(np.linalg.solve(w.T @ w + penalty, w.T @ a))
    while True:
        yield w, h
        h = clip(np.linalg.solve(w.T @ w + penalty, w.T @ a))
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


def test_bare_names():
    """acls and gdcls mean a λ of 5 % of the gram's mean diagonal; ahcls 1 % and α = .5; hoyer .5 and .5."""
    assert dict(pw.ALGORITHMS["acls"]().settings) == {"lam_w": pw.relative(0.05), "lam_h": pw.relative(0.05)}
    assert pw.ALGORITHMS["gdcls"]().h.penalty.lam == pw.relative(0.05)
    assert not pw.ALGORITHMS["gdcls"]().w.penalty
    ahcls = pw.ALGORITHMS["ahcls"]()
    assert ahcls.w.penalty == ahcls.h.penalty == pw.Quadratic(pw.relative(0.01), 0.5)
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


@pytest.mark.parametrize("alpha", [1.0, 0.8])
def test_ahcls_with_a_dead_topic_solves_the_papers_system(alpha):
    """At α = 1 its diagonal is 0, and the row is not: numpy's solution, clipped, until a factor is zero."""
    a = planted(40, 30, RANK, seed=3)
    start = np.random.default_rng(5).random((40, RANK))
    start[:, 1] = 0
    penalty = hoyer_matrix(0.05, alpha, RANK)
    steps = islice(pw.iterate(a, RANK, algorithm=pw.ahcls(0.05, 0.05, alpha, alpha), init=start, reseed=False), 4)
    compared = 0
    for step, (w, h) in zip(steps, oracle_als(a, start, penalty, penalty), strict=False):
        np.testing.assert_allclose(step.h.T, h, rtol=0, atol=1e-9 * h.max())
        np.testing.assert_allclose(step.w, w, rtol=0, atol=1e-9 * w.max())
        compared += 1
    assert compared >= 2


def written_lee_seung(a, w, h):
    """Lee and Seung 2000, theorem 1, from random W and H."""
    while True:
        yield w, h
        h = h * (w.T @ a) / (w.T @ w @ h)
        w = w * (a @ h.T) / (w @ h @ h.T)


def written(a, name, w, h):
    """The boxes of section 3 and the two methods beside them, λ = .5 and α = .5."""
    half = 0.5 * np.eye(RANK)
    if name == "multiplicative":
        return written_lee_seung(a, w, h)
    if name == "gdcls":
        return oracle_gdcls(a, w, 0.5)
    return oracle_als(a, w, *[{"als": 0, "acls": half, "ahcls": hoyer_matrix(0.5, 0.5, RANK)}[name]] * 2)


@pytest.mark.parametrize("name", ["als", "acls", "ahcls", "multiplicative", "gdcls"])
def test_as_written(name, tmp_path):
    """From random numbers between 0 and 1 the last iterate is the paper's, by name, from a file, and without rescue."""
    a = planted(40, 30, RANK, seed=3) * 30
    fit = pw.factorize(a, RANK, algorithm=pw.as_written(name), seed=7, stop=pw.MaxIterations(9))
    rng = np.random.default_rng(7)
    w, h = next(islice(written(a, name, rng.random((40, RANK)), rng.random((30, RANK)).T), 9, None))
    np.testing.assert_allclose(fit.W, w, rtol=0, atol=1e-9 * w.max())
    np.testing.assert_allclose(fit.H, h, rtol=0, atol=1e-9 * h.max())
    assert fit.certificate.returned == 9
    fit.save(tmp_path / "fit")
    assert pw.load(tmp_path / "fit").algorithm == pw.as_written(name)


def test_what_is_not_written_is_refused():
    """Another algorithm, or a λ that is not a number; a λ of one's own is kept."""
    with pytest.raises(ValueError, match="algorithm of the paper 'hals'"):
        pw.as_written("hals")
    with pytest.raises(ValueError, match="The paper's λ is a number"):
        pw.as_written(pw.acls())
    assert pw.as_written(pw.acls(0.1, 0.2)).h.penalty == pw.Quadratic(0.2)
    assert pw.angular_stop() == pw.Angle(1.0, every=5, burn_in=10)
