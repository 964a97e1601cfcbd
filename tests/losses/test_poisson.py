"""The Poisson likelihood against independent oracles: scipy on single rows, plain numpy, scikit-learn's own updates."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.decomposition import NMF

import partwise as pw
from partwise.algorithms.updates import PoissonMultiplicative, PoissonNewton, PoissonSweeps
from partwise.types import EntryRows


def counts(rows=40, columns=30, rank=4, seed=0, level=2.0):
    """Poisson counts of a planted model, with an empty row, an empty column and a word of one document."""
    rng = np.random.default_rng(seed)
    matrix = rng.poisson(level * rng.gamma(0.4, 1, (rows, rank)) @ rng.gamma(0.4, 1, (rank, columns))).astype(float)
    matrix[3], matrix[:, 5], matrix[7] = 0, 0, 0
    matrix[7, 2] = 1
    return matrix


def divergence(a, y):
    """Σ a log(a/y) − a + y, in plain numpy."""
    above = a > 0
    return (a[above] * np.log(a[above] / y[above])).sum() - a.sum() + y.sum()


def phi(x, a, f, sums):
    """The row's objective s·x − Σ a log(f·x)."""
    above = a > 0
    return sums @ x - (a[above] * np.log(f[above] @ x)).sum()


def rows_by(update, matrix, fixed, before):
    """The rows of an update, from the entries of a CSR matrix."""
    entries, out, logs = sp.csr_array(matrix), np.empty_like(before), np.zeros(2)
    triple, sums = (entries.indptr, entries.indices, entries.data), fixed.sum(axis=0)[None]
    rows = EntryRows(triple, np.ascontiguousarray(fixed), sums, matrix.sum(axis=1), before, logs, np.zeros(2))
    update.solve(rows, out)
    return out, logs[0]


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_exact_rows_are_those_of_scipy(seed, rank):
    """Sweeps to the end reach the value of a bounded quasi-Newton method on every row, or a lower one."""
    rng = np.random.default_rng(seed)
    fixed = rng.gamma(0.5, 1, (12, rank)) + 1e-3
    matrix = rng.poisson(3 * rng.random((4, 12))).astype(float)
    out, _ = rows_by(PoissonSweeps().exact(), matrix, fixed, np.zeros((4, rank)))
    for row, x in zip(matrix, out, strict=True):
        if not row.any():
            assert not x.any()
            continue
        start = np.full(rank, row.sum() / fixed.sum())
        bounds = [(0, None)] * rank
        oracle = minimize(phi, start, (row, fixed, fixed.sum(axis=0)), bounds=bounds, method="L-BFGS-B")
        value = phi(x, row, fixed, fixed.sum(axis=0))
        assert value <= oracle.fun + 1e-7 * max(1, abs(oracle.fun))
        assert x @ fixed.sum(axis=0) == pytest.approx(row.sum())


@pytest.mark.parametrize(
    "update",
    [PoissonSweeps(1), PoissonSweeps(3), PoissonNewton(), PoissonMultiplicative()],
    ids=["one sweep", "three", "newton", "multiplicative"],
)
@given(st.integers(0, 10**6))
def test_a_half_step_never_raises_the_objective(update, seed):
    """From any positive rows, and zeros can grow again under sweeps."""
    rng = np.random.default_rng(seed)
    fixed, before = rng.gamma(0.3, 1, (15, 4)) + 1e-9, rng.gamma(0.3, 1, (6, 4)) + 1e-6
    matrix = rng.poisson(2 * rng.random((6, 15))).astype(float)
    out, logs = rows_by(update, matrix, fixed, before)
    assert np.all(np.isfinite(out))
    assert np.all(out >= 0)
    for row, old, new in zip(matrix, before, out, strict=True):
        if row.any():
            one, two = (phi(x, row, fixed, fixed.sum(axis=0)) for x in (old, new))
            assert two <= one + 1e-9 * max(1, abs(one))
    above = matrix > 0
    assert logs == pytest.approx((matrix[above] * np.log(matrix[above] / (out @ fixed.T)[above])).sum(), abs=1e-9)


def test_a_zero_grows_again():
    """A component that was set to zero comes back where the gradient asks for it."""
    fixed = np.array([[1.0, 0.01], [0.01, 1.0]])
    out, _ = rows_by(PoissonSweeps(20), np.array([[5.0, 5.0]]), fixed, np.array([[5.0, 0.0]]))
    assert np.all(out > 1)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("name", ["kl-sweeps", "kl-newton", "kl-multiplicative"])
def test_value_error_and_certificate_by_hand(name, kind):
    """The divergence, its share of the rank-1 model's, and the KKT residual, computed from W and H in plain numpy."""
    a = counts()
    fit = pw.factorize(kind(a), 3, algorithm=name, stop=pw.MaxIterations(8))
    y = fit.W @ fit.H
    rank1 = np.outer(a.sum(axis=1), a.sum(axis=0)) / a.sum()
    assert fit.error == pytest.approx(np.sqrt(divergence(a, y) / divergence(a, rank1)), rel=1e-9)
    assert fit.certificate.explained == pytest.approx(1 - divergence(a, y) / divergence(a, rank1), rel=1e-9)
    ratio = np.divide(a, y, out=np.zeros_like(a), where=a > 0)
    squares = 0.0
    for x, s, c, n in (
        (fit.W, fit.H.sum(axis=1), ratio @ fit.H.T, a.sum(axis=1)),
        (fit.H.T, fit.W.sum(axis=0), ratio.T @ fit.W, a.sum(axis=0)),
    ):
        slack = np.minimum(x * s, n[:, None] * (1 - c / s))[n > 0]
        squares += ((slack**2).sum(axis=1) / n[n > 0]).sum()
    assert fit.certificate.kkt == pytest.approx(np.sqrt(squares / a.sum()), rel=1e-6)


def test_the_best_rank_1_model_is_the_closed_form():
    """At rank 1 the error is 1 whatever the start: D = D₀."""
    fit = pw.factorize(counts(), 1, loss="poisson", stop=pw.MaxIterations(5))
    assert fit.error == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learns_end_is_an_upper_bound(seed):
    """The default ends at or below scikit-learn's multiplicative updates, and polishing their end does not rise."""
    a = counts(60, 50, 4, seed)
    peer = NMF(4, solver="mu", beta_loss="kullback-leibler", init="nndsvda", max_iter=400, tol=1e-5, random_state=0)
    h = peer.fit_transform(a.T + 0).T
    theirs = divergence(a, np.maximum(peer.components_.T @ h, 1e-300))
    best = min(
        divergence(a, fit.W @ fit.H)
        for fit in (pw.factorize(a, 4, loss="kl", seed=s, stop=pw.Stationarity(1e-5)) for s in range(3))
    )
    assert best <= theirs * 1.001
    polished = pw.factorize(a, 4, loss="kl", init=(peer.components_.T, h), stop=pw.MaxIterations(20))
    assert divergence(a, polished.W @ polished.H) <= theirs * (1 + 1e-9)


def test_transform_is_exact():
    """fit_transform(X) is fit(X).transform(X), and a row alone has the bits that it has among others."""
    x = counts().T
    model = pw.NMF(3, algorithm="kl-sweeps", random_state=0, max_iter=30, tol=0)
    weights = model.fit_transform(x)
    again = model.transform(x)
    np.testing.assert_allclose(weights, again, rtol=1e-6, atol=1e-9)
    assert np.array_equal(model.transform(x[2:3])[0], again[2])


def test_what_does_not_go_together_is_refused():
    """One sentence before any work."""
    a = counts()
    with pytest.raises(ValueError, match=r"anls minimises the squared loss, not the poisson one; use kl-sweeps or"):
        pw.factorize(a, 3, loss="poisson", algorithm="anls")
    with pytest.raises(ValueError, match="no loss 'poison'; did you mean 'poisson'"):
        pw.factorize(a, 3, loss="poison")
    with pytest.raises(ValueError, match="cannot run on a matrix on disk or on Dask; use kl-newton"):
        pw.factorize(pytest.importorskip("dask.array").from_array(a, chunks=(40, 10)), 3, algorithm="kl-sweeps")
    with pytest.raises(ValueError, match="needs every sample again"):
        pw.NMF(3, algorithm="kl-sweeps").partial_fit(a.T)
    with pytest.raises(ValueError, match="must be nonnegative"):
        pw.factorize(-a, 3, loss="poisson")


@pytest.mark.parametrize("name", [None, "kl-newton", "kl-multiplicative"])
@pytest.mark.parametrize("axis", [0, 1])
def test_on_disk_as_in_memory(tmp_path, monkeypatch, axis, name):
    """The same factors along both axes, one read an iteration, also where W's rows lie scattered over the parts."""
    a = counts(50, 44)
    stored = pw.open_matrix(pw.write_matrix(tmp_path / "counts", sp.csr_array(a), long=axis, part_bytes=4_000).folder)
    reads, parts = [], type(stored).parts
    monkeypatch.setattr(type(stored), "parts", lambda *rest: (reads.append(1), parts(*rest))[1])
    settings = {"algorithm": name, "loss": "poisson", "stop": pw.MaxIterations(9), "threads": 2}
    counted = []
    for iterations in (1, 5, 9):
        reads.clear()
        far = pw.factorize(stored, 3, **settings | {"stop": pw.MaxIterations(iterations)})
        counted.append(len(reads))
    assert counted[2] - counted[1] == 4
    near = pw.factorize(a, 3, **settings | {"algorithm": name or "kl-newton"})
    assert far.certificate.algorithm == near.certificate.algorithm
    assert far.certificate.kkt == pytest.approx(near.certificate.kkt, rel=1e-6)
    for one, other in ((near.W, far.W), (near.H, far.H), (near.history.error, far.history.error)):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
