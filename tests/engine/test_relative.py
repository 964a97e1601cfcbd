"""λ relative to the data: its number by hand, the same path for A and cA, kept in files; and runs that gain nothing."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw

A = planted(40, 30, 4, seed=3, noise=0.3)
METHODS = {
    "acls": pw.acls(),
    "ahcls": pw.ahcls(),
    "gdcls": pw.gdcls(),
    "anls": pw.anls(pw.relative(0.1), pw.relative(0.2)),
    "als-hals": pw.als_hals(pw.relative(0.1), pw.relative(0.2)),
    "multiplicative": pw.multiplicative(pw.relative(0.1), pw.relative(0.2)),
}


def by_hand(algorithm, w, h):
    """The same algorithm with λ in numbers: the share times the mean squared length of the other factor's columns."""
    scales = (h**2).sum() / h.shape[1], (w**2).sum() / w.shape[1]
    penalties = (
        pw.Quadratic(side.penalty.lam.share * scale if side.penalty else 0.0, side.penalty.alpha)
        for side, scale in zip(algorithm.sides, scales, strict=True)
    )
    return pw.penalised(algorithm, **dict(zip("wh", penalties, strict=True)))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_number_is_a_share_of_the_gram_at_step_0(name, kind):
    """A run with that number as λ takes the same path, objective and stationarity check included."""
    own = list(islice(pw.iterate(kind(A), 4, algorithm=METHODS[name]), 8))
    numbers = by_hand(METHODS[name], own[0].w, own[0].h)
    for ours, theirs in zip(own, pw.iterate(kind(A), 4, algorithm=numbers), strict=False):
        np.testing.assert_allclose(ours.w, theirs.w, rtol=1e-8, atol=1e-10 * theirs.w.max())
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
        assert ours.kkt == pytest.approx(theirs.kkt, rel=1e-5)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("init", ["random", "random-acol", "nndsvd", "co-occurrence"])
def test_no_scale(name, init):
    """A and cA have the same errors at every iteration, whether the start follows A's scale or not."""
    paths = [
        [step.error for step in islice(pw.iterate(c * A, 4, algorithm=METHODS[name], init=init), 9)]
        for c in (1.0, 3e5, 2.0**-40)
    ]
    np.testing.assert_allclose(paths[1], paths[0], rtol=1e-9)
    np.testing.assert_allclose(paths[2], paths[0], rtol=1e-9)


def test_a_file_has_the_number(tmp_path):
    """What was saved folds other columns in with the λ of the run, and the certificate names it."""
    fit = pw.factorize(A, 4, algorithm="acls", stop=pw.MaxIterations(9))
    fit.save(tmp_path / "fit")
    again = pw.load(tmp_path / "fit")
    assert again.algorithm == fit.algorithm
    assert again.algorithm.h.penalty.strength == pytest.approx(0.05 * fit.certificate.scales[1])
    exact = pw.factorize(
        A, 4, algorithm=pw.anls(0, fit.algorithm.h.penalty.strength), init=fit.W, stop=pw.MaxIterations(0)
    )
    np.testing.assert_allclose(again.transform(A), exact.H, rtol=1e-9, atol=1e-12)
    assert "relative(0.05)" in str(fit)


def test_a_polish_keeps_the_number():
    """The polish minimises what the run before it did."""
    first = pw.factorize(A, 4, algorithm="acls", stop=pw.MaxIterations(9))
    both = pw.factorize(A, 4, algorithm="acls", stop=pw.MaxIterations(9), polish="hals")
    assert both.certificate.scales == first.certificate.scales
    assert both.algorithm.w.penalty == first.algorithm.w.penalty
    assert both.certificate.verdict == "stationary"


def test_starts_of_a_race_have_their_own_number():
    """Each start has the λ of its own step 0, as it has alone."""
    fit = pw.factorize(A, 4, algorithm="acls", init="random", restarts=5, racing=None, stop=pw.MaxIterations(6))
    for row in fit.restarts:
        alone = pw.factorize(A, 4, algorithm="acls", init="random", seed=row.seed, stop=pw.MaxIterations(6))
        assert row.error == alone.error


def test_a_relative_share_is_checked():
    """A number, not below 0; a text says what is allowed."""
    for share in (-0.1, np.nan, "5 %"):
        with pytest.raises(ValueError, match=r"^relative\(share\) must be a finite number ≥ 0"):
            pw.relative(share)
    assert not pw.acls(pw.relative(0), pw.relative(0)).w.penalty


SPARSE = sp.random_array((200, 150), density=0.1, rng=np.random.default_rng(0)) * 0.1


def test_a_run_that_gains_nothing_says_so():
    """The start comes back: that is the reason and a warning, whatever rule ended the run."""
    good = pw.factorize(SPARSE, 5, stop=pw.MaxIterations(30))
    with pytest.warns(RuntimeWarning, match=r"^No iteration was better than the start.*iteration 5"):
        fit = pw.factorize(SPARSE, 5, algorithm=pw.ahcls(1e-4, 1e-4), init=good, stop=pw.MaxIterations(5))
    assert fit.reason is pw.Reason.NO_GAIN
    assert fit.certificate.returned == 0
    assert fit.certificate.reason == str(pw.Reason.NO_GAIN)


def test_a_run_that_ends_above_zero_says_so():
    """A matrix of zeros has the relative error 1."""
    start = np.full((200, 5), 9.0), np.full((5, 150), 9.0)
    frozen = pw.frozen("hals", w=range(4), h=range(4))
    with pytest.warns(RuntimeWarning, match=r"^The result is no better than a matrix of zeros"):
        fit = pw.factorize(SPARSE, 5, algorithm=frozen, init=start, stop=pw.MaxIterations(2))
    assert fit.reason is pw.Reason.WORTHLESS


def test_a_calm_end_stays_calm():
    """No iterations were asked for, or the run went well: nothing is added to the reason."""
    assert pw.factorize(A, 4, stop=pw.MaxIterations(0)).reason is pw.Reason.MAX_ITERATIONS
    assert pw.factorize(A, 4, algorithm="acls", stop=pw.MaxIterations(9)).reason is pw.Reason.MAX_ITERATIONS
