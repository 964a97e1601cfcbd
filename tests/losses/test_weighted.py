"""Weights and unknown entries of the squared loss, against plain numpy and scipy on single rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import partwise as pw


def planted(rows=40, columns=30, rank=3, seed=0):
    """A nonnegative matrix of low rank with a little noise."""
    rng = np.random.default_rng(seed)
    return rng.gamma(0.5, 1, (rows, rank)) @ rng.gamma(0.5, 1, (rank, columns)) + 0.01 * rng.random((rows, columns))


def speckled(a, share=0.15, seed=1):
    """(the matrix with holes, where they are)."""
    holes = np.random.default_rng(seed).random(a.shape) < share
    return np.where(holes, np.nan, a), holes


def kinds(a, v):
    """The same weighted problem, given in every way there is; entries of weight 0 are unknown."""
    known = v > 0
    yield pw.observed(a, weights=v)
    yield pw.observed(a, weights=sp.csr_array(v))
    yield pw.observed(sp.csr_array(np.where(known, a, 0)), weights=sp.csc_array(v))
    yield pw.observed(np.where(known, a, np.nan), missing="nan", weights=np.where(known, v, 1.0))
    if known.all():
        yield pw.observed(a, weights=sp.csr_array(np.where(v == 2, 0, v)), unstored=2.0)


@given(st.integers(0, 10**6), st.booleans())
def test_systems_of_rows_by_hand(seed, complete):
    """r_i = Σ v a f and G_i = Σ v f fᵀ for every way to give weights, on both sides."""
    rng = np.random.default_rng(seed)
    a, v = rng.random((6, 5)), rng.choice([0.5, 2.0, 3.0] if complete else [0.0, 1.0, 2.0], (6, 5))
    if not (v > 0).any() or (v == 1).all():
        return
    f, h = rng.random((5, 2)), rng.random((6, 2))
    upper = np.triu_indices(2)
    for data in kinds(a, v):
        for side, fixed, x, w in ((data, f, a, v), (data.T, h, a.T, v.T)):
            systems = side.systems(0, len(x), fixed, fixed.T @ fixed)
            for i, system in enumerate(systems):
                np.testing.assert_allclose(system[:2], (w[i] * x[i]) @ fixed, atol=1e-12)
                np.testing.assert_allclose(system[2:], (fixed.T @ (w[i][:, None] * fixed))[upper], atol=1e-12)
            np.testing.assert_allclose(side.row_norms2, (w * x**2).sum(axis=1), atol=1e-12)
            np.testing.assert_allclose(side.row_weights, w.sum(axis=1), atol=1e-12)
            assert np.array_equal(side.row_counts, (w > 0).sum(axis=1))


@pytest.mark.parametrize("algorithm", ["als-hals", "hals", "anls", "als"])
def test_all_ones_is_the_squared_loss(algorithm):
    """Weights of 1 are no weights at all, and weights near 1 give nearly the same fit through their own path."""
    a, settings = planted(), {"algorithm": algorithm, "init": "random", "stop": pw.MaxIterations(15)}
    plain = pw.factorize(a, 3, **settings)
    ones = pw.factorize(a, 3, weights=np.ones(a.shape), **settings)
    assert np.array_equal(plain.W, ones.W)
    nearly = 1 + 1e-9 * np.random.default_rng(0).choice([-1, 1], a.shape)
    near = pw.factorize(a, 3, weights=nearly, **settings)
    np.testing.assert_allclose(near.W @ near.H, plain.W @ plain.H, atol=1e-5)
    assert near.error == pytest.approx(plain.error, rel=1e-6)
    assert near.certificate.kkt == pytest.approx(plain.certificate.kkt, rel=1e-4, abs=1e-9)


def test_nan_is_weight_0_and_the_holes_are_predicted():
    """Masked arrays, pandas' NA and NaN are the same; entries that were never seen are found again."""
    a = planted()
    b, holes = speckled(a)
    settings = {"stop": pw.MaxIterations(60), "seed": 1}
    fit = pw.factorize(b, 3, missing="nan", **settings)
    known = ~holes
    residual = (a - fit.W @ fit.H)[known]
    assert fit.error == pytest.approx(np.sqrt((residual**2).sum() / (a[known] ** 2).sum()), rel=1e-9)
    assert fit.certificate.known.rmse == pytest.approx(np.sqrt((residual**2).mean()), rel=1e-9)
    assert fit.certificate.explained == pytest.approx(
        1 - (residual**2).sum() / ((a[known] - a[known].mean()) ** 2).sum()
    )
    assert fit.certificate.known.share == pytest.approx(known.mean())
    at = np.nonzero(holes)
    np.testing.assert_allclose(fit.predict(*at), a[at], atol=0.1)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(b).convert_dtypes()
    for other in (np.ma.masked_invalid(b), frame):
        assert np.array_equal(pw.factorize(other, 3, missing="nan", **settings).W, fit.W)
    weighted = pw.factorize(a, 3, weights=known.astype(float), init=fit, stop=pw.MaxIterations(1))
    assert weighted.history.error[0] == pytest.approx(fit.error, rel=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_stored_zeros_are_observations(threads):
    """missing="zeros" fits what is stored; A → cA is the same path, and so is any number of threads."""
    rng = np.random.default_rng(0)
    matrix = sp.random_array((60, 50), density=0.3, rng=rng, format="csr")
    matrix.data = rng.integers(0, 6, matrix.nnz).astype(float)
    assert (matrix.data == 0).any()
    fit = pw.factorize(matrix, 3, missing="zeros", threads=threads)
    assert np.array_equal(fit.W, pw.factorize(matrix, 3, missing="zeros", threads=1).W)
    places = matrix.tocoo()
    residual = places.data - fit.predict(places.row, places.col)
    assert fit.certificate.known.rmse == pytest.approx(np.sqrt((residual**2).mean()), rel=1e-9)
    scaled = pw.factorize(matrix * 64, 3, missing="zeros", threads=threads)
    np.testing.assert_allclose(scaled.W, 8 * fit.W, rtol=1e-9)
    lam = 0.001 + 0.036 * (1 - matrix.nnz / 3000) ** 4
    assert f"per_observation_w={lam:g}" in fit.certificate.algorithm
    x = fit.transform(matrix, missing="zeros")
    assert np.array_equal(fit.transform(matrix[:, [4]], missing="zeros")[:, 0], x[:, 4])
    dense, n = matrix.toarray(), (places.col == 4).sum()
    rows = places.row[places.col == 4]
    f = np.vstack([fit.W[rows], np.sqrt(lam * matrix.data.mean() * n) * np.eye(3)])
    np.testing.assert_allclose(x[:, 4], nnls(f, np.concatenate([dense[rows, 4], np.zeros(3)]))[0], atol=1e-9)


def test_the_kkt_residual_by_hand():
    """r² = Σ min(x b, ∇/b)² / Σ v a² with b_ic = √(G_i)_cc, both sides, with the penalty by observation."""
    a, rng = planted(), np.random.default_rng(2)
    v = rng.choice([0.0, 1.0, 2.0], a.shape)
    penalty = pw.PerObservation(0.02)
    fit = pw.factorize(a, 3, weights=v, algorithm=pw.penalised("hals", w=penalty, h=penalty), stop=pw.MaxIterations(7))
    squares, mean = 0.0, (v * a).sum() / v.sum()
    for x, f, b, u in ((fit.W, fit.H.T, a, v), (fit.H.T, fit.W, a.T, v.T)):
        for i in range(len(x)):
            gram = f.T @ (u[i][:, None] * f) + 0.02 * mean * u[i].sum() * np.eye(3)
            gradient, scale = gram @ x[i] - f.T @ (u[i] * b[i]), np.sqrt(np.diag(gram))
            alive = scale > 0
            squares += (np.minimum(x[i] * scale, gradient / np.where(alive, scale, 1))[alive] ** 2).sum()
    assert fit.certificate.kkt == pytest.approx(np.sqrt(squares / (v * a**2).sum()), rel=1e-6)


def test_recommendations_and_cold_rows():
    """What is known is left out; rows of which nothing is known get the mean and a sentence, and are never advised."""
    matrix = sp.csr_array(np.array([[5.0, 0, 3, 0], [4, 1, 0, 0], [0, 0, 0, 0], [1, 5, 4, 0]]))
    fit = pw.factorize(matrix, 1, missing="zeros")
    assert [hit.index for hit in fit.recommend(1, 5, known=matrix)] == [0]
    assert {hit.index for hit in fit.recommend(row=0, n=5, known=matrix)} == {1}
    with pytest.warns(UserWarning, match=r"Nothing was known of 1 rows of these pairs; the mean 3\.286 stands"):
        assert fit.predict(2, 0) == pytest.approx(23 / 7)
    assert fit.certificate.known.empty_rows == 1
    assert fit.certificate.known.empty_columns == 1
    with pytest.raises(ValueError, match="from 0 to 3; 4 is none"):
        fit.predict(0, 4)
    with pytest.raises(ValueError, match="Give a column"):
        fit.recommend()


def test_biases():
    """Two further components hold them; a matrix of b_i + c_j alone is fitted by them, its unknown entries too."""
    rng = np.random.default_rng(0)
    a = rng.random((20, 1)) + rng.random((1, 15))
    holes = rng.random(a.shape) < 0.4
    fit = pw.factorize(np.where(holes, np.nan, a), 1, missing="nan", biases=True, stop=pw.MaxIterations(200))
    assert np.sqrt(((fit.W @ fit.H - a)[holes] ** 2).mean()) < 0.1 * a.std()
    assert np.ptp(fit.W[:, -1]) == 0
    assert np.ptp(fit.H[-2]) == 0


def test_restarts_polish_checkpoint_and_files(tmp_path):
    """All of them take unknown entries; a seed has the same bits on any number of threads, kept or not."""
    b, _ = speckled(planted())
    b[4], b[:, 7] = np.nan, np.nan
    five = pw.MaxIterations(5)
    settings = {"missing": "nan", "restarts": 2, "polish": "anls", "polish_stop": five, "settle": True, "stop": five}
    fit = pw.factorize(b, 3, threads=5, **settings)
    path = tmp_path / "run"
    assert np.array_equal(pw.factorize(b, 3, threads=1, checkpoint=path, every=2, **settings).W, fit.W)
    assert np.array_equal(pw.factorize(b, 3, threads=2, **settings).W, fit.W)
    assert np.array_equal(pw.resume(path).go(b).W, fit.W)
    assert len(fit.restarts) == 2
    assert not fit.W[4].any()
    assert not fit.H[:, 7].any()
    x = fit.transform(b, missing="nan", threads=2)
    np.testing.assert_allclose(x, fit.H, atol=1e-12)
    assert np.array_equal(fit.transform(b[:, [11]], missing="nan")[:, 0], x[:, 11])
    assert not fit.transform(np.full((40, 1), np.nan), missing="nan").any()
    fit.save(tmp_path / "fit")
    assert str(pw.load(tmp_path / "fit")) == str(fit)
    assert "rows with fewer known entries than parts" in str(fit)
    reliability = pw.stability(b, 3, missing="nan", runs=2, stop=five).reliability
    assert reliability.shape == (3,)
    with pytest.raises(ValueError, match="would take memory"):
        pw.factorize(b, 3, missing="nan", memory_limit="1MB")


def test_rows_of_which_little_is_known():
    """They are summed by what is known: a difference of large sums would leave rounding."""
    a = planted(30, 200) * 1e3
    b = a.copy()
    b[0, 2:] = np.nan
    f = np.random.default_rng(0).random((200, 3))
    system = pw.observed(b, missing="nan").systems(0, 30, f, f.T @ f)[0]
    assert np.array_equal(system[:3], a[0, :2] @ f[:2])
    np.testing.assert_allclose(system[3:], (f[:2].T @ f[:2])[np.triu_indices(3)], rtol=1e-15)


def test_the_certificate_of_every_loss():
    """Value, RMSE and R² by hand, with the name of the loss, in words and as JSON."""
    a = np.round(10 * planted()) + 1
    for loss in ("squared", "poisson", "itakura-saito", "absolute"):
        certificate = (fit := pw.factorize(a, 2, loss=loss, stop=pw.MaxIterations(4))).certificate
        y = fit.W @ fit.H
        value = {
            "squared": lambda y: ((a - y) ** 2).sum(),
            "poisson": lambda y: (a * np.log(a / y) - a + y).sum(),
            "itakura-saito": lambda y: (a / y - np.log(a / y) - 1).sum(),
            "absolute": lambda y: abs(a - y).sum(),
        }[loss](y)
        assert certificate.value == pytest.approx(value, rel=1e-8)
        assert certificate.rmse == pytest.approx(np.sqrt(((a - y) ** 2).mean()), rel=1e-8)
        assert certificate.r2 == pytest.approx(1 - ((a - y) ** 2).sum() / ((a - a.mean()) ** 2).sum(), rel=1e-8)
        assert dict(certificate.rows())["loss"].startswith(f"{loss} {certificate.value:.6g}, RMSE")
        assert certificate.as_dict()["rmse"] == certificate.rmse
    penalised = pw.factorize(a, 2, algorithm=pw.hals(lam_w=3.0, lam_h=3.0), stop=pw.MaxIterations(4))
    assert penalised.certificate.value == pytest.approx(((a - penalised.W @ penalised.H) ** 2).sum(), rel=1e-8)


A = planted(5, 4)
HOLED = np.where(np.eye(5, 4) > 0, np.nan, A)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"matrix": HOLED}, 'is NaN; missing="nan" takes such entries as unknown'),
        ({"matrix": np.ma.masked_invalid(HOLED)}, 'missing="nan" takes them as unknown'),
        ({"weights": -np.ones((5, 4))}, r"The weights must be nonnegative and finite; the entry at row 0, column 0"),
        ({"weights": np.full((5, 4), np.inf)}, "is infinite"),
        ({"weights": np.ones((4, 5))}, "The weights are 4 × 5, the matrix 5 × 4"),
        ({"weights": np.zeros((5, 4))}, "All entries are unknown"),
        ({"matrix": np.full((3, 3), np.nan), "missing": "nan"}, "All entries are unknown"),
        ({"missing": "NaN"}, "no kind of missing entries 'NaN'; did you mean 'nan'"),
        ({"unstored": 1.0}, "give weights too"),
        ({"weights": np.ones((5, 4)), "unstored": 1.0}, "these are dense"),
        ({"missing": "zeros", "weights": np.ones((5, 4))}, "says nothing"),
        ({"matrix": -A, "missing": "zeros"}, "must be nonnegative"),
        ({"matrix": HOLED, "missing": "nan", "loss": "itakura-saito"}, "cannot take weights or unknown entries"),
        (
            {
                "matrix": np.tril(A),
                "missing": "zeros",
                "loss": "poisson",
                "algorithm": pw.penalised("kl-sweeps", w=pw.PerObservation(0.1), h=pw.PerObservation(0.1)),
            },
            "takes no penalty by observation",
        ),
        ({"matrix": np.where(A > 1, np.inf, A), "missing": "nan"}, "is infinite"),
        ({"loss": "poisson", "biases": True}, "takes no biases, since its factors scale"),
        ({"matrix": np.zeros((3, 3)), "weights": 2 * np.ones((3, 3))}, "All entries that are known are 0"),
        ({"weights": np.full((5, 4), np.nan)}, "The weights must be nonnegative and finite; .* is NaN"),
        ({"weights": np.ones(4)}, "The weights are 4, the matrix 5 × 4"),
        ({"weights": sp.csr_array(A), "unstored": -1.0}, "unstored must be"),
        ({"matrix": sp.csr_array(-A), "loss": "poisson"}, "must be nonnegative"),
        ({"matrix": sp.csr_array(np.tril(A)), "loss": "beta=1.5"}, "dense data only"),
        ({"matrix": np.eye(4), "loss": "itakura-saito"}, "infinite where an entry is 0"),
        ({"matrix": HOLED, "missing": "nan", "algorithm": "multiplicative"}, "use als, hals or anls"),
        ({"matrix": sp.csr_array(A), "missing": "zeros", "init": "nndsvd"}, "would read unknown entries as 0"),
        ({"algorithm": pw.penalised("hals", w=pw.PerObservation(0.1))}, "for data with weights or unknown entries"),
        ({"missing": "zeros", "biases": True, "init": "random"}, "makes its own start"),
    ],
)
def test_bad_input_gets_a_sentence(settings, sentence):
    """One sentence before any work."""
    with pytest.raises((ValueError, TypeError), match=sentence):
        pw.factorize(**{"matrix": A, "rank": 2} | settings)
