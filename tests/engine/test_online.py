"""Streams: sums over batches are sums over all, and an epoch with W held fixed is the loop's own half-step."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw
from partwise.data.as_data import as_data
from partwise.data.products import gram_of
from partwise.engine.half_step import Job, fold_in, half_step
from partwise.engine.online import Sums
from partwise.losses.squared import Squared
from partwise.threads.pool import Workers
from partwise.types import Factor

X = planted(90, 30, 4, seed=2, noise=0.3)
EDGES = (0, 7, 40, 41, 90)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["acls", "hals", "anls", "multiplicative", "als-hals"])
def test_an_epoch_with_w_held_fixed_is_one_half_step(name, kind, small):
    """Batches of any size, each with its weights for one W: the half-step from the sums is the loop's."""
    algorithm, rng = pw.ALGORITHMS[name]().scaled((2.0, 8.0)), np.random.default_rng(0)
    w = rng.random((30, 4)) + 0.1
    with Workers(2) as workers:
        h = fold_in(as_data(kind(X)), Squared(), algorithm, w, workers).factor.rows
        once = replace(algorithm.w, update=algorithm.w.update.single())
        job = Job(once, Factor(h, gram_of(h)), before=w)
        wanted = half_step(as_data(kind(X)).T, Squared(), job, workers).factor.rows
        sums = Sums.empty(30, 4)
        for lo, hi in pairwise(EDGES):
            batch = as_data(kind(X[lo:hi]))
            weights = fold_in(batch, Squared(), algorithm, w, workers).factor
            sums = sums.add(batch.T, weights, workers)
    assert sums.samples == 90
    assert np.allclose(sums.half_step(algorithm.w, w), wanted, rtol=1e-10, atol=1e-12)


def test_one_batch_is_one_iteration_of_anls():
    """With exact rows, the first call of partial_fit is the first iteration of the loop."""
    steps = pw.iterate(X.T, 4, algorithm="anls", init="random", seed=3)
    w = [next(steps).w for _ in range(2)][1]
    model = pw.NMF(4, algorithm="anls", init="random", random_state=3).partial_fit(X)
    assert np.allclose(model.components_, w.T, rtol=1e-10, atol=1e-12)


def test_forgetting():
    """What came before counts by the factor, batch for batch."""
    with Workers(1) as workers:
        ones, data = np.ones((90, 4)), as_data(X).T
        h = Factor(ones, ones.T @ ones)
        once = Sums.empty(30, 4).add(data, h, workers)
        twice = once.add(data, h, workers, 0.5)
    assert np.allclose(twice.gram, 1.5 * once.gram)
    assert np.allclose(twice.rhs, 1.5 * once.rhs)


def test_a_stream_comes_near_the_fit():
    """Some epochs of batches explain nearly what a fit of all samples does."""
    model = pw.NMF(4, random_state=0, forget_factor=0.7)
    for _ in range(15):
        for lo in range(0, 90, 30):
            model.partial_fit(X[lo : lo + 30])
    whole = pw.NMF(4, random_state=0).fit(X)
    assert model.n_samples_seen_ == 15 * 90
    assert model.transform(X).shape == (90, 4)
    assert 1 - model.score(X) <= 1.1 * (1 - whole.score(X))


def test_a_fit_goes_on_with_what_it_has_seen():
    """One further sample hardly moves the components of a fit."""
    model = pw.NMF(4, random_state=0).fit(X)
    before = model.components_.copy()
    model.partial_fit(X[:1])
    assert model.n_samples_seen_ == 91
    assert np.linalg.norm(model.components_ - before) < 0.1 * np.linalg.norm(before)
    assert model.fit(X).n_samples_seen_ == 90


@pytest.mark.parametrize("factor", [0, -1, 1.5, "1", None])
def test_bad_forgetting_is_refused(factor):
    """The factor is in (0, 1]."""
    with pytest.raises(ValueError, match=r"forget_factor must be a finite number in \(0, 1\]"):
        pw.NMF(2, forget_factor=factor).partial_fit(X)


def test_a_first_batch_of_any_size():
    """A stream may begin with fewer samples than components, even with one or with zeros, and gets better."""
    for first in (X[:3], X[:1], 0 * X[:2]):
        model = pw.NMF(4, random_state=0).partial_fit(first)
        for lo in range(3, 90, 29):
            model.partial_fit(X[lo : lo + 29])
        assert model.components_.shape == (4, 30)
        assert model.score(X) > 0.6


def test_a_stream_from_given_factors():
    """W and H of the first batch are its start; the batch's own error is told."""
    whole = pw.NMF(4, random_state=0).fit(X)
    model = pw.NMF(4, init="custom").partial_fit(X[:50], H=whole.components_)
    weights = whole.transform(X[:50])
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X[:50] - weights @ whole.components_), rel=1e-9)
    other = pw.NMF(init="custom").partial_fit(X[:50], W=weights)
    assert other.n_components_ == 4
