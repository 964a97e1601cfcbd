"""The Poisson loss with weights and unknown entries, against plain numpy and scipy on single rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import partwise as pw
from partwise.data.unknown import observed
from partwise.losses.table import LOSSES


def counts(rows=30, columns=25, rank=3, seed=0):
    """Whole numbers of low rank."""
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.5, 2, (rows, rank)) @ rng.gamma(0.5, 2, (rank, columns))).astype(float)


def divergence(a, y, v):
    """Σ v (a log(a/y) − a + y), an entry of weight 0 left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(a > 0, a * np.log(np.where(a > 0, a, 1) / y), 0) - a + y
    return float((v * np.where(v > 0, terms, 0)).sum())


A = counts()
V = np.random.default_rng(1).choice([0.0, 1.0, 2.5], A.shape)
V[3], V[:, 2] = 0, 0


@pytest.mark.parametrize("algorithm", ["kl-sweeps", "kl-newton", "kl-multiplicative"])
def test_the_value_by_hand_on_any_number_of_threads(algorithm):
    """Value, relative error, RMSE and R² of the certificate; rows and columns of which nothing is known; the bits."""
    fit = pw.factorize(A, 3, loss="poisson", algorithm=algorithm, weights=V, stop=pw.MaxIterations(15))
    y, mean = fit.W @ fit.H, (V * A).sum() / V.sum()
    value = divergence(A, y, V)
    certificate = fit.certificate
    assert certificate.value == pytest.approx(value, rel=1e-9)
    assert certificate.explained == pytest.approx(1 - value / divergence(A, np.full(A.shape, mean), V), rel=1e-9)
    assert certificate.rmse == pytest.approx(np.sqrt((V * (A - y) ** 2).sum() / V.sum()), rel=1e-9)
    assert certificate.r2 == pytest.approx(1 - (V * (A - y) ** 2).sum() / (V * (A - mean) ** 2).sum(), rel=1e-9)
    assert certificate.known.empty_rows == certificate.known.empty_columns == 1
    assert np.all(np.diff(fit.history.error) <= 1e-12)
    assert not fit.W[3].any()
    for threads in (1, 2, 5):
        again = pw.factorize(
            A, 3, loss="poisson", algorithm=algorithm, weights=V, stop=pw.MaxIterations(15), threads=threads
        )
        assert np.array_equal(again.W, fit.W)
        assert np.array_equal(again.H, fit.H)


def test_all_ones_nearly_ones_and_nan():
    """Weights of 1 are no weights, weights near 1 give nearly the same fit, and NaN is weight 0; A → cA."""
    settings = {"loss": "poisson", "init": "random", "stop": pw.MaxIterations(10)}
    plain = pw.factorize(A, 3, **settings)
    assert np.array_equal(plain.W, pw.factorize(A, 3, weights=np.ones(A.shape), **settings).W)
    near = 1 + 1e-9 * np.random.default_rng(0).choice([-1, 1], A.shape)
    fit = pw.factorize(A, 3, weights=near, init=plain, loss="poisson", stop=pw.MaxIterations(3))
    again = pw.factorize(A, 3, init=plain, loss="poisson", stop=pw.MaxIterations(3))
    np.testing.assert_allclose(fit.W @ fit.H, again.W @ again.H, atol=1e-6)
    assert fit.certificate.kkt == pytest.approx(again.certificate.kkt, rel=1e-4)
    holed, ones = np.where(V > 0, A, np.nan), (V > 0).astype(float)
    by_nan = pw.factorize(holed, 3, missing="nan", **settings)
    by_weight = pw.factorize(A, 3, weights=ones, **settings)
    np.testing.assert_allclose(by_nan.W, by_weight.W, rtol=1e-9)
    scaled = pw.factorize(4 * A, 3, weights=ones, **settings)
    np.testing.assert_allclose(scaled.W @ scaled.H, 4 * by_weight.W @ by_weight.H, rtol=1e-9)


def test_exact_rows_against_scipy():
    """``transform`` minimises s_i·x − Σ v a log(f·x) for every column, the same for one column or many."""
    fit = pw.factorize(A, 3, loss="poisson", weights=V, stop=pw.MaxIterations(15), settle=True)
    x = fit.transform(A, weights=V)
    np.testing.assert_allclose(x, fit.H, rtol=1e-6, atol=1e-9)
    for j in (0, 7):
        alone = fit.transform(A[:, [j]], weights=V[:, [j]])[:, 0]
        assert np.array_equal(alone, x[:, j])

        def loss(h, j=j):
            return divergence(A[:, j], fit.W @ h, V[:, j])

        best = minimize(loss, x[:, j] + 0.1, bounds=[(1e-12, None)] * 3, method="L-BFGS-B", options={"ftol": 1e-15})
        assert loss(x[:, j]) <= best.fun * (1 + 1e-9)


def test_the_kkt_residual_by_hand():
    """r² = Σ_i 1/n_i Σ_c min(u, n_i γ)² / Σ v a with u = x s_i and γ = 1 − c/s_i, both sides."""
    fit = pw.factorize(A, 3, loss="poisson", weights=V, algorithm="kl-newton", stop=pw.MaxIterations(4))
    squares = 0.0
    for x, f, a, v in ((fit.W, fit.H.T, A, V), (fit.H.T, fit.W, A.T, V.T)):
        y = x @ f.T
        sums, ratios = v @ f, np.where(v * a > 0, v * a / np.where(y > 0, y, 1), 0) @ f
        n = (v * a).sum(axis=1)
        for i in np.flatnonzero(n > 0):
            alive = sums[i] > 0
            gamma = 1 - ratios[i, alive] / sums[i, alive]
            squares += (np.minimum(x[i, alive] * sums[i, alive], n[i] * gamma) ** 2).sum() / n[i]
    assert fit.certificate.kkt == pytest.approx(np.sqrt(squares / (V * A).sum()), rel=1e-8)


def test_implicit_feedback_by_hand():
    """``unstored`` weighs all other entries, also on sparse data, of which only what is stored is visited."""
    matrix = sp.csr_array(A)
    weights = sp.csr_array((2 + 0 * matrix.data, matrix.indices, matrix.indptr), shape=A.shape)
    fit = pw.factorize(matrix, 3, loss="poisson", weights=weights, unstored=0.25, stop=pw.MaxIterations(10))
    v = np.where(A > 0, 2.0, 0.25)
    assert fit.certificate.value == pytest.approx(divergence(A, fit.W @ fit.H, v), rel=1e-9)
    data = observed(matrix, weights=weights, unstored=0.25)
    assert LOSSES["poisson"].on(data).share_width(3) == 12
