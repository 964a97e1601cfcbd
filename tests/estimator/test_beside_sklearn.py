"""Where scikit-learn's NMF has a manner of its own at the edges, ours has the same."""

import inspect
import pickle
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import NMF as SklearnNMF
from sklearn.decomposition import MiniBatchNMF
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline

from partwise import NMF

ROOT = Path(__file__).parents[2]
X = np.random.default_rng(0).random((12, 5))
BOTH = pytest.mark.parametrize("kind", [NMF, SklearnNMF], ids=["ours", "theirs"])
QUICK = {"random_state": 0, "tol": 0, "max_iter": 20}


def test_the_constructor() -> None:
    """Every parameter of scikit-learn's is one of ours, with its default but for two; the page has them all."""
    there, here = (inspect.signature(kind).parameters for kind in (SklearnNMF, NMF))
    assert set(there) <= set(here)
    assert {name for name in there if there[name].default != here[name].default} == {"solver", "max_iter"}
    page = (ROOT / "docs" / "coming-from-scikit-learn.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in {*there, *here, *inspect.signature(MiniBatchNMF).parameters})


@BOTH
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_all_zero(kind: Any, make: Any) -> None:
    """X without an entry is fitted by zeros, from a random start, and gives zeros back."""
    model = kind(2, init="random", random_state=0)
    weights = model.fit_transform(make(np.zeros((6, 4))))
    assert not (weights @ model.components_).any()
    assert model.reconstruction_err_ == 0


@BOTH
def test_one_row(kind: Any) -> None:
    """A single sample is fitted exactly, with one component or more than there are rows."""
    for rank in (1, 3):
        model = kind(rank, init="random", random_state=0, max_iter=1000)
        weights = model.fit_transform(X[:1])
        assert weights.shape == (1, rank)
        np.testing.assert_allclose(weights @ model.components_, X[:1], rtol=0.02)


@BOTH
@pytest.mark.parametrize("init", [None, "random", "nndsvd", "nndsvda", "nndsvdar"])
def test_more_components_than_a_side(kind: Any, init: str | None) -> None:
    """It is fitted from a random start, which None then is; the SVD's starts are refused."""
    model = kind(8, init=init, random_state=0, max_iter=500, tol=1e-3)
    if init in (None, "random"):
        assert model.fit(X).components_.shape == (8, 5)
        return
    with pytest.raises(ValueError, match=r"can only be used when n_components <= min\(n_samples, n_features\)"):
        model.fit(X)


@pytest.mark.parametrize("kind", [NMF, MiniBatchNMF], ids=["ours", "theirs"])
def test_a_first_batch_smaller_than_the_components(kind: Any) -> None:
    """From a random start the stream goes on, with W and H of the first batch where they are given."""
    model = kind(4, init="random", random_state=0).partial_fit(X[:2])
    for lo in range(2, 12, 5):
        model.partial_fit(X[lo : lo + 5])
    assert model.components_.shape == (4, 5)
    assert model.transform(X).shape == (12, 4)
    start = np.random.default_rng(1).random((4, 5))
    given = kind(4, init="custom").partial_fit(X[:2], W=np.ones((2, 4)), H=start)
    assert given.components_.shape == (4, 5)


FITTED: dict[str, Any] = {
    "penalised": lambda kind: kind(3, alpha_W=0.01, l1_ratio=0.5, **QUICK).fit(X),
    "custom start": lambda kind: kind(3, init="custom", **QUICK).fit(X, W=np.ones((12, 3)), H=X[:3].copy()),
    "Poisson": lambda kind: kind(3, beta_loss="kullback-leibler", solver="mu", **QUICK).fit(X),
    "feature names": lambda kind: kind(3, **QUICK).fit(pd.DataFrame(X, columns=[f"word {j}" for j in range(5)])),
    "default": lambda kind: kind(3, **QUICK).fit(X),
}


@pytest.mark.parametrize("what", FITTED)
def test_skops(what: str) -> None:
    """A fitted model comes back from skops with the estimator's own type to trust, and no other."""
    skops = pytest.importorskip("skops.io")
    samples = pd.DataFrame(X, columns=[f"word {j}" for j in range(5)]) if what == "feature names" else X
    for model in (FITTED[what](NMF), *([FITTED[what](NMF).partial_fit(samples)] if what != "Poisson" else [])):
        content = skops.dumps(model)
        assert set(skops.get_untrusted_types(data=content)) <= {"partwise.estimator.nmf.NMF"}
        again = skops.loads(content, trusted=["partwise.estimator.nmf.NMF"])
        np.testing.assert_array_equal(again.transform(samples), model.transform(samples))


@pytest.mark.parametrize("what", FITTED)
def test_pickles_are_small(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1.2 times scikit-learn's for a model of some size, whatever was asked for."""
    wide = np.random.default_rng(0).random((12, 400))
    monkeypatch.setitem(globals(), "X", wide)
    made = (
        FITTED[what]
        if what != "feature names"
        else lambda kind: kind(3, **QUICK).fit(pd.DataFrame(wide).add_prefix("w"))
    )
    ours, theirs = (len(pickle.dumps(made(kind))) for kind in (NMF, SklearnNMF))
    assert ours <= 1.2 * theirs
    batch = {"random_state": 0, "n_components": 3}
    ours, theirs = (len(pickle.dumps(kind(**batch).partial_fit(wide))) for kind in (NMF, MiniBatchNMF))
    assert ours <= 1.2 * theirs


def test_company() -> None:
    """Unions, cross-validation, clones and the notebook's picture."""
    union = FeatureUnion([("few", NMF(2, **QUICK)), ("more", NMF(4, **QUICK))])
    assert union.fit_transform(X).shape == (12, 6)
    assert list(union.get_feature_names_out()) == [
        *(f"few__nmf{j}" for j in range(2)),
        *(f"more__nmf{j}" for j in range(4)),
    ]
    assert (cross_val_score(NMF(2, **QUICK), X, cv=3) > 0.5).all()
    pipe = make_pipeline(NMF(2, **QUICK))
    assert clone(pipe).set_params(nmf__n_components=3).fit_transform(X).shape == (12, 3)
    assert "NMF" in pipe.fit(X)._repr_html_()


@pytest.mark.parametrize("name", ["topics_extraction", "faces_decomposition", "digits_grid_search"])
def test_the_gallery(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An example runs without a warning, prints its result, and differs from scikit-learn's by one import line."""
    path = ROOT / "examples" / f"{name}.py"
    source = path.read_text(encoding="utf-8")
    assert source.count("from partwise import NMF\n") == 1
    compile(source.replace("from partwise import NMF\n", "from sklearn.decomposition import NMF\n"), path, "exec")
    runpy.run_path(str(path), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 8
