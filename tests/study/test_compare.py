"""Algorithms and starts side by side: each row is what the run says by itself."""

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.result.coherence import mean_coherence
from partwise.study.compare import COMPARED


def test_rows_are_the_runs_own_numbers(sparse):
    """Error, ratio to the SVD, KKT, sparsity and coherence as factorize gives them; rows in the order asked for."""
    rows = list(pw.compare_methods(sparse, 3, algorithms=["acls", "hals"], inits=["random", "nndsvd"], most=12))
    assert [(row.algorithm, row.init) for row in rows] == [
        ("acls", "random"), ("acls", "nndsvd"), ("hals", "random"), ("hals", "nndsvd"),
    ]  # fmt: skip
    fit = pw.factorize(sparse, 3, algorithm="hals", init="nndsvd", stop=[pw.MaxIterations(12)], svd=True)
    last = rows[-1]
    assert last.iterations <= 12
    assert last.svd_ratio == pytest.approx(last.error / pw.truncated_svd(sparse, 3).error)
    if fit.certificate.iterations == last.iterations:
        assert last.error == pytest.approx(fit.error)
        assert last.sparsity_h == pytest.approx(fit.certificate.h.sparsity_by_row)
        assert last.coherence == pytest.approx(mean_coherence(pw.as_data(sparse), fit.w))


def test_a_full_matrix_has_no_coherence():
    """Every term is in every document, so there is nothing to say; and JSON has no NaN."""
    full = np.random.default_rng(0).random((6, 5)) + 1
    (row,) = pw.compare_methods(full, 2, algorithms=["als"], inits=["random"])
    assert row.coherence is None
    assert row.as_dict()["coherence"] is None


def test_unknown_entries_and_weights():
    """What the data do not allow is left out unless it is named; errors are those of factorize."""
    ratings = sp.random_array((30, 20), density=0.4, rng=np.random.default_rng(0), format="csr")
    rows = list(pw.compare_methods(ratings, 2, missing="zeros", most=5))
    assert {"hals", "anls", "als-hals"} <= {row.algorithm for row in rows} <= set(COMPARED) - {"multiplicative"}
    assert {(row.init, row.svd_ratio, row.coherence) for row in rows} == {("random", None, None)}
    stop = pw.MaxIterations(5)
    fit = pw.factorize(ratings, 2, missing="zeros", algorithm="hals", init="random", stop=stop)
    assert next(row.error for row in rows if row.algorithm == "hals") == pytest.approx(fit.error)
    with pytest.raises(ValueError, match="one gram for all rows"):
        pw.compare_methods(ratings, 2, missing="zeros", algorithms=["multiplicative"])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"algorithms": ["als", "acl"]}, "did you mean"), ({"inits": []}, "at least one"), ({"most": -1}, "must be")],
)
def test_everything_is_checked_before_the_first_run(sparse, settings, sentence):
    """The call itself refuses."""
    with pytest.raises(ValueError, match=sentence):
        pw.compare_methods(sparse, 3, **settings)
