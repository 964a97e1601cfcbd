"""Starts that run the engine first: sample, on some of the columns, and svd-best, the default's own."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition

import partwise as pw
from partwise.data.as_data import as_data
from partwise.data.dense import DenseData
from partwise.engine import warm_start
from partwise.engine.warm_start import Sample
from partwise.inits.columns import RandomColumns
from partwise.threads.pool import Workers


def start(init, matrix, rank, seed=0):
    with Workers(2) as workers:
        w = init(as_data(matrix), rank, np.random.default_rng(seed), workers)
    return w.toarray() if sp.issparse(w) else w


def planted(m=150, n=800, rank=4, seed=0):
    """Topics of their own rows and a little noise; every fifth column is zero."""
    rng = np.random.default_rng(seed)
    w = np.kron(np.eye(rank), np.ones((m // rank + 1, 1)))[:m] * rng.random((m, 1))
    matrix = w @ rng.dirichlet(np.full(rank, 0.2), n).T + 0.01 * rng.random((m, n))
    matrix[:, ::5] = 0
    return matrix


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("size", "rows"), [(32, 128), (128, 150)])
def test_it_is_a_run_on_a_part_that_the_seed_draws(form, size, rows):
    """Columns that are not zero, and of those the longest rows: als-hals from random-acol, then a half-step for W."""
    matrix, rng = planted(), np.random.default_rng(3)
    drawn = np.sort(rng.choice(np.flatnonzero(matrix.any(axis=0)), min(4 * size, 160), replace=False))
    some = matrix[:, drawn]
    longest = sorted(sorted(range(150), key=lambda i: -float(some[i] @ some[i]))[:rows])
    rules = [pw.Frobenius(change=2e-4), pw.MaxIterations(100)]
    seed = int(rng.integers(2**32))
    run = pw.factorize(form(some[longest]), 4, init="random-acol", seed=seed, stop=rules, keep="last")
    h = run.H.T
    wanted = pw.als_hals().w.update(h.T @ h, some @ h, np.zeros((150, 4)))
    np.testing.assert_allclose(start(Sample(size), form(matrix), 4, seed=3), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("size", "drawn"), [(32, 128), (36, 144), (1000, 160)])
def test_columns_for_each_topic(size, drawn, monkeypatch):
    """So many are drawn, and never more than a quarter of those that are not zero."""
    seen, some = [], DenseData.some
    monkeypatch.setattr(DenseData, "some", lambda data, rows, workers: seen.append(rows) or some(data, rows, workers))
    start(Sample(size), planted(), 4)
    assert len(set(seen[0].tolist())) == drawn


def test_small_data_are_not_sampled():
    """Under 32 columns for each topic in a quarter of them it is random-acol, and the lead goes before."""
    matrix = planted(n=635)
    assert np.array_equal(start(Sample(), matrix, 4), start(RandomColumns(), matrix, 4))
    sampled, plain = (
        pw.factorize(matrix, 4, init=name, stop=pw.MaxIterations(6)) for name in ("sample", "random-acol")
    )
    assert np.array_equal(sampled.W, plain.W)


def test_the_run_goes_on_without_the_lead():
    """From a sample the first iteration is the algorithm's own: the steps are those from its pair (W, H)."""
    steps = pw.iterate(planted(), 4)
    first = next(steps)
    pair = pw.iterate(planted(), 4, init=(first.w, first.h.T))
    next(pair)
    for _ in range(4):
        one, other = next(steps), next(pair)
        np.testing.assert_allclose(one.w, other.w, rtol=1e-10)
    clipped = pw.iterate(planted(), 4, init=first.w)
    next(clipped)
    assert not np.allclose(next(clipped).w, next(pw.iterate(planted(), 4, init=(first.w, first.h.T))).w)


def test_whose_start_it_is():
    """als-hals's own, and nobody's in a race or where another is given."""
    matrix, once = planted(), pw.MaxIterations(1)

    def name(**settings):
        return pw.factorize(matrix, 4, stop=once, **settings).certificate.start.init

    assert name() == "svd-best"
    assert name(algorithm="acls") == "random-acol"
    assert name(restarts=2) == "random-acol"
    assert name(restarts=2, init="sample") == "sample"
    assert name(init="spa") == "spa"


def test_it_begins_near_the_end():
    """Step 0 is nearer to the end than that of random-acol is after its lead."""
    matrix = planted(400, 3000, 10)
    end = pw.factorize(matrix, 10).error
    sampled = next(pw.iterate(matrix, 10, init="sample")).error
    plain = [step.error for step, _ in zip(pw.iterate(matrix, 10, init="random-acol"), range(4), strict=False)]
    assert end <= sampled < min(plain)


@pytest.mark.parametrize("size", [0, -3, 2.5, True, "many"])
def test_bad_settings(size):
    """One sentence, before any work."""
    with pytest.raises(ValueError, match="whole number"):
        Sample(size)


def test_a_sample_stays_small():
    """It is in memory wherever A is: long columns give fewer of them, or none, and the plan knows."""
    assert Sample()._columns(10, 10**6, 10**8) == 1280
    assert Sample()._columns(10, 4000, 10**6) == 1000
    assert Sample()._columns(10, 10**6, 10**11) == 83
    assert Sample()._columns(10, 100, 10**12) == 0
    wide, told = (10**5, 4000), {"nnz": 10**8}
    sampled, plain = (pw.plan(wide, 2, init=init, **told).factors for init in (None, "random-acol"))
    assert plain < sampled <= 4 * 12 * 2**23


def pair(matrix, rank, **settings):
    """W and H of svd-best."""
    with Workers(1) as workers:
        return warm_start.SVDBest(**settings).pair(as_data(matrix), rank, np.random.default_rng(0), workers)


def error(matrix, w, h):
    return np.linalg.norm(matrix - w @ h.T) / np.linalg.norm(matrix)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1, 300])
def test_svd_best_is_on_the_path_of_scikit_learn(form, scale, monkeypatch):
    """With its seed the pair is its own after as many iterations; heavy data are sampled.

    At the larger scale the fill drowns the start and components die on one side, from which the other one brings them
    back. A feature without entries is 0 at once here.
    """
    matrix = scale * planted(90, 70, 6)
    w, h = pair(form(matrix), 6, random_state=4)
    errors = []
    for count in range(1, 21):
        model = sklearn.decomposition.NMF(6, random_state=4, tol=0, max_iter=count)
        weights = model.fit_transform(matrix.T)
        errors.append(error(matrix, model.components_.T, weights))
        if count > 1 and errors[-2] - errors[-1] <= 1e-4 * errors[-2]:
            break
    np.testing.assert_allclose(w, model.components_.T, rtol=1e-6, atol=1e-8 * np.sqrt(scale))
    np.testing.assert_allclose(h, weights, rtol=1e-6, atol=1e-8 * np.sqrt(scale))
    monkeypatch.setattr(warm_start, "HEAVY", 0)
    assert pair(matrix, 6)[1] is None


def test_the_seed_of_the_estimator_is_that_of_the_start():
    """NMF takes scikit-learn's numbers for the seed, factorize its own, free of the units."""
    matrix = planted(60, 50, 4)
    model = pw.NMF(4, random_state=7, max_iter=3, tol=0).fit(matrix.T)
    named = pw.factorize(matrix, 4, init=warm_start.SVDBest(random_state=7), seed=0, stop=pw.MaxIterations(3))
    assert np.array_equal(model.components_.T, named.W)
    assert model.certificate_.start.init == "svd-best"
    with pytest.raises(ValueError, match="random_state"):
        warm_start.SVDBest(random_state=-1)


def test_a_larger_rank_than_sides_and_a_rank_deficient_matrix():
    """Neither fails; the first is random-acol with its lead."""
    matrix = planted(40, 5, 3)
    assert not warm_start.SVDBest().warm(as_data(matrix), 7)
    assert pw.NMF(7, random_state=0).fit(matrix.T).reconstruction_err_ < 1e-2 * np.linalg.norm(matrix)
    low = np.outer(np.arange(1.0, 31), np.arange(1.0, 21))
    assert pw.factorize(low, 4).error < 1e-4


def test_the_default_takes_the_same_path_in_other_units():
    """A → 1024 A: the same iterations and the same error, to the bit."""
    matrix = planted(60, 50, 4)
    one, other = pw.factorize(matrix, 4), pw.factorize(1024 * matrix, 4)
    assert one.history.error.tolist() == other.history.error.tolist()


def test_a_smaller_tolerance_never_makes_fewer_iterations():
    """Down to 0, which makes them all; the residual is what was asked for."""
    matrix = np.abs(np.random.default_rng(1).standard_normal((80, 60)))
    fits = [pw.NMF(5, tol=tol, max_iter=120, random_state=0).fit(matrix) for tol in (1e-1, 1e-3, 1e-4, 1e-6, 0)]
    counts = [fit.n_iter_ for fit in fits]
    assert counts == sorted(counts)
    assert counts[-1] == 120
    assert fits[2].certificate_.kkt <= 1e-4
