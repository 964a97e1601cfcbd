"""β-divergences against independent oracles: scikit-learn's values and updates, scipy on single rows, other losses."""

from itertools import islice, pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.decomposition import NMF
from sklearn.decomposition._nmf import _beta_divergence as beta_divergence
from typer.testing import CliRunner

import partwise as pw
from partwise.cli import application

RNG = np.random.default_rng(5)
A = RNG.gamma(0.7, 1, (24, 3)) @ RNG.gamma(0.7, 1, (3, 18)) * RNG.gamma(8, 1 / 8, (24, 18)) + 1e-3
BETAS = [-1, 0, 0.5, 1, 1.3, 1.5, 2, 3]


@pytest.mark.parametrize("beta", BETAS)
def test_values_are_scikit_learns_and_never_rise(beta):
    """The objective is its divergence at every step, the error its root over that of the mean; KKT by hand."""
    steps = list(islice(pw.iterate(A, 3, loss=pw.beta(beta)), 25))
    mean = beta_divergence(A, np.full((24, 1), A.mean()), np.ones((1, 18)), beta)
    for step in steps:
        direct = beta_divergence(A, step.w, step.h.T, beta)
        assert step.objective == pytest.approx(direct, rel=1e-9)
        assert step.error == pytest.approx(np.sqrt(direct / mean), rel=1e-9)
    assert all(two.objective <= one.objective * (1 + 1e-12) for one, two in pairwise(steps))
    w, h, squares = steps[-1].w, steps[-1].h, 0.0
    for a, x, f in ((A, w, h), (A.T, h, w)):
        y, n = x @ f.T, (a**beta).sum(axis=1)[:, None]
        p, q = y ** (beta - 1) @ f, (a * y ** (beta - 2)) @ f
        squares += (np.minimum(x * p, n * (1 - q / p)) ** 2 / n).sum()
    assert steps[-1].kkt == pytest.approx(np.sqrt(squares / (A**beta).sum()), rel=1e-6)


@pytest.mark.parametrize(("beta", "other"), [(2, "multiplicative"), (1, "kl-multiplicative")])
def test_two_and_one_are_the_losses_that_have_names(beta, other):
    """From the same pair the same factors as Lee and Seung's updates, half the squared error, the same divergence."""
    pair = RNG.random((24, 3)) + 0.1, RNG.random((3, 18)) + 0.1
    ours, named = (list(islice(pw.iterate(A, 3, algorithm=a, init=pair), 6))
                   for a in (pw.beta_multiplicative(beta), other))  # fmt: skip
    for one, two in zip(ours, named, strict=True):
        assert one.objective * beta == pytest.approx(two.objective, rel=1e-10)
        np.testing.assert_allclose(one.w @ one.h.T, two.w @ two.h.T, rtol=1e-9)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 1.5])
def test_scikit_learns_updates_are_an_upper_bound(beta):
    """From its start as many iterations end no higher; going on from its end, the divergence does not rise."""
    w, h = RNG.random((24, 3)) + 0.1, RNG.random((3, 18)) + 0.1
    peer = NMF(3, solver="mu", beta_loss=beta, init="custom", max_iter=300, tol=0)
    peer_h = peer.fit_transform(np.ascontiguousarray(A.T), W=np.ascontiguousarray(h.T), H=np.ascontiguousarray(w.T)).T
    theirs = beta_divergence(A, peer.components_.T, peer_h, beta)
    fit = pw.factorize(A, 3, loss=pw.beta(beta), init=(w, h), stop=pw.MaxIterations(300))
    assert beta_divergence(A, fit.W, fit.H, beta) <= theirs * 1.02
    on = pw.factorize(A, 3, loss=pw.beta(beta), init=(peer.components_.T, peer_h), stop=pw.MaxIterations(5))
    assert beta_divergence(A, on.W, on.H, beta) <= theirs * (1 + 1e-12)


@pytest.mark.parametrize("l1", [0.0, 0.4])
@pytest.mark.parametrize("beta", [1, 1.3, 2])
def test_transform_is_exact_between_1_and_2(beta, l1):
    """On every column the value of scipy's bounded quasi-Newton method or a lower one, and the same for one or many."""
    fit = pw.factorize(A, 3, algorithm=pw.beta_multiplicative(beta, l1_w=l1, l1_h=l1), stop=pw.MaxIterations(20))
    found = fit.transform(A)
    assert np.array_equal(fit.transform(A[:, 4:5])[:, 0], found[:, 4])

    def objective(x, a):
        return beta_divergence(a[:, None], fit.W, x[:, None], beta) + l1 * x.sum()

    for column in range(0, 18, 5):
        a = A[:, column]
        oracle = minimize(objective, np.full(3, a.sum() / fit.W.sum()), (a,), bounds=[(1e-12, None)] * 3)
        assert objective(found[:, column], a) <= oracle.fun + 1e-8 * abs(oracle.fun)


@pytest.mark.parametrize("beta", [0, 0.5, 3])
def test_transform_elsewhere_is_the_same_solver_from_the_same_start(beta):
    """fit_transform(X) is fit(X).transform(X), and nearly a fixed point of the update."""
    model = pw.NMF(3, algorithm=pw.beta_multiplicative(beta), random_state=0, max_iter=20, tol=0)
    weights = model.fit_transform(A.T)
    assert np.array_equal(model.transform(A.T), weights)
    assert model.reconstruction_err_ == pytest.approx(
        beta_divergence(A.T, weights, model.components_, beta, square_root=True), rel=1e-9
    )


def test_names_files_checkpoints_and_the_command_line(tmp_path):
    """beta(0) is Itakura–Saito; the recipe is kept in files and shown in the certificate; --loss takes both forms."""
    assert (pw.beta(0), pw.beta(1.5), pw.beta(2.0)) == ("itakura-saito", "beta=1.5", "beta=2")
    settings = {"loss": "beta=0.7", "stop": pw.MaxIterations(6), "checkpoint": tmp_path / "run"}
    fit = pw.factorize(A, 2, **settings)
    assert "beta-multiplicative(beta=0.7)" in str(fit)
    fit.save(tmp_path / "fit")
    again = pw.load(tmp_path / "fit")
    assert again.algorithm == fit.algorithm
    assert np.array_equal(again.transform(A), fit.transform(A))
    assert np.array_equal(pw.resume(tmp_path / "run").go(A).w, fit.w)
    with pytest.raises(ValueError, match=r"beta-multiplicative\(beta=0.7\), not beta-multiplicative\(beta=1.5\)"):
        pw.factorize(A, 2, **settings | {"loss": pw.beta(1.5)})
    named = pw.factorize(A, 2, loss=pw.beta(0.7), algorithm="beta-multiplicative", stop=pw.MaxIterations(6))
    assert np.array_equal(named.w, fit.w)
    np.save(tmp_path / "matrix.npy", A)
    for loss, shown in (("itakura-saito", "beta=0)"), ("beta=1.5", "beta=1.5)")):
        words = ["factorize", str(tmp_path / "matrix.npy"), "-k", "2", "--max-iterations", "3", "--loss", loss]
        done = CliRunner().invoke(application(), words)
        assert done.exit_code == 0, done.output
        assert shown in done.output


def test_what_does_not_go_together_is_refused():
    """One sentence before any work."""
    zeros = A * (A > 0.5)
    with pytest.raises(ValueError, match="takes dense data only"):
        pw.factorize(sp.csr_array(zeros), 2, loss=pw.beta(1.5))
    with pytest.raises(ValueError, match="infinite where an entry is 0"):
        pw.factorize(zeros, 2, loss="itakura-saito")
    with pytest.raises(ValueError, match="infinite where an entry is 0"):
        pw.factorize(A, 2, loss="itakura-saito", stop=pw.MaxIterations(2)).transform(zeros)
    with pytest.raises(ValueError, match="cannot run on a matrix on disk or on Dask"):
        pw.factorize(pytest.importorskip("dask.array").from_array(A, chunks=(24, 9)), 2, loss=pw.beta(1.5))
    with pytest.raises(ValueError, match="takes no frozen components"):
        pw.factorize(A, 2, algorithm=pw.frozen("beta-multiplicative", w=[0]))
    with pytest.raises(ValueError, match=r"hals minimises the squared loss, not the beta=0\.5 one; use beta-multipl"):
        pw.factorize(A, 2, algorithm="hals", loss=pw.beta(0.5))
    for value in (np.nan, "x", 11, True):
        with pytest.raises(ValueError, match=r"beta must be a finite number in \[-10, 10\]"):
            pw.beta(value)
    with pytest.raises(ValueError, match=r"beta must be a finite number in \[-10, 10\], not 'x'"):
        pw.factorize(A, 2, loss="beta=x")
    assert pw.factorize(zeros, 2, loss=pw.beta(0.5), stop=pw.MaxIterations(9)).error < 1
