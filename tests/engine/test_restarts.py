"""Restarts: batches change no bits, the race drops the right ones, the table tells all."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw
from partwise.data.sparse import NEAR_BYTES
from partwise.engine import driver, restarts
from partwise.engine.restarts import Racing
from partwise.types import NoMinimum

STOP = pw.MaxIterations(45)


@pytest.fixture
def text() -> sp.csr_array:
    """A sparse matrix with several local minima."""
    return sp.csr_array(planted(80, 60, 8, seed=5, noise=0.6, density=0.25))


@pytest.mark.parametrize("name", ["acls", "als-hals", "anls", "multiplicative"])
@pytest.mark.parametrize("kind", [sp.csr_array, lambda a: a.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize("near", [0, NEAR_BYTES])
def test_batches_change_no_bits(near, name, kind, text, monkeypatch):
    """Each start of a batch has the bits of the same seed alone, whatever the width of the batch and the threads.

    Alone it is made straight from sparse data where nothing counts as near.
    """
    monkeypatch.setattr("partwise.data.sparse.NEAR_BYTES", near)
    alone = [pw.factorize(kind(text), 4, algorithm=name, init="random", seed=s, stop=STOP) for s in range(6)]
    for width, threads in ((4, 1), (12, 2), (400, 3)):
        monkeypatch.setattr(restarts, "WIDTH", width)
        found = pw.factorize(
            kind(text), 4, algorithm=name, init="random", restarts=6, racing=None, stop=STOP, threads=threads
        )
        assert np.array_equal(found.W, alone[found.certificate.seed].W)
        assert [row.error for row in found.restarts] == [fit.error for fit in alone]


def test_the_table_tells_all(text):
    """A row for every start: seed, init, error, iterations, reason; the winner's row is the result's."""
    fit = pw.factorize(text, 4, init="random", seed=7, restarts=20, stop=STOP)
    assert [row.seed for row in fit.restarts] == list(range(7, 27))
    assert {row.init for row in fit.restarts} == {"random"}
    row = fit.restarts[fit.certificate.seed - 7]
    assert (row.error, row.iterations, row.reason) == (fit.error, fit.certificate.iterations, str(fit.reason))
    dropped = [row for row in fit.restarts if row.reason == str(pw.Reason.DROPPED)]
    assert {row.iterations for row in dropped} <= {10, 20, 40}
    assert len(dropped) == 16


def test_the_race_compares_all_at_the_same_iteration(text, monkeypatch):
    """Who is dropped depends on all starts at that iteration and not on the batches they ran in."""
    tables = []
    for width in (4, 24, 400):
        monkeypatch.setattr(restarts, "WIDTH", width)
        tables.append(pw.factorize(text, 4, init="random", restarts=20, stop=STOP).restarts)
    assert tables[0] == tables[1] == tables[2]
    steps = []
    for seed in range(20):
        run = pw.iterate(text, 4, init="random", seed=seed)
        steps.append([next(run).objective for _ in range(11)][10])
    first_out = {row.seed for row in tables[0] if row.iterations == 10}
    assert first_out == {int(s) for s in np.argsort(steps)[6:]}


def test_racing_off_takes_every_start_to_its_end(text):
    """With racing=None no row says dropped."""
    fit = pw.factorize(text, 4, init="random", restarts=8, racing=None, stop=STOP)
    assert {row.reason for row in fit.restarts} == {str(pw.Reason.MAX_ITERATIONS)}


def test_a_race_ends_near_the_best(text):
    """The race's winner is within a thousandth of the best of all starts run to their end."""
    raced = pw.factorize(text, 6, init="random", restarts=40, stop=STOP)
    best = pw.factorize(text, 6, init="random", restarts=40, racing=None, stop=STOP)
    assert best.error <= raced.error <= best.error * 1.001


def test_only_the_winner_is_polished(text):
    """Polish goes on from the best start and the table keeps the starts as they were."""
    fit = pw.factorize(text, 4, algorithm="acls", init="random", restarts=6, polish="hals", stop=pw.MaxIterations(15))
    assert fit.certificate.verdict == "stationary"
    assert all(row.iterations <= 15 for row in fit.restarts)


def test_a_lost_minimum_ends_one_start_only(monkeypatch):
    """In a batch a start whose penalised problem loses its minimum ends with that reason; the others go on, with the
    bits that they have alone."""
    a = sp.csr_array(planted(40, 30, 4, seed=1))
    lost = next(pw.iterate(a, 4, algorithm="hals", init="random", seed=3)).w
    advance, batches = driver.advance, []

    def losing(problem, steps, *rest):
        batches.append(len(steps))
        if any(step.iteration == 0 and np.array_equal(step.w, lost) for step in steps):
            raise NoMinimum
        return advance(problem, steps, *rest)

    settings = {"algorithm": "hals", "init": "random", "stop": pw.MaxIterations(6)}
    alone = [pw.factorize(a, 4, seed=seed, **settings).error for seed in range(6)]
    monkeypatch.setattr(driver, "advance", losing)
    fit = pw.factorize(a, 4, restarts=6, racing=None, **settings)
    assert [row.reason == str(pw.Reason.NO_MINIMUM) for row in fit.restarts] == [seed == 3 for seed in range(6)]
    assert [row.error for row in fit.restarts if row.seed != 3] == [alone[seed] for seed in range(6) if seed != 3]
    assert batches[:2] == [6, 1]
    assert batches[-1] == 5


def test_an_interrupt_in_a_race_returns_the_best_so_far(text, monkeypatch):
    """Ctrl-C in the third batch of two: the best of the five starts that have begun, and a row for each of those."""
    monkeypatch.setattr(restarts, "WIDTH", 8)
    asked = [0]

    class Interrupt(pw.MaxIterations):
        def reason(self, step):
            asked[0] += 1
            if asked[0] > 9:  # two starts at iterations 0 and 1, twice; then the second start of the third batch
                raise KeyboardInterrupt
            return super().reason(step)

    fit = pw.factorize(text, 4, init="random", restarts=10, stop=Interrupt(1), racing=None)
    assert fit.reason is pw.Reason.INTERRUPTED
    alone = [pw.factorize(text, 4, init="random", seed=seed, stop=pw.MaxIterations(1)).error for seed in range(4)]
    assert fit.error == min(alone)
    errors = {row.seed: row.error for row in fit.restarts}
    assert [errors[seed] for seed in range(4)] == alone
    assert fit.certificate.seed == int(np.argmin(alone))


def test_shares_that_are_not_whole_are_rounded_up():
    """30 % of 11 starts are 4, 8 % of 60 are 5; never fewer than ``least``, and a cut that drops nobody is none."""
    assert pw.Racing(at=(10,), share=(0.3,), least=1).cuts(11) == [(10, 4), (None, 1)]
    assert pw.Racing().cuts(60) == [(10, 18), (20, 5), (40, 4), (None, 1)]
    assert pw.Racing(at=(5,), share=(0.3,), least=4).cuts(4) == [(None, 1)]


def test_a_dropped_start_leaves_only_its_row(text):
    """Memory stays bounded: few steps live on while sixty starts run."""
    counts = []

    class Count(pw.MaxIterations):
        def reason(self, step):
            if step.iteration == 10:
                gc.collect()
                counts.append(sum(type(found) is pw.Step for found in gc.get_objects()))
            return super().reason(step)

    gc.freeze()  # what was there before is neither walked nor counted: it is most of all objects
    try:
        pw.factorize(text, 40, init="random", restarts=60, stop=Count(12))
    finally:
        gc.unfreeze()
    assert len(counts) == 60
    assert 0 < max(counts) < 60


def test_a_start_without_a_seed_is_run_once(text):
    """spa, nndsvd or a given W are the same for every seed."""
    assert len(pw.factorize(text, 4, init="spa", restarts=5, stop=pw.MaxIterations(2)).restarts) == 1


def test_a_time_limit_holds_for_restarts(text):
    """Starts that would begin after the limit are not begun, and their rows say so."""
    fit = pw.factorize(text.toarray(), 4, restarts=400, stop=pw.TimeLimit(0.05))
    assert len(fit.restarts) == 400
    assert fit.certificate.seconds < 5
    assert str(pw.Reason.NOT_BEGUN) in {row.reason for row in fit.restarts}


@pytest.mark.parametrize("settings", [{"at": ()}, {"at": (10, 5, 40)}, {"share": (0.5, 0.0, 0.1)}, {"least": 0}])
def test_a_race_that_makes_no_sense_is_refused(settings):
    """Rising iterations, shares in (0, 1], at least one survivor."""
    with pytest.raises(ValueError, match="Racing"):
        Racing(**settings)


def test_starts_that_a_time_limit_cuts_off_keep_their_row(sparse):
    """A start that had begun is said to have been cut off, with its error and iterations; others have not begun."""
    stop = [pw.TimeLimit(0.05), pw.MaxIterations(10**6)]
    racing = pw.Racing((2, 4), (0.9, 0.8), 1)
    fit = pw.factorize(sparse, 4, algorithm="anls", restarts=90, racing=racing, stop=stop)
    for row in fit.restarts:
        begun = row.reason != str(pw.Reason.NOT_BEGUN)
        assert begun == (row.iterations > 0 or row.error == row.error)
