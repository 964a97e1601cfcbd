"""Algorithms and starts side by side: each row is what the run says by itself."""

import numpy as np
import pytest

import partwise as pw
from partwise.result.coherence import mean_coherence


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


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"algorithms": ["als", "acl"]}, "did you mean"), ({"inits": []}, "at least one"), ({"most": -1}, "must be")],
)
def test_everything_is_checked_before_the_first_run(sparse, settings, sentence):
    """The call itself refuses."""
    with pytest.raises(ValueError, match=sentence):
        pw.compare_methods(sparse, 3, **settings)
