"""The loop: what a step is, dead topics, collapse, momentum, the error near an exact fit."""

from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted
from takes import skip_unless_taken

import partwise as pw
from partwise.data.as_data import as_data
from partwise.data.products import product
from partwise.engine import driver
from partwise.engine.call import as_problem
from partwise.engine.driver import advance
from partwise.engine.problem import Clock
from partwise.engine.run import Run
from partwise.threads.pool import Workers

FAST = [name for name in pw.ALGORITHMS if name != "alp"]


def take(count, *args, **settings):
    return list(islice(pw.iterate(*args, **settings), count))


@pytest.mark.parametrize("name", pw.ALGORITHMS)
def test_a_step_is_never_written_again(name, small):
    """Steps hold what they held when they were given, and everything in them is finite and ≥ 0."""
    steps = pw.iterate(small, 3, algorithm=name)
    seen = [(step, step.w.copy(), step.h.copy()) for step in islice(steps, 6)]
    for number, (step, w, h) in enumerate(seen):
        assert step.iteration == number
        assert np.array_equal(step.w, w)
        assert np.array_equal(step.h, h)
        assert np.all(np.isfinite(w) & (w >= 0))
        assert np.all(np.isfinite(h) & (h >= 0))


def test_the_clock_of_a_resumed_run_goes_on():
    """It begins where the run before it ended."""
    assert Clock(passed=1000.0).seconds >= 1000


def test_the_seconds_that_an_iteration_has():
    """Those to the limit that is asked after it, less what has passed; none where no limit is asked then."""
    run = SimpleNamespace(
        rules=[pw.TimeLimit(10, burn_in=3)], iterations=2, problem=SimpleNamespace(clock=SimpleNamespace(seconds=4.0))
    )
    assert driver._left(run) == 6
    run.iterations = 1
    assert driver._left(run) == np.inf


def test_an_interrupt_leaves_the_runs_that_have_ended(small):
    """Ctrl-C after two iterations: the run of one iteration keeps its reason, the other one was interrupted."""
    problem = as_problem(small, 3, "hals", "random", 1)
    runs = [Run(problem, seed, (pw.MaxIterations(count),), "last") for seed, count in enumerate((9, 1))]

    def tick():
        if runs[0].iterations == 2:
            raise KeyboardInterrupt

    assert not driver.drain(runs, tick=tick)
    assert [run.reason for run in runs] == [pw.Reason.INTERRUPTED, pw.Reason.MAX_ITERATIONS]


def divergence(a, y):
    """Σ a log(a/y) − a + y."""
    return (a[a > 0] * np.log(a[a > 0] / y[a > 0])).sum() - a.sum() + y.sum()


def beta_divergence(a, y):
    """The β-divergence for β = 1.5."""
    return ((a**1.5 + 0.5 * y**1.5 - 1.5 * a * y**0.5) / 0.75).sum()


def direct_error(name, a, y):
    """‖A − Y‖/‖A‖, or √(D/D₀) with D₀ of the rank-1 model for the Poisson likelihood, of the mean for β."""
    if pw.ALGORITHMS[name]().loss == "poisson":
        rank1 = np.outer(a.sum(axis=1), a.sum(axis=0)) / a.sum()
        return np.sqrt(divergence(a, y) / divergence(a, rank1))
    if pw.ALGORITHMS[name]().loss == "beta=1.5":
        return np.sqrt(beta_divergence(a, y) / beta_divergence(a, np.full(a.shape, a.mean())))
    return np.linalg.norm(a - y) / np.linalg.norm(a)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_error_is_the_direct_one(name, dtype, kind, small):
    """The trace form agrees with the error of the returned arrays, computed entry by entry in float64."""
    a = small.astype(dtype)
    skip_unless_taken(name, kind(a))
    for step in take(6, kind(a), 3, algorithm=name):
        direct = direct_error(name, a.astype(float), step.w.astype(float) @ step.h.T)
        assert step.error == pytest.approx(direct, rel=1e-9 if dtype == np.float64 else 1e-4)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_error_near_an_exact_fit(kind, dtype):
    """Where the trace form has cancelled, the error is still the direct one; it is never NaN or negative."""
    a = planted(25, 20, 3, noise=0).astype(dtype)
    smallest = 1.0
    for step in take(80, kind(a), 3, algorithm="anls"):
        direct = np.linalg.norm(a - step.w.astype(float) @ step.h.T.astype(float)) / np.linalg.norm(a.astype(float))
        assert step.error == pytest.approx(direct, rel=1e-3, abs=1e-15)
        smallest = min(smallest, step.error)
    assert smallest < (1e-5 if dtype == np.float64 else 1e-3)


class Counting:
    """A matrix that counts its products."""

    def __init__(self, data, count=None):
        self.data, self.count = data, count if count is not None else [0]
        self.shape, self.dtype, self.rows = data.shape, data.dtype, data.rows

    @property
    def T(self):
        return Counting(self.data.T, self.count)

    def product(self, lo, hi, factor, out):
        self.count[0] += lo == 0
        self.data.product(lo, hi, factor, out)


def products(algorithm, iterations, a, check=()):
    """How many products with A or Aᵀ a run makes, with a stationarity check at some iterations."""
    data = Counting(as_data(a))
    for step in islice(pw.iterate(data, 3, algorithm=algorithm, init="random", threads=1), iterations + 1):
        if step.iteration in check:
            assert step.kkt > 0
    return data.count[0]


def test_the_first_half_step_is_not_made_twice(small):
    """ACLS makes 2 products an iteration and none for H⁽¹⁾, which is H⁽⁰⁾; HALS makes its own H⁽¹⁾
    from the product of H⁽⁰⁾."""
    assert products("acls", 5, small) == 10
    assert products("hals", 5, small) == 10


def test_a_stationarity_check_costs_one_more_product(small):
    """Of the two products of a check the next iteration uses one again."""
    assert products("hals", 6, small, check=[3]) == products("hals", 6, small) + 1


@pytest.mark.parametrize("name", ["acls", "hals", "anls", "als-hals", "multiplicative"])
def test_dead_topics_are_reseeded(name):
    """A topic that starts at zero comes back as a worst-fitted column, is counted, and helps; told not to, it stays."""
    a = planted(40, 30, 4, seed=2)
    start = np.random.default_rng(0).random((40, 4))
    start[:, 1] = 0
    alive = pw.factorize(a, 4, algorithm=name, init=start, stop=pw.MaxIterations(60))
    dead = pw.factorize(a, 4, algorithm=name, init=start, stop=pw.MaxIterations(60), reseed=False)
    assert alive.certificate.reseeded == 1
    assert alive.certificate.dead_topics == ()
    assert dead.certificate.reseeded == 0
    assert dead.certificate.dead_topics == (1,)
    assert np.all(np.isfinite(dead.W))
    assert alive.error < dead.error


def test_reseeding_does_not_move_the_error():
    """The new column of W comes with a zero row of H, and distinct columns are used, at most k of them."""
    from partwise.engine.reseeding import reseed_dead

    a = planted(20, 15, 4)
    w = np.random.default_rng(0).random((20, 4))
    w[:, :2] = 0
    step = take(1, a, 4, init=w, algorithm="acls")[0]
    mended = reseed_dead(as_problem(a, 4, "acls", w, 1), step, zero_floor=0.0)
    assert np.linalg.norm(a - mended.w @ mended.h.T) == pytest.approx(np.linalg.norm(a - step.w @ step.h.T), rel=1e-12)
    gaps = ((a - step.w @ step.h.T) ** 2).sum(axis=0)
    assert sorted(mended.reseeded) == sorted(np.argsort(-gaps)[:2])
    for topic, column in zip((0, 1), mended.reseeded, strict=True):
        length = np.linalg.norm(step.w[:, 2:], axis=0).mean()
        np.testing.assert_allclose(mended.w[:, topic], a[:, column] * length / np.linalg.norm(a[:, column]))
    again = reseed_dead(as_problem(a, 4, "acls", w, 1), replace(step, reseeded=mended.reseeded), zero_floor=0.0)
    assert again.reseeded == (*mended.reseeded, *np.argsort(-gaps)[2:4])
    spent = replace(step, reseeded=tuple(range(4)))
    assert reseed_dead(as_problem(a, 4, "acls", w, 1), spent, zero_floor=0.0) is spent


@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_a_component_is_dead_where_it_is_nothing_beside_rounding(scale):
    """‖w_c‖ ‖h_c‖ of half and of twice the rounding of ‖A‖, in any units."""
    from partwise.engine.reseeding import dead_components

    eps = np.finfo(float).eps
    sizes = np.array([1.0, eps / 2, 2 * eps, 0.0])
    gram_w, gram_h = np.diag(sizes * scale), np.diag(sizes * scale)
    assert dead_components(gram_w, gram_h, scale**2).tolist() == [1, 3]


def test_more_topics_than_parts_near_an_exact_fit():
    """A rank-1 matrix at rank 4 ends with dead topics left alone and no NaN."""
    a = np.outer(np.arange(1.0, 13), np.arange(1.0, 10))
    fit = pw.factorize(a, 4, algorithm="anls", stop=pw.MaxIterations(20))
    assert fit.error < 1e-6
    assert np.all(np.isfinite(fit.W))
    assert np.all(np.isfinite(fit.H))


def test_a_collapsed_factor_ends_the_run():
    """AHCLS that zeroes a whole factor stops with that reason and returns the best iterate before."""
    a = sp.random_array((200, 150), density=0.1, rng=np.random.default_rng(0))
    with pytest.warns(RuntimeWarning, match="A whole factor became zero"):
        fit = pw.factorize(a, 5, algorithm=pw.ahcls(0.5, 0.5), init="random", stop=pw.MaxIterations(30))
    assert fit.reason is pw.Reason.COLLAPSED
    assert fit.W.any()
    assert fit.H.any()
    assert fit.error < 1
    assert fit.history.iteration[-1] < 30


@pytest.mark.parametrize("name", [name for name in FAST if name != "hoyer"])
def test_momentum_works_with_any_update(name, small):
    """Extrapolated methods report pairs whose error is the direct one, and monotone ones never rise."""
    moving = pw.extrapolated(name)
    steps = take(25, small, 3, algorithm=moving, init="random")
    for step in steps:
        assert step.error == pytest.approx(direct_error(name, small, step.w @ step.h.T), rel=1e-9)
    if moving.w.update.monotone and moving.h.update.monotone:
        objectives = np.array([step.objective for step in steps])[1:]
        assert np.all(np.diff(objectives) <= 1e-12 * objectives[0])


def test_momentum_is_refused_for_targets(small):
    """A point moved ahead has another sparsity, so hoyer's targets would be missed."""
    with pytest.raises(ValueError, match="off the sparsity targets"):
        pw.factorize(small, 3, algorithm=pw.extrapolated("hoyer"))


def test_momentum_locks_no_zeros(small):
    """Moving ahead of a multiplicative factor leaves no exact zero behind that could never rise again."""
    step = take(40, small + 0.01, 3, algorithm=pw.extrapolated("multiplicative"), init="random")[-1]
    assert step.w.min() > 0
    assert step.h.min() > 0


def test_a_given_pair_needs_no_lead(small):
    """From (W, H) the default goes on where it was: the error does not rise, and H is used."""
    fit = pw.factorize(small, 4, stop=pw.Stationarity(1e-5))
    steps = take(4, small, 4, init=fit)
    assert steps[1].error <= steps[0].error * (1 + 1e-12)
    other = take(2, small, 4, init=(fit.W, fit.H * np.linspace(0.5, 2, 24)))[1]
    assert not np.array_equal(other.w, steps[1].w)


def test_reseeding_lifts_only_the_topics_that_were_dead(small):
    """Where zeros are locked, the zeros of live topics stay as they are."""
    rng = np.random.default_rng(0)
    w, h = rng.random((30, 4)), rng.random((4, 24))
    w[:, 1], h[2, ::3] = 0, 0
    step = take(2, small, 4, algorithm="multiplicative", init=(w, h))[1]
    assert step.reseeded
    assert np.all(step.h[::3, 2] == 0)


def test_momentum_gets_there_sooner():
    """From the same start, extrapolated HALS is ahead of plain HALS after 40 iterations on planted data."""
    a = planted(200, 150, 8, seed=4)
    errors = {}
    for name, algorithm in (("plain", pw.hals()), ("moving", pw.extrapolated("hals"))):
        errors[name] = take(41, a, 8, algorithm=algorithm, init="random", seed=1)[-1].error
    assert errors["moving"] < errors["plain"]


def test_a_run_can_be_taken_up_from_a_step(small):
    """A step carries all the state there is: going on from it gives the bits of the unbroken run."""
    unbroken = take(12, small, 3, algorithm="als-hals", init="random")
    problem, again = as_problem(small, 3, "als-hals", "random", 1), [unbroken[6]]
    for _ in range(5):
        again += advance(problem, again[-1:])
    assert [s.iteration for s in again] == [6, 7, 8, 9, 10, 11]
    assert np.array_equal(again[-1].w, unbroken[11].w)
    assert np.array_equal(again[-1].h, unbroken[11].h)


def test_products_are_those_of_the_dense_matrix(sparse):
    """The threaded sparse product is A @ F."""
    factor = np.random.default_rng(0).random((90, 7))
    with Workers(3) as workers:
        np.testing.assert_allclose(product(as_data(sparse), factor, workers), sparse @ factor, rtol=1e-13)
