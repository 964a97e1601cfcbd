"""The estimator keeps scikit-learn's manners, and says of itself what is true."""

import pickle
import re
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import NMF as SklearnNMF
from sklearn.decomposition._nmf import _beta_divergence
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from takes import skip_unless_taken

import partwise as pw
from partwise import NMF
from partwise.linalg.measures import mean_sparsity

X = np.random.default_rng(0).random((20, 9)) @ np.diag([1, 2, 3, 1, 2, 3, 1, 2, 3.0])
TEXTS = [
    "the moon and the stars at night",
    "stars shine at night over the sea",
    "ships sail over the sea by day",
    "the harbour holds ships and boats",
    "moon and tide move the sea",
    "boats sail by day in the harbour",
]


def model(rank: Any = 3, **given: Any) -> NMF:
    """An estimator that ends before its tolerance can matter, so that it does not warn."""
    return NMF(rank, **{"tol": 0, "max_iter": 8, "random_state": 0} | given)


@parametrize_with_checks([NMF(max_iter=1000), NMF(2, algorithm="acls", init="nndsvd", max_iter=1000)])
def test_scikit_learn(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn holds, none is expected to fail."""
    check(estimator)


@pytest.mark.parametrize("vectorizer", [TfidfVectorizer, CountVectorizer])
def test_pipeline_of_texts(vectorizer: Any) -> None:
    """Texts in, weights of topics out, the same for texts that come later."""
    pipe = make_pipeline(vectorizer(), NMF(2, random_state=0))
    weights = pipe.fit_transform(TEXTS)
    assert weights.shape == (6, 2)
    assert (weights >= 0).all()
    np.testing.assert_allclose(pipe.transform(TEXTS[2:4]), weights[2:4], rtol=1e-9, atol=1e-12)
    assert pipe[:-1].get_feature_names_out().shape == (pipe[-1].n_features_in_,)
    assert pipe.get_feature_names_out().tolist() == ["nmf0", "nmf1"]
    assert not pipe.transform(["quite unknown words"]).any()


def test_grid_search_uses_the_score() -> None:
    """GridSearchCV compares ranks by the explained share on folds that were not fitted."""
    search = GridSearchCV(NMF(random_state=0, max_iter=500), {"n_components": [1, 2, 4]}, cv=3).fit(X)
    scores = search.cv_results_["mean_test_score"]
    assert (np.diff(scores) > 0).all(), "more parts explain more of full-rank noise"
    assert search.best_params_ == {"n_components": 4}
    assert search.score(X) == search.best_estimator_.score(X)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, pd.DataFrame])
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_score_is_the_explained_share(make: Any, output: str) -> None:
    """score(X) is 1 − ‖X − X̂‖²/‖X‖², on whatever container and with whatever output."""
    fitted = model().set_output(transform=output).fit(make(X[:12]))
    weights = np.asarray(fitted.transform(make(X[12:])))
    wanted = 1 - np.linalg.norm(X[12:] - weights @ fitted.components_) ** 2 / np.linalg.norm(X[12:]) ** 2
    assert fitted.score(make(X[12:])) == pytest.approx(wanted, rel=1e-10)


def test_clone_and_parameters() -> None:
    """A clone has the same parameters and gives the same numbers; parameters can be read and set."""
    start = np.random.default_rng(1).random((9, 3))
    made = model(algorithm=pw.acls(0.1, 0.2), init=start)
    copy = clone(made)
    assert set(SklearnNMF().get_params()) <= set(copy.get_params())
    assert not hasattr(copy, "components_")
    np.testing.assert_array_equal(copy.fit(X).components_, made.fit(X).components_)
    copy.set_params(n_components=2, init="random", tol=0.5)
    assert (copy.n_components, copy.init, copy.tol) == (2, "random", 0.5)
    assert copy.fit(X).components_.shape == (2, 9)
    with pytest.raises(ValueError, match="Invalid parameter 'rank'"):
        copy.set_params(rank=2)


def test_parameters_are_left_alone() -> None:
    """Fitting changes neither the parameters nor the arrays in them."""
    start = np.random.default_rng(1).random((9, 3))
    before = start.copy()
    made = model(init=start)
    given = made.get_params()
    made.fit(X)
    assert made.get_params() == given
    assert made.init is start
    np.testing.assert_array_equal(start, before)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(output: str) -> None:
    """Weights come as a data frame when asked for, with the parts as columns."""
    fitted = model().set_output(transform=output)
    frame = fitted.fit_transform(X)
    assert list(frame.columns) == ["nmf0", "nmf1", "nmf2"] == fitted.get_feature_names_out().tolist()
    plain = model().fit_transform(X)
    np.testing.assert_array_equal(np.asarray(frame), plain)
    np.testing.assert_allclose(np.asarray(fitted.inverse_transform(frame)), plain @ fitted.components_, rtol=1e-12)


def test_set_output_keeps_the_index() -> None:
    """The rows of a data frame keep their names."""
    frame = pd.DataFrame(X, index=[f"row {i}" for i in range(20)])
    frame.columns = [f"word {j}" for j in range(9)]
    weights = model().set_output(transform="pandas").fit_transform(frame)
    assert weights.index.equals(frame.index)


def test_feature_names() -> None:
    """The columns that were fitted are remembered, and others are refused."""
    frame = pd.DataFrame(X, columns=[f"word {j}" for j in range(9)])
    fitted = model().fit(frame)
    assert fitted.feature_names_in_.tolist() == frame.columns.tolist()
    assert fitted.n_features_in_ == 9
    np.testing.assert_allclose(fitted.components_, model().fit(X).components_, rtol=1e-9)  # BLAS sums by layout
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(frame[frame.columns[::-1]])
    assert not hasattr(model().fit(X), "feature_names_in_")


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csr_matrix, sp.coo_array, pd.DataFrame, list])
def test_inverse_transform(make: Any) -> None:
    """Weights in any container give the samples again, dense."""
    fitted = model().fit(X)
    weights = fitted.transform(X)
    back = np.asarray(fitted.inverse_transform(make(weights)))
    np.testing.assert_allclose(back, weights @ fitted.components_, rtol=1e-12)
    assert np.linalg.norm(X - back) == pytest.approx(fitted.reconstruction_err_, rel=1e-9)


def test_inverse_transform_refuses_weights_of_other_parts() -> None:
    """Weights must have one column for each part."""
    with pytest.raises(ValueError, match=r"3"):
        model().fit(X).inverse_transform(np.ones((2, 4)))


@pytest.mark.parametrize("call", ["transform", "inverse_transform", "score", "get_feature_names_out"])
def test_not_fitted(call: str) -> None:
    """Before the fit there is nothing to use, and the error says so."""
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(NMF(), call)(*([] if call == "get_feature_names_out" else [X]))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_one_row_or_many(algorithm: str, make: Any) -> None:
    """A row's weights do not depend on the rows beside it, to the rounding of the product."""
    skip_unless_taken(algorithm, make(X * (X.min() < X)))
    fitted = model(algorithm=algorithm, max_iter=3).fit(X[:10])
    together = fitted.transform(make(X))
    alone = np.vstack([fitted.transform(make(X[i : i + 1])) for i in range(0, 20, 4)])
    np.testing.assert_allclose(alone, together[::4], rtol=0, atol=1e-9 * together.max())


@pytest.mark.parametrize("given", ["f4", "f8"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_precision_is_kept(given: str, make: Any) -> None:
    """float32 in, float32 out; float64 in, float64 out; and either may follow the other."""
    made = model()
    assert made.fit_transform(make(X.astype(given))).dtype == given
    assert made.components_.dtype == given
    for other in ("f4", "f8"):
        assert made.transform(make(X.astype(other))).dtype == other
    assert isinstance(made.reconstruction_err_, float)


@pytest.mark.parametrize("kind", [int, bool, np.uint8, np.float16])
def test_other_dtypes(kind: Any) -> None:
    """Counts and flags are fitted as numbers."""
    counts = np.random.default_rng(0).integers(0, 2, (12, 6)).astype(kind)
    np.testing.assert_array_equal(model(2).fit_transform(counts), model(2).fit_transform(counts.astype(float)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_sparse_is_dense(form: str, kind: str) -> None:
    """A sparse X gives what the dense one gives, to rounding."""
    data = X * (np.random.default_rng(3).random(X.shape) < 0.5)
    given = getattr(sp, f"{form}_{kind}")(data)
    dense, sparse = model(), model()
    wanted, found = dense.fit_transform(data), sparse.fit_transform(given)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * wanted.max())
    np.testing.assert_allclose(sparse.components_, dense.components_, rtol=0, atol=1e-9 * dense.components_.max())
    np.testing.assert_allclose(sparse.transform(given), sparse.transform(data), rtol=0, atol=1e-9 * wanted.max())
    assert sparse.reconstruction_err_ == pytest.approx(dense.reconstruction_err_, rel=1e-9)


@pytest.mark.parametrize(("shape", "rank"), [((30, 25), 10), ((30, 4), 4), ((5, 30), 5), ((1, 7), 1), ((10, 10), 10)])
def test_auto_rank(shape: tuple[int, int], rank: int) -> None:
    """The default rank is 10, or the smaller side of X if that is less."""
    fitted = model("auto", max_iter=2).fit(np.random.default_rng(0).random(shape))
    assert NMF().n_components == "auto"
    assert fitted.n_components_ == rank == fitted.certificate_.rank
    assert fitted.components_.shape == (rank, shape[1])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("dtype", "near"), [("f8", 1e-6), ("f4", 1e-4)])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_fit_transform_is_fit_then_transform(algorithm: str, dtype: str, near: float, make: Any) -> None:
    """fit_transform(X) equals fit(X).transform(X), relative to the largest weight, for every algorithm."""
    data = make((X * (np.random.default_rng(5).random(X.shape) < 0.7))[:10].astype(dtype))
    skip_unless_taken(algorithm, data)
    for iterations in (1, 4):
        one, two = (model(algorithm=algorithm, max_iter=iterations) for _ in range(2))
        weights = one.fit_transform(data)
        assert weights.any()
        np.testing.assert_allclose(one.transform(data), weights, rtol=0, atol=near * weights.max())
        np.testing.assert_allclose(two.fit(data).transform(data), weights, rtol=0, atol=near * weights.max())


@pytest.mark.filterwarnings("ignore:No iteration was better:RuntimeWarning")
@pytest.mark.parametrize(
    "algorithm",
    [
        pw.acls(0, 0),
        pw.ahcls(0.1, 0.1, 0.9, 0.9),
        pw.ahcls(2, 2, 1, 1),
        pw.hals(0.5, 0.5),
        pw.hoyer_target(0.4, None),
        pw.extrapolated("acls"),
    ],
    ids=str,
)
def test_fit_transform_with_settings(algorithm: pw.Algorithm) -> None:
    """The same holds with penalties, an indefinite one too, and with momentum."""
    made = model(algorithm=algorithm, max_iter=2)
    weights = made.fit_transform(X)
    np.testing.assert_allclose(made.transform(X), weights, rtol=0, atol=1e-6 * weights.max())


@pytest.mark.parametrize("algorithm", ["anls", "hals", "als-hals", "multiplicative", "als"])
def test_transform_is_nonnegative_least_squares(algorithm: str) -> None:
    """Without a penalty the weights are the exact nonnegative least-squares solution of each row."""
    from scipy.optimize import nnls

    made = model(algorithm=algorithm).fit(X[:12])
    found = made.transform(X[12:])
    for row, weights in zip(X[12:], found, strict=True):
        np.testing.assert_allclose(weights, nnls(made.components_.T, row)[0], rtol=0, atol=1e-8 * found.max())


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_reconstruction_error(algorithm: str, dtype: str, make: Any) -> None:
    """reconstruction_err_ is the norm of X − weights @ components_, computed directly."""
    made = model(algorithm=algorithm, max_iter=3)
    skip_unless_taken(algorithm, make(X * (X.min() < X)))
    weights = made.fit_transform(make(X.astype(dtype)))
    fitted = weights.astype("f8") @ made.components_
    direct = np.linalg.norm(X.astype(dtype) - fitted)
    if pw.ALGORITHMS[algorithm]().loss == "poisson":
        direct = _beta_divergence(X.astype(dtype), weights, made.components_, "kullback-leibler", square_root=True)
    if pw.ALGORITHMS[algorithm]().loss == "beta=1.5":
        direct = _beta_divergence(X.astype("f8"), weights.astype("f8"), made.components_, 1.5, square_root=True)
    assert made.reconstruction_err_ == pytest.approx(direct, rel=1e-9 if dtype == "f8" else 1e-4)


def test_reconstruction_error_of_an_exact_fit() -> None:
    """Near an exact fit the error is not lost in rounding."""
    rng = np.random.default_rng(0)
    data = rng.random((15, 2)) @ rng.random((2, 8))
    made = NMF(2, random_state=0, tol=1e-12, max_iter=3000)
    weights = made.fit_transform(data)
    direct = np.linalg.norm(data - weights @ made.components_)
    assert made.reconstruction_err_ < 1e-3
    # Below 1e-14 of ‖X‖ both are rounding.
    assert made.reconstruction_err_ == pytest.approx(direct, rel=1e-6, abs=1e-14 * np.linalg.norm(data))


@pytest.mark.parametrize("algorithm", ["acls", "als-hals", "anls", "hoyer"])
def test_certificate_belongs_to_the_fit(algorithm: str) -> None:
    """What the certificate says holds for components_ and the weights that were returned."""
    made = model(algorithm=algorithm)
    weights = made.fit_transform(X)
    told = made.certificate_
    assert told.shape == (9, 20)
    assert told.algorithm == str(pw.ALGORITHMS[algorithm]())
    assert told.seed == 0
    assert told.iterations == made.n_iter_ == 8
    direct = np.linalg.norm(X - weights @ made.components_) / np.linalg.norm(X)
    assert told.relative_error == pytest.approx(direct, rel=1e-9)
    assert told.explained == pytest.approx(made.score(X), rel=1e-9)
    for factor, side in ((np.ascontiguousarray(made.components_.T), told.w), (weights, told.h)):
        assert side.sparsity_by_row == pytest.approx(mean_sparsity(factor, 1)[0], rel=1e-12)
        assert side.zeros == pytest.approx(np.mean(factor == 0), abs=1e-12)
    # The KKT residual of DESIGN section 5 by hand; hoyer's constraint is another one.
    if algorithm != "hoyer":
        w, h = made.components_.T, weights
        lam_w, lam_h = (0.05 * scale for scale in told.scales) if algorithm == "acls" else (0.0, 0.0)
        w_slope = w @ (h.T @ h) - X.T @ h + lam_w * w
        h_slope = h @ (w.T @ w) - X @ w + lam_h * h
        a, b = np.linalg.norm(w, axis=0), np.linalg.norm(h, axis=0)
        squares = np.sum(np.minimum(w * b, w_slope / b) ** 2) + np.sum(np.minimum(h * a, h_slope / a) ** 2)
        assert told.kkt == pytest.approx(np.sqrt(squares) / np.linalg.norm(X), rel=1e-6, abs=1e-12)


def test_an_integer_repeats_the_fit() -> None:
    """The same integer gives the same bits, on any number of threads; with a random start another one differs."""
    one, two, three = (model(random_state=7, threads=t).fit(X).components_ for t in (1, 2, 3))
    assert one.tobytes() == two.tobytes() == three.tobytes()
    drawn = [model(random_state=seed, init="random").fit(X).components_.tobytes() for seed in (7, 8)]
    assert drawn[0] != drawn[1]
    made = model(random_state=7)
    assert made.fit(X).components_.tobytes() == made.fit(X).components_.tobytes()
    assert model(random_state=np.int64(7)).fit(X).components_.tobytes() == one.tobytes()


def test_a_random_state_goes_on() -> None:
    """A RandomState is drawn from: two fits differ, and a new one of the same seed repeats them."""
    state = np.random.RandomState(0)
    first, second = (model(random_state=state, init="random").fit(X).components_ for _ in range(2))
    again = np.random.RandomState(0)
    assert first.tobytes() != second.tobytes()
    for wanted in (first, second):
        assert model(random_state=again, init="random").fit(X).components_.tobytes() == wanted.tobytes()


def test_none_follows_the_global_state() -> None:
    """None draws from numpy's global state, as everywhere in scikit-learn; the certificate notes the seed."""
    np.random.seed(3)  # noqa: NPY002
    first, second = model(random_state=None, init="random").fit(X), model(random_state=None, init="random").fit(X)
    assert first.components_.tobytes() != second.components_.tobytes()
    np.random.seed(3)  # noqa: NPY002
    assert model(random_state=None, init="random").fit(X).components_.tobytes() == first.components_.tobytes()
    noted = model(random_state=first.certificate_.seed, init="random").fit(X)
    assert noted.components_.tobytes() == first.components_.tobytes()


@pytest.mark.parametrize("call", ["fit", "fit_transform"])
def test_warning_at_max_iter(call: str) -> None:
    """A fit that ends at max_iter before its tolerance warns, once."""
    with pytest.warns(ConvergenceWarning, match="iterations 2 reached.*tol=1e-12 is not met") as caught:
        getattr(NMF(3, max_iter=2, tol=1e-12, random_state=0), call)(X)
    assert len(caught) == 1


def test_no_warning_when_it_converges() -> None:
    """A fit that meets its tolerance does not warn and needs fewer iterations."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = NMF(3, max_iter=500, tol=1e-2, random_state=0).fit(X)
    assert 1 <= made.n_iter_ < 500


def test_tolerance_zero() -> None:
    """tol=0 makes exactly max_iter iterations, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = NMF(3, max_iter=17, tol=0, random_state=0).fit(X)
    assert made.n_iter_ == 17


def test_a_smaller_tolerance_goes_further() -> None:
    """A smaller tolerance makes more iterations and ends no worse."""
    loose, tight = (NMF(3, max_iter=5000, tol=tol, random_state=0).fit(X) for tol in (1e-2, 1e-6))
    assert loose.n_iter_ < tight.n_iter_
    assert tight.reconstruction_err_ <= loose.reconstruction_err_


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_zero_rows(algorithm: str, make: Any) -> None:
    """A sample of zeros has no weights, among others and alone, in the fit and later; the others are unchanged."""
    data = X.copy()
    data[[2, 7]] = 0
    skip_unless_taken(algorithm, make(data))
    made = model(algorithm=algorithm, max_iter=3)
    assert not made.fit_transform(make(data))[[2, 7]].any()
    assert not made.transform(make(np.zeros((3, 9)))).any()
    weights = made.transform(make(X))
    np.testing.assert_allclose(made.transform(make(data))[8:], weights[8:], rtol=0, atol=1e-9 * weights.max())


def test_start_from_given_components() -> None:
    """A given start is features × parts; from the components of an earlier fit the next one goes on."""
    first = model().fit(X)
    second = model(init=first.components_.T).fit(X)
    assert second.reconstruction_err_ <= first.reconstruction_err_
    with pytest.raises(ValueError, match="n_features × n_components here, 9 × 3, not 3 × 9"):
        model(init=first.components_).fit(X)


def test_refit_forgets() -> None:
    """A second fit leaves nothing of the first."""
    made = model().fit(X)
    made.fit(X[:, :5])
    fresh = model().fit(X[:, :5])
    assert made.components_.tobytes() == fresh.components_.tobytes()
    assert made.n_features_in_ == 5


def test_the_package_does_without_scikit_learn_until_it_is_asked_for() -> None:
    """``import partwise`` and a factorisation do not import scikit-learn; ``pw.NMF`` does."""
    code = """
import sys
import numpy as np
import partwise as pw
pw.factorize(np.eye(3) + 1, 2)
assert not any(name.split(".")[0] == "sklearn" for name in sys.modules)
assert "NMF" in dir(pw)
pw.NMF
assert "sklearn" in sys.modules
from partwise import NMF
assert NMF is pw.NMF
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_attribute_that_does_not_exist() -> None:
    """Loading on first use does not swallow misspelt names."""
    with pytest.raises(AttributeError, match="no attribute 'NFM'"):
        _ = pw.NFM


@pytest.mark.parametrize(
    ("given", "algorithm"),
    [
        ({}, "als-hals"),
        ({"solver": "cd"}, "hals"),
        ({"solver": "mu"}, "multiplicative"),
        ({"solver": "anls"}, "anls"),
        ({"beta_loss": 2}, "als-hals"),
        ({"beta_loss": "kullback-leibler"}, "kl-sweeps"),
        ({"beta_loss": 1.0, "solver": "mu"}, "kl-multiplicative"),
        ({"beta_loss": 0.5, "solver": "mu"}, "beta-multiplicative"),
        ({"beta_loss": "itakura-saito"}, "beta-multiplicative"),
        ({"algorithm": "kl-sweeps"}, "kl-sweeps"),
    ],
)
def test_solvers(given: dict[str, Any], algorithm: str) -> None:
    """solver and beta_loss choose the algorithm; scikit-learn's names have its usual start."""
    made = model(**given).fit(X)
    assert algorithm in made.certificate_.algorithm
    assert made.certificate_.start is not None
    assert (made.certificate_.start.init == "nndsvda") == (given.get("solver") in ("cd", "mu"))


def test_more_components_than_a_side() -> None:
    """n_components may exceed both sides, and None is all features; the fit is then exact."""
    for rank, wanted in ((14, 14), (None, 9)):
        made = NMF(rank, random_state=0, max_iter=2000).fit(X)
        assert made.n_components_ == wanted
        assert made.score(X) > 0.999
    assert NMF(4, random_state=0).fit(X[:1]).score(X[:1]) > 0.999, "one row"


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("solver", [None, "cd", "mu"])
def test_all_zero(make: Any, solver: str | None) -> None:
    """X without a single entry is fitted by zeros, as in scikit-learn; factorize refuses it."""
    made = NMF(2, solver=solver, random_state=0)
    assert not made.fit_transform(make(np.zeros((6, 4)))).any()
    assert not made.components_.any()
    assert made.reconstruction_err_ == 0
    assert not made.transform(X[:, :4]).any()
    with pytest.raises(ValueError, match="all zero"):
        pw.factorize(make(np.zeros((6, 4))), 2)


def test_custom_start() -> None:
    """From W and H of a fit the next one goes on; either alone is enough."""
    first = model(init="random")
    weights = first.fit_transform(X)
    for given in ({"W": weights, "H": first.components_}, {"H": first.components_}, {"W": weights}):
        made = NMF(init="custom", tol=0, max_iter=1).fit(X, **given)
        assert made.n_components_ == 3
        assert made.reconstruction_err_ <= first.reconstruction_err_ * (1 + 1e-9)
    with pytest.warns(RuntimeWarning, match="provided W or H are ignored"):
        model().fit(X, W=weights)
    with pytest.raises(TypeError, match="should have the same dtype as X"):
        NMF(init="custom").fit(X, H=first.components_.astype("f4"))


def test_a_smaller_tolerance_never_makes_fewer_iterations() -> None:
    """n_iter_ does not fall as tol falls, and at 0 it is max_iter."""
    counts = [NMF(3, max_iter=150, tol=tol, random_state=0).fit(X).n_iter_ for tol in (1e-1, 1e-2, 1e-3, 1e-4)]
    assert counts == sorted(counts)
    assert NMF(3, max_iter=150, tol=0, random_state=0).fit(X).n_iter_ == 150


def test_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    """verbose=1 prints the error of every tenth iteration."""
    model(max_iter=20, verbose=1).fit(X)
    assert re.findall(r"Iteration (\d+): relative error 0\.\d+", capsys.readouterr().out) == ["10", "20"]


def test_pickles_are_small_and_plain() -> None:
    """A pickle holds little more than scikit-learn's; skops trusts it but for the estimator's own type."""
    skops = pytest.importorskip("skops.io")
    data = np.random.default_rng(0).random((50, 200))
    made, peer = NMF(5, random_state=0).fit(data), SklearnNMF(5, random_state=0, max_iter=2000).fit(data)
    content, certificate = pickle.dumps(made), made.certificate_
    assert len(content) <= 1.2 * len(pickle.dumps(peer))
    for kind in (made, NMF(5, random_state=0).partial_fit(data)):
        kept = skops.dumps(kind)
        assert set(skops.get_untrusted_types(data=kept)) <= {"partwise.estimator.nmf.NMF"}
        again = skops.loads(kept, trusted=["partwise.estimator.nmf.NMF"])
        np.testing.assert_array_equal(again.transform(data), kind.transform(data))
        np.testing.assert_array_equal(again.partial_fit(data).components_, kind.partial_fit(data).components_)
    again = pickle.loads(content)
    assert again.certificate_ == certificate
    assert str(again.algorithm_) == "als-hals(sweeps=5)"


@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler"])
def test_unknown_entries(beta_loss: str) -> None:
    """NaN, masked entries and pandas' NA are unknown in fit and transform; one row or many have the same bits."""
    rng = np.random.default_rng(0)
    whole = rng.gamma(0.5, 1, (60, 3)) @ rng.gamma(0.5, 1, (3, 20))
    holed = np.where(rng.random(whole.shape) < 0.1, np.nan, whole)
    fitted = NMF(3, missing="nan", beta_loss=beta_loss, random_state=0, max_iter=500)
    weights = fitted.fit_transform(holed)
    again = fitted.transform(holed)
    np.testing.assert_allclose(again, weights, atol=1e-6)
    assert np.array_equal(fitted.transform(holed[[5]])[0], again[5])
    filled, holes = fitted.inverse_transform(again), np.isnan(holed)
    np.testing.assert_allclose(filled[holes], whole[holes], atol=0.05)
    squares = ((filled - whole)[~holes] ** 2).sum() / (whole[~holes] ** 2).sum()
    assert fitted.score(holed) == pytest.approx(1 - squares, abs=1e-9)
    assert fitted.certificate_.known.share == pytest.approx((~holes).mean())
    for same in (np.ma.masked_invalid(holed), pd.DataFrame(holed).convert_dtypes()):
        assert np.array_equal(clone(fitted).fit_transform(same), weights)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(holed), again)
    with pytest.raises(ValueError, match=r'take them as unknown by NMF\(missing="nan"\)'):
        NMF(3).fit(holed)
    with pytest.raises(ValueError, match="partial_fit needs all entries"):
        clone(fitted).partial_fit(holed)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("features", "rank"), [(7, 3), (300, 20)])
def test_a_dense_row_has_the_same_bits_alone_and_among_others(features, rank, dtype):
    """However BLAS sums on this machine, in either memory order."""
    X = np.random.default_rng(0).random((300, features)).astype(dtype)
    model = NMF(rank, random_state=0, max_iter=5, tol=0).fit(X)
    weights = model.transform(X)
    assert all(np.array_equal(model.transform(X[[i]])[0], weights[i]) for i in (0, 1, 33, 299))
    assert np.array_equal(model.transform(X[7:90]), weights[7:90])
    assert np.array_equal(model.transform(np.asfortranarray(X)), weights)
