"""Whatever NMF refuses, it says in the words of its own user: one sentence, before any work."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import partwise as pw
from partwise import NMF

X = np.random.default_rng(0).random((10, 6))
W, H = np.random.default_rng(1).random((10, 3)), np.random.default_rng(2).random((3, 6))
ENGINE = r"\brank\b|λ|MaxIterations|Frobenius\(|lam_|l1_w|_w\b|\bthe matrix A\b"
"""Words of the engine, which somebody who knows scikit-learn never met."""


def with_entry(value: float) -> np.ndarray:
    """X with another entry at row 4, column 2."""
    changed = X.copy()
    changed[4, 2] = value
    return changed


def out_of_range() -> sp.csr_matrix:
    """A sparse matrix with a column that is not there."""
    broken = sp.csr_matrix(X)
    broken.indices[3] = 99
    return broken


SETTINGS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"n_components": 0}, ValueError, "n_components must be at least 1, not 0"),
    ({"n_components": 2.5}, TypeError, "n_components must be a whole number, .auto. or None, not 2.5"),
    ({"n_components": "mle"}, ValueError, "n_components must be"),
    ({"n_components": True}, TypeError, "n_components must be"),
    ({"tol": -1}, ValueError, "tol must be a finite number"),
    ({"tol": np.inf}, ValueError, "tol must be a finite number"),
    ({"tol": None}, ValueError, "tol must be a finite number"),
    ({"max_iter": 0}, ValueError, "max_iter must be a whole number of at least 1, not 0"),
    ({"max_iter": 2.5}, ValueError, "max_iter must be a whole number"),
    ({"solver": "CD"}, ValueError, "There is no solver 'CD'; did you mean 'cd'"),
    ({"solver": "newton"}, ValueError, "There is no solver 'newton'"),
    ({"solver": 3}, TypeError, "solver must be a name or an algorithm such as"),
    ({"solver": "cd", "algorithm": "hals"}, ValueError, "solver='cd' and algorithm='hals' name the same thing"),
    ({"solver": "cd", "beta_loss": 1}, ValueError, "solver 'cd' does not handle beta_loss = 1; use solver='mu'"),
    ({"solver": "hals", "beta_loss": "kullback-leibler"}, ValueError, "solver 'hals' does not handle beta_loss"),
    ({"algorithm": "kl-sweeps", "beta_loss": 2}, ValueError, "algorithm 'kl-sweeps' does not handle beta_loss = 2"),
    ({"beta_loss": "huber"}, ValueError, "beta_loss='huber' is not one of the losses"),
    ({"beta_loss": np.nan}, ValueError, "beta_loss must be a finite number"),
    ({"alpha_W": -1}, ValueError, "alpha_W must be a finite number"),
    ({"alpha_H": "both"}, ValueError, "alpha_H must be a finite number ≥ 0 or .same., not 'both'"),
    ({"l1_ratio": 2}, ValueError, r"l1_ratio must be a finite number in \[0, 1\], not 2"),
    ({"beta_loss": 1, "alpha_W": 0.1}, ValueError, "takes L1 penalties alone; set l1_ratio=1"),
    ({"algorithm": "hoyer", "n_components": 1}, ValueError, "needs 2 components or more"),
    ({"init": "nndsv"}, ValueError, "did you mean 'nndsvd'"),
    ({"init": 3}, TypeError, "init must be a name, a start or an array"),
    ({"init": (H.T, W.T)}, TypeError, r"a pair goes to fit\(X, W=..., H=...\)"),
    ({"init": H}, ValueError, "init must be n_features × n_components here, 6 × 3, not 3 × 6"),
    ({"init": -H.T}, ValueError, "init must be nonnegative and finite; the entry at row 0, column 0 is negative"),
    ({"init": 0 * H.T}, ValueError, "init is full of zeros"),
    ({"init": "custom"}, ValueError, r"init='custom' needs a start: fit\(X, W=..., H=...\)"),
    ({"init": "nndsvd", "n_components": 8}, ValueError, r"n_components <= min\(n_samples, n_features\)"),
    ({"init": pw.INITS["nndsvda"](), "n_components": 8}, ValueError, r"n_components <= min\(n_samples, n_features\)"),
    ({"random_state": -1}, ValueError, "random_state must be a whole number of at least 0"),
    ({"random_state": "a"}, ValueError, "random_state must be a whole number of at least 0"),
    ({"threads": 0}, ValueError, "threads must be a whole number"),
]
SAMPLES: dict[str, tuple[Any, type[Exception], str]] = {
    "negative": (with_entry(-0.5), ValueError, "Negative values in data passed to NMF: X has -0.5 at row 4, column 2"),
    "NaN": (with_entry(np.nan), ValueError, "X contains NaN, first at row 4, column 2; .*missing="),
    "infinite": (with_entry(np.inf), ValueError, "X contains infinity, first at row 4, column 2"),
    "negative, sparse": (sp.csc_array(with_entry(-0.5)), ValueError, "row 4, column 2"),
    "NaN, sparse": (sp.csr_array(with_entry(np.nan)), ValueError, "row 4, column 2"),
    "NA": (pd.DataFrame({"a": [1, None], "b": [1, 2]}).astype("Int64"), ValueError, "NaN, first at row 1, column 0"),
    "masked": (np.ma.masked_less(X, 0.2), ValueError, "X has masked entries; .*missing="),
    "dates": (np.full((4, 3), "2020-01-01", "datetime64[D]"), TypeError, "X holds dates or times"),
    "durations": (np.ones((4, 3), "timedelta64[s]"), TypeError, "X holds dates or times"),
    "dates in a frame": (
        pd.DataFrame({"day": pd.date_range("2020", periods=4), "b": range(4)}),
        TypeError,
        "X's column 'day' holds dates",
    ),
    "dates in polars": (
        pl.DataFrame({"b": [1, 2], "day": ["2020-01-01", "2020-01-02"]}).with_columns(pl.col("day").str.to_date()),
        TypeError,
        "X's column 'day' holds dates",
    ),
    "text": (np.array([["a", "b"], ["c", "d"]]), ValueError, "there is the text 'a'; .*TfidfVectorizer"),
    "long text": (np.array([["a" * 10**5, "b"]]), ValueError, "there is the text 'a{59}…; .*TfidfVectorizer"),
    "text in a frame": (pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}), ValueError, "there is the text 'x'"),
    "complex": (X + 1j, ValueError, "Complex data not supported: X must hold real numbers"),
    "complex, sparse": (sp.csr_array(X + 1j), ValueError, "Complex data not supported"),
    "malformed": (out_of_range(), ValueError, "column index 99 outside its 6 columns"),
    "ragged": ([[1, 2], [3]], ValueError, "rows of one length"),
    "huge": ([[10**400, 1], [1, 1]], ValueError, "too large for a float"),
    "beyond": (X * 1e200, ValueError, "squares leave the range of numbers"),
}
STARTS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "W turned": (
        {"W": W.T, "H": H},
        ValueError,
        "input W.: it must be n_samples × n_components, here 10 × 3, not 3 × 10",
    ),
    "H turned": (
        {"W": W, "H": H.T},
        ValueError,
        "input H.: it must be n_components × n_features, here 3 × 6, not 6 × 3",
    ),
    "H of other n_components": ({"H": H[:2]}, ValueError, "here 3 × 6, not 2 × 6"),
    "W negative": ({"W": -W}, ValueError, "Negative values in data passed to NMF .input W.: .* at row 0, column 0"),
    "H NaN": ({"H": H * np.nan}, ValueError, "H .input of NMF. must be nonnegative and finite; .* is NaN"),
    "W of zeros": ({"W": 0 * W}, ValueError, "input W. is full of zeros"),
    "W masked": ({"W": np.ma.masked_less(W, 0.5)}, ValueError, "W .input of NMF. has masked entries"),
    "H complex": ({"H": H + 1j}, TypeError, "H .input of NMF. holds complex numbers"),
    "H single": ({"H": H.astype("f4")}, TypeError, "H and W should have the same dtype as X, which is float64"),
}
CALLS: dict[str, tuple[Any, type[Exception], str]] = {
    "Poisson stream": (lambda: NMF(3, beta_loss=1).partial_fit(X), ValueError, "partial_fit needs .*beta_loss='frob"),
    "forgetting": (
        lambda: NMF(3, forget_factor=0).partial_fit(X),
        ValueError,
        r"forget_factor must be .*or .auto., not 0",
    ),
    "stream from nndsvd": (lambda: NMF(3, init="nndsvd").partial_fit(X[:2]), ValueError, "n_components <= min"),
    "other features": (lambda: NMF(2, tol=0, max_iter=2).fit(X).transform(X[:, :4]), ValueError, "X has 4 features"),
    "other weights": (
        lambda: NMF(2, tol=0, max_iter=2).fit(X).inverse_transform(W),
        ValueError,
        "X must have 2 columns, one for each component, not 3",
    ),
    "score of zeros": (lambda: NMF(2, tol=0, max_iter=2).fit(X).score(0 * X), ValueError, "X is all zero"),
    "zeros for β = 0": (lambda: NMF(2, beta_loss=0).fit(X.round()), ValueError, "infinite where an entry is 0"),
}


def refused(call: Any, kind: type[Exception], words: str) -> None:
    """One sentence of this kind with these words, none of them the engine's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kind) as caught:
            call()
    message = str(caught.value)
    assert type(caught.value) is kind
    assert re.search(words, message), message
    assert not re.search(ENGINE, message), message
    assert message.endswith((".", "?"))
    assert "\n" not in message


@pytest.mark.parametrize(("settings", "kind", "words"), SETTINGS, ids=lambda value: str(value)[:40])
def test_settings(settings: dict[str, Any], kind: type[Exception], words: str) -> None:
    """Every parameter that cannot be."""
    refused(lambda: NMF(**{"n_components": 3, "random_state": 0} | settings).fit(X), kind, words)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str) -> None:
    """Every X that cannot be, at a fit, and at a stream's first batch."""
    samples, kind, words = SAMPLES[name]
    refused(lambda: NMF(2).fit(samples), kind, words)
    refused(lambda: NMF(2).partial_fit(samples), kind, words)


@pytest.mark.parametrize("name", STARTS)
def test_starts(name: str) -> None:
    """Every W and H that cannot be, their sides as scikit-learn has them."""
    given, kind, words = STARTS[name]
    refused(lambda: NMF(3, init="custom").fit(X, **given), kind, words)


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    """What the other methods refuse."""
    refused(*CALLS[name])


def test_following_the_convergence_warning_helps() -> None:
    """The max_iter that the warning names is enough here, and the fit is better; so is a larger tol."""
    samples = np.random.default_rng(0).random((40, 30))
    with pytest.warns(ConvergenceWarning, match="Maximum number of iterations 12 reached") as caught:
        short = NMF(5, random_state=0, max_iter=12, tol=1e-5).fit(samples)
    advice = re.search(r"e\.g\. max_iter=(\d+)", str(caught[0].message))
    assert advice is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        longer = NMF(5, random_state=0, max_iter=int(advice[1]), tol=1e-5).fit(samples)
        NMF(5, random_state=0, max_iter=12, tol=0.5).fit(samples)
    assert longer.reconstruction_err_ < short.reconstruction_err_


def test_penalties_that_leave_nothing() -> None:
    """The warning names scikit-learn's parameters."""
    with pytest.warns(RuntimeWarning, match="alpha_W and alpha_H are too strong for X"):
        NMF(3, alpha_W=100, random_state=0).fit(X)
