"""Stopping rules, each against its definition worked out from the pair itself."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice, permutations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.algorithms.table import as_algorithm
from partwise.engine import driver
from partwise.engine.default_stop import default_stop
from partwise.engine.run import CAP
from partwise.engine.stopping import Rule
from partwise.linalg.matching import matched_angles
from partwise.testing import check_stop

A = np.random.default_rng(0).random((14, 11)) * (np.random.default_rng(1).random((14, 11)) < 0.6)


def steps_of(algorithm: object, count: int = 8, rank: int = 3, **given: object) -> list[pw.Step]:
    """The first steps of a run on A."""
    return list(islice(pw.iterate(given.pop("matrix", A), rank, algorithm=algorithm, **given), count))


STEPS = steps_of("acls", 24)
ALGORITHMS = ["als", "acls", "ahcls", "multiplicative", "gdcls", "anls", "hals", "als-hals", "projected-gradient"]


def error_of(step: pw.Step, matrix: np.ndarray = A) -> float:
    """‖A − WH‖_F / ‖A‖_F, directly."""
    return float(np.linalg.norm(matrix - step.w @ step.h.T) / np.linalg.norm(matrix))


def degrees(a: np.ndarray, b: np.ndarray) -> float:
    """The angle between two vectors, by the arc tangent, which keeps its digits for small ones."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))))


def penalty_of(k: int, lam: float, alpha: float | None) -> np.ndarray:
    """λI, or λ(βI − E) with β = ((1 − α)√k + α)²."""
    if alpha is None:
        return lam * np.eye(k)
    return lam * (((1 - alpha) * np.sqrt(k) + alpha) ** 2 * np.eye(k) - np.ones((k, k)))


def kkt_of(w: np.ndarray, h: np.ndarray, matrix: np.ndarray, for_w: np.ndarray, for_h: np.ndarray) -> float:
    """r of DESIGN section 5, entry by entry, from dense matrices; H is k × n here."""
    grad_w = w @ h @ h.T - matrix @ h.T + w @ for_w
    grad_h = w.T @ w @ h - w.T @ matrix + for_h @ h
    total = 0.0
    for c in range(w.shape[1]):
        b, a = np.sqrt(h[c] @ h[c]), np.sqrt(w[:, c] @ w[:, c])
        total += sum(min(x * b, g / b) ** 2 for x, g in zip(w[:, c], grad_w[:, c], strict=True))
        total += sum(min(x * a, g / a) ** 2 for x, g in zip(h[c], grad_h[c], strict=True))
    return float(np.sqrt(total) / np.linalg.norm(matrix))


@pytest.mark.parametrize("matrix", [A, sp.csr_array(A)], ids=["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_error_change_and_angle_are_those_of_the_pairs(algorithm, matrix):
    """error, previous_error and angles of each step, from W and H of it and of the step before."""
    steps = steps_of(algorithm, matrix=matrix)
    for before, step in zip([None, *steps], steps, strict=False):
        assert step.error == pytest.approx(error_of(step), rel=1e-10)
        if before is None:
            assert step.previous_error is None
            assert step.angles is None
            continue
        assert step.previous_error == before.error
        wanted = [degrees(step.w[:, c], before.w[:, c]) for c in range(3)]
        # arccos of a cosine near 1 knows angles to the root of the rounding: about 2e-6 degrees
        np.testing.assert_allclose(step.angles, wanted, rtol=1e-6, atol=3e-6)
        assert step.angle == step.angles.max()


@pytest.mark.parametrize("matrix", [A, sp.csr_array(A)], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("algorithm", "for_w", "for_h"),
    [
        (pw.als(), (0, None), (0, None)),
        (pw.multiplicative(), (0, None), (0, None)),
        (pw.multiplicative(lam_w=0.1, lam_h=0.3), (0.1, None), (0.3, None)),
        (pw.acls(0.5, 0.2), (0.5, None), (0.2, None)),
        (pw.ahcls(0.02, 0.01, 0.3, 0.7), (0.02, 0.3), (0.01, 0.7)),
        (pw.gdcls(lam_h=0.4), (0, None), (0.4, None)),
        (pw.hals(lam_h=0.7), (0, None), (0.7, None)),
        (pw.anls(0.01, 0.02, 0.5, 0.4), (0.01, 0.5), (0.02, 0.4)),
        (pw.als_hals(lam_w=0.3), (0.3, None), (0, None)),
        (pw.barrier(), (0, None), (0, None)),
    ],
    ids=str,
)
def test_the_kkt_residual_is_the_formula(algorithm, for_w, for_h, matrix):
    """r at each step, the start too, for the objective that is minimised, penalties and all."""
    for step in steps_of(algorithm, 5, matrix=matrix, seed=2):
        wanted = kkt_of(step.w, step.h.T, A, penalty_of(3, *for_w), penalty_of(3, *for_h))
        assert step.kkt == pytest.approx(wanted, rel=1e-8, abs=1e-14)


def test_the_kkt_residual_is_small_where_the_pair_is_stationary_and_only_there():
    """A long exact run ends below 1e-6; one entry moved off it shows."""
    fit = pw.factorize(A, 3, algorithm="anls", stop=pw.Stationarity(1e-7), seed=1)
    zero = np.zeros((3, 3))
    assert fit.reason is pw.Reason.STATIONARY
    assert kkt_of(fit.W, fit.H, A, zero, zero) < 1e-6
    moved = fit.W.copy()
    moved[0, 0] += 0.1 * fit.W.max()
    off = pw.factorize(A, 3, init=(moved, fit.H), stop=pw.MaxIterations(0)).certificate
    assert off.kkt > 1e-3
    assert off.kkt == pytest.approx(kkt_of(moved, fit.H, A, zero, zero), rel=1e-8)


def test_a_zero_that_should_not_be_one_counts():
    """With W = 0 in an entry whose gradient is negative the residual is that gradient, not 0."""
    w, h = np.array([[1.0], [0.0]]), np.array([[1.0, 1.0]])
    matrix = np.ones((2, 2))
    check = pw.factorize(matrix, 1, init=(w, h), stop=pw.MaxIterations(0)).certificate
    # ∇_W = (0, −2), b = √2; ∇_H = (0, 0): r = (2/√2)/2
    assert check.kkt == pytest.approx(np.sqrt(2) / 2)
    assert (check.w.locked, check.h.locked) == (1, 0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_matched_angles_see_through_a_permutation(order):
    """Columns in another order, turned a little: matched, each is compared with its own; as they stand, not."""
    rng = np.random.default_rng(3)
    old = np.abs(np.eye(5, 3) + 0.1 * rng.random((5, 3)))
    turned = old + 0.01 * rng.random((5, 3))
    new = turned[:, order] * [2, 0.5, 3]
    found = matched_angles(new, old)
    np.testing.assert_allclose(found, [degrees(turned[:, c], old[:, c]) for c in order], rtol=1e-6)
    basis = replace(STEPS[5].basis, rows=new)
    step = replace(STEPS[5], basis=basis, previous_w=old, angles=np.array([degrees(*p) for p in zip(new.T, old.T)]))  # noqa: B905
    assert pw.Angle(2, matched=True)(step) is pw.Reason.ANGLE
    assert (pw.Angle(2)(step) is pw.Reason.ANGLE) == (order == (0, 1, 2))


def test_the_assignment_is_the_best_one_not_the_nearest_first():
    """The sum of the cosines is largest over all orders, tried one by one."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        new, old = rng.random((6, 4)), rng.random((6, 4))
        unit = [x / np.linalg.norm(x, axis=0) for x in (new, old)]
        cosines = unit[0].T @ unit[1]
        best = max(permutations(range(4)), key=lambda order: sum(cosines[c, order[c]] for c in range(4)))
        wanted = [degrees(new[:, c], old[:, best[c]]) for c in range(4)]
        np.testing.assert_allclose(matched_angles(new, old), wanted, rtol=1e-9)


def test_a_dead_topic_that_stays_dead_has_not_turned():
    """A zero column before and after is an angle of 0, matched or not; so it does not keep a run going for ever."""
    w = np.array([[1.0, 0], [2, 0], [3, 0]])
    np.testing.assert_allclose(matched_angles(w, w), [0, 0], atol=3e-6)
    dead = np.c_[A[:, :2], np.zeros(len(A))]
    steps = steps_of("multiplicative", 6, init=(dead, np.r_[np.ones((2, 11)), np.zeros((1, 11))]), reseed=False)
    assert steps[-1].angles[2] == 0


def test_a_topic_that_is_given_a_new_start_has_turned():
    """The angle is between the pairs that were reported: from nothing to something, 90 degrees; it stops no run."""
    w = np.random.default_rng(6).random((14, 3))
    w[:, 1] = 0
    before, step = steps_of("acls", 2, init=w)
    assert step.reseeded
    assert step.previous_w is before.w
    assert step.angles[1] == 90


def first(rule: Rule, steps: list[pw.Step]) -> int | None:
    """The first iteration at which a rule gives a reason."""
    return next((step.iteration for step in steps if rule(step) is not None), None)


LONG = steps_of("multiplicative", 61)


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(
    ("make", "measure", "reason"),
    [
        (lambda x, **k: pw.Frobenius(level=x, **k), lambda _, now: error_of(now), pw.Reason.ERROR_LEVEL),
        (
            lambda x, **k: pw.Frobenius(change=x, **k),
            lambda old, now: abs(error_of(old) - error_of(now)) / error_of(old) if old else np.inf,
            pw.Reason.ERROR_CHANGE,
        ),
        (
            lambda x, **k: pw.Angle(x, **k),
            lambda old, now: max(map(degrees, now.w.T, old.w.T)) if old else np.inf,
            pw.Reason.ANGLE,
        ),
        (
            lambda x, **k: pw.Angle(x, matched=True, **k),
            lambda old, now: max(map(degrees, now.w.T, old.w.T)) if old else np.inf,
            pw.Reason.ANGLE,
        ),
        (
            lambda x, **k: pw.Stationarity(x, **k),
            lambda _, now: kkt_of(now.w, now.h.T, A, np.zeros((3, 3)), np.zeros((3, 3))),
            pw.Reason.STATIONARY,
        ),
    ],
    ids=["level", "change", "angle", "matched angle", "stationarity"],
)
def test_a_rule_stops_where_its_measure_first_comes_down_to_the_bound(make, measure, reason, quantile, every):
    """Measured by hand on the pairs; no column changes place in this run, so matching changes nothing."""
    values = [measure(old, now) for old, now in zip([None, *LONG], LONG, strict=False)]
    bound = float(np.quantile([v for v in values if np.isfinite(v)], 1 - quantile)) * (1 + 1e-9)  # no ties
    wanted = next((i for i in range(0, len(LONG), every) if values[i] <= bound), None)
    rule = make(bound, every=every)
    assert first(rule, LONG) == wanted
    assert wanted is not None
    assert rule(LONG[wanted]) is reason
    fit = pw.factorize(A, 3, algorithm="multiplicative", stop=rule)
    assert (fit.reason, fit.certificate.iterations) == (reason, wanted)


def test_a_level_and_a_change_together_stop_at_whichever_comes_first():
    """Frobenius with both: each by its own reason."""
    errors = [step.error for step in LONG]
    by_level = pw.Frobenius(level=errors[3], change=1e-12, every=1)
    by_change = pw.Frobenius(level=1e-12, change=1 - errors[4] / errors[3] + 1e-12, every=1)
    assert [rule(LONG[first(rule, LONG)]) for rule in (by_level, by_change)] == [
        pw.Reason.ERROR_LEVEL,
        pw.Reason.ERROR_CHANGE,
    ]


ALWAYS: list[Callable[..., Rule]] = [
    lambda **k: pw.Frobenius(level=10, **k),
    lambda **k: pw.Frobenius(change=1e9, **k),
    lambda **k: pw.Angle(180, **k),
    lambda **k: pw.Angle(180, matched=True, **k),
    lambda **k: pw.Stationarity(1e9, **k),
    lambda **k: pw.TimeLimit(1e-12, **k),
    lambda **k: pw.MaxIterations(0, **k),
    lambda **k: pw.AnyOf((pw.MaxIterations(0), pw.Stationarity()), **k),
    lambda **k: pw.AllOf((pw.MaxIterations(0), pw.Angle(180)), **k),
]


@pytest.mark.parametrize(("every", "burn_in"), [(1, 0), (1, 4), (5, 0), (5, 3), (7, 2), (100, 9)])
@pytest.mark.parametrize("make", ALWAYS)
def test_every_and_burn_in(make, every, burn_in):
    """A rule that always holds speaks at burn_in, burn_in + every, … and at no other iteration."""
    rule = make(every=every, burn_in=burn_in)
    spoken = [step.iteration for step in STEPS if rule(step) is not None]
    wanted = range(burn_in, len(STEPS), every)
    # what changes between iterations has no value at the first
    assert spoken in (list(wanted), [i for i in wanted if i > 0])


@pytest.mark.parametrize(
    ("rule", "every"),
    [
        (pw.Frobenius(level=1), 5),
        (pw.Angle(1), 5),
        (pw.Stationarity(), 5),
        (pw.MaxIterations(3), 1),
        (pw.TimeLimit(1), 1),
    ],
)
def test_the_usual_settings(rule, every):
    """What costs something is asked every five iterations, as the paper advises; limits at each."""
    assert (rule.every, rule.burn_in) == (every, 0)


def test_any_of_stops_at_the_first_and_says_which():
    """|, AnyOf and a list are the same; each rule keeps its own every and burn_in."""
    early, late = pw.Frobenius(level=10, burn_in=4), pw.MaxIterations(9)
    for rule in (early | late, late | early, pw.AnyOf((late, early)), pw.AnyOf([late, early])):
        assert first(rule, STEPS) == 4
        assert rule(STEPS[4]) is pw.Reason.ERROR_LEVEL
        assert pw.factorize(A, 3, stop=rule).reason is pw.Reason.ERROR_LEVEL
    assert pw.factorize(A, 3, stop=[late, early]).certificate.iterations == 4
    assert first(pw.Frobenius(level=1e-12) | late, STEPS) == 9


def test_all_of_stops_when_all_hold_at_one_step():
    """&, and AllOf with a rhythm of its own."""
    rule = pw.MaxIterations(7) & pw.Frobenius(level=10)
    assert isinstance(rule, pw.AllOf)
    assert first(rule, STEPS) == 10
    assert rule(STEPS[10]) is pw.Reason.ALL_MET
    assert first(pw.AllOf((pw.MaxIterations(7), pw.Frobenius(level=10)), every=1), STEPS) == 7
    assert first(pw.AllOf((pw.MaxIterations(7), pw.Frobenius(level=1e-12)), every=1), STEPS) is None
    assert first((pw.MaxIterations(3) & pw.Angle(180)) | pw.MaxIterations(4), STEPS) == 4


def test_all_of_waits_for_the_burn_in_of_each():
    """A rule that is not to be asked before iteration 12 cannot have been met before it."""
    rule = pw.AllOf((pw.Frobenius(level=10, burn_in=12), pw.MaxIterations(2)), every=1)
    assert first(rule, STEPS) == 12


def test_rules_may_be_plain_functions_inside_all_of_and_any_of_too():
    """What a list of rules takes, AnyOf and AllOf take."""

    def mine(step: pw.Step) -> pw.Reason | None:
        return pw.Reason.ERROR_LEVEL if step.iteration >= 6 else None

    assert pw.factorize(A, 3, stop=[mine]).certificate.iterations == 6
    assert pw.factorize(A, 3, stop=pw.AnyOf((mine,))).certificate.iterations == 6
    assert pw.factorize(A, 3, stop=pw.AllOf((mine, pw.MaxIterations(2)), every=1)).certificate.iterations == 6


def test_no_iterations_return_the_start():
    """MaxIterations(0) gives W⁽⁰⁾ with its H⁽⁰⁾, certified, and one row of history."""
    w = np.random.default_rng(5).random((14, 3))
    fit = pw.factorize(A, 3, algorithm=pw.acls(0.5, 0.5), init=w, stop=pw.MaxIterations(0))
    assert np.array_equal(fit.W, w)
    wanted = np.maximum(np.linalg.solve(w.T @ w + 0.5 * np.eye(3), w.T @ A), 0)
    np.testing.assert_allclose(fit.H, wanted, rtol=1e-10, atol=1e-14)
    assert fit.history.iteration.tolist() == [0]
    assert fit.certificate.kkt == pytest.approx(kkt_of(w, fit.H, A, 0.5 * np.eye(3), 0.5 * np.eye(3)), rel=1e-8)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_max_iterations_counts_iterations(count):
    """That many, and a history from 0 on."""
    fit = pw.factorize(A, 3, stop=pw.MaxIterations(count))
    assert fit.reason is pw.Reason.MAX_ITERATIONS
    assert fit.history.iteration.tolist() == list(range(count + 1))


def test_a_time_limit_ends_with_the_last_whole_iteration():
    """By the seconds of the steps, which rise; an iteration that is under way at the limit is given up."""
    fit = pw.factorize(A, 3, algorithm="multiplicative", stop=[pw.TimeLimit(0.05), pw.MaxIterations(10**6)])
    assert fit.reason is pw.Reason.TIME_LIMIT
    seconds = fit.history.seconds
    assert np.all(seconds[:-1] < 0.05)
    assert np.all(np.diff(seconds) >= 0)


@pytest.mark.parametrize("end", ["the limit", "Ctrl-C"])
def test_an_end_inside_a_slow_half_step(end, monkeypatch):
    """In the second iteration of alp, rows into a half-step: no further row, and the first iteration comes back."""
    solve, clock = scipy.optimize.linprog, time.perf_counter
    rows = []

    def slow(*arguments, **options):
        rows.append(1)
        if len(rows) == 35:
            if end == "Ctrl-C":
                raise KeyboardInterrupt
            monkeypatch.setattr(time, "perf_counter", lambda: clock() + 1000)
        return solve(*arguments, **options)

    monkeypatch.setattr(scipy.optimize, "linprog", slow)
    matrix = np.random.default_rng(0).random((12, 10))
    whole = pw.factorize(matrix, 2, algorithm="alp", init="random", stop=pw.MaxIterations(1))
    assert len(rows) == 22  # H⁽⁰⁾ is the first H
    rows.clear()
    fit = pw.factorize(matrix, 2, algorithm="alp", init="random", stop=pw.TimeLimit(500))
    assert (len(rows), fit.certificate.iterations) == (35, 1)
    assert fit.reason is (pw.Reason.INTERRUPTED if end == "Ctrl-C" else pw.Reason.TIME_LIMIT)
    assert np.array_equal(fit.W, whole.W)


@pytest.mark.parametrize("stop", [pw.TimeLimit(0.05), pw.TimeLimit(0.05) | pw.MaxIterations(20)])
def test_a_time_limit_holds_for_the_polish_too(stop, monkeypatch):
    """The seconds are those of the whole call, however the rule was given; here of a clock that ticks when asked."""
    ticks = itertools.count(time.perf_counter(), 1e-4)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    never = pw.Frobenius(level=1e-300) | pw.MaxIterations(10**6)
    fit = pw.factorize(A, 3, algorithm="acls", stop=stop, polish="hals", polish_stop=never | pw.TimeLimit(1))
    assert fit.reason is pw.Reason.TIME_LIMIT
    assert fit.history.seconds[-1] < 0.5


def test_the_cap_has_its_own_reason():
    """1,000 iterations unless MaxIterations says otherwise."""
    assert CAP == 1000
    never = pw.Frobenius(level=1e-300)
    fit = pw.factorize(A, 2, algorithm="multiplicative", stop=never)
    assert (fit.reason, fit.certificate.iterations) == (pw.Reason.CAP, 1000)


@pytest.mark.parametrize(
    "stop",
    [
        [pw.Frobenius(level=1e-300), pw.MaxIterations(1005)],
        pw.Frobenius(level=1e-300) | pw.MaxIterations(1005),
        pw.AnyOf((pw.Stationarity(1e-300), pw.Frobenius(level=1e-300) | pw.MaxIterations(1005))),
    ],
    ids=["list", "or", "nested"],
)
def test_max_iterations_lifts_the_cap_however_it_is_given(stop):
    """In a list, or joined by |, which is the same by definition."""
    fit = pw.factorize(A, 2, algorithm="multiplicative", stop=stop)
    assert (fit.reason, fit.certificate.iterations) == (pw.Reason.MAX_ITERATIONS, 1005)


def test_the_cap_of_a_polish_counts_from_its_own_start():
    """A first run of 1,100 iterations does not leave the polish one iteration."""
    first_run = pw.MaxIterations(1100)
    fit = pw.factorize(A, 3, algorithm="acls", stop=first_run, polish="hals")
    assert fit.reason is pw.Reason.STATIONARY
    assert fit.certificate.kkt <= 1e-4


def test_reasons_are_sentences():
    """Each value reads as one, begins with a capital, ends with a full stop, and is what str gives."""
    for reason in pw.Reason:
        assert str(reason) == reason.value
        assert reason.value[0].isupper()
        assert reason.value.endswith(".")
        assert len(reason.value.split()) >= 4
    assert len({reason.value for reason in pw.Reason}) == len(pw.Reason)


def test_the_stationarity_check_runs_at_the_end_whatever_the_rule():
    """The certificate and the returned row of the history have it; rows in between have NaN."""
    fit = pw.factorize(A, 3, algorithm="acls", stop=pw.MaxIterations(6), keep="last")
    assert fit.certificate.kkt == pytest.approx(fit.history.kkt[-1])
    assert np.isnan(fit.history.kkt[:-1]).all()


rhythms = {"every": st.integers(1, 9), "burn_in": st.integers(0, 9)}
positive = st.floats(1e-9, 1e3)
plain_rules = st.one_of(
    st.builds(pw.MaxIterations, st.integers(0, 30), **rhythms),
    st.builds(pw.TimeLimit, positive, **rhythms),
    st.builds(pw.Frobenius, level=positive, **rhythms),
    st.builds(pw.Frobenius, change=positive, **rhythms),
    st.builds(pw.Frobenius, level=positive, change=positive, **rhythms),
    st.builds(pw.Angle, positive, st.booleans(), **rhythms),
    st.builds(pw.Stationarity, positive, **rhythms),
)
rules = st.recursive(
    plain_rules,
    lambda inner: st.one_of(
        st.builds(pw.AnyOf, st.lists(inner, min_size=1, max_size=3).map(tuple), **rhythms),
        st.builds(pw.AllOf, st.lists(inner, min_size=1, max_size=3).map(tuple), **rhythms),
    ),
    max_leaves=4,
)


@given(rules)
def test_the_law_of_rules(rule):
    """check_stop for every rule with any settings, and for their combinations."""
    check_stop(rule, STEPS)


@given(st.lists(rules, min_size=1, max_size=3))
def test_any_of_and_all_of_are_what_they_say(several):
    """| is or, & is and, at every step."""
    some, every = pw.AnyOf(tuple(several)), pw.AllOf(tuple(several), every=1)
    for step in STEPS[:12]:
        said = [rule(step) is not None for rule in several]
        assert (some(step) is not None) == any(said)
        assert every(step) is None or all(step.iteration >= rule.burn_in for rule in several)
        assert every(step) is not None or not all(said)


def test_rules_answer_for_old_steps_in_any_order_and_after_the_run():
    """A step keeps what a rule needs: asked late and backwards, it says what it said in the run."""
    asked = pw.Stationarity(0.05, every=1)
    steps = pw.iterate(A, 3, algorithm="hals", threads=2)
    answers, kept = [], []
    for step in islice(steps, 12):
        kept.append(replace(step))
        answers.append((asked(step), step.kkt))
    steps.close()
    assert [(asked(step), step.kkt) for step in kept[::-1]][::-1] == answers
    assert len({answer for answer, _ in answers}) == 2


def test_asking_does_not_change_the_run():
    """Rules that look at every step, stationarity too, leave every bit as it is without them."""
    nosy = [pw.Stationarity(1e-300, every=1), pw.Angle(1e-300, matched=True, every=1), pw.MaxIterations(8)]
    for name in ("acls", "als-hals", "gdcls"):
        one, two = (pw.factorize(A, 3, algorithm=name, stop=stop) for stop in (nosy, pw.MaxIterations(8)))
        assert np.array_equal(one.W, two.W)
        assert np.array_equal(one.H, two.H)


@dataclass(frozen=True)
class Odd(Rule):
    """A rule whose answer is somebody else's business."""

    answer: Callable[[pw.Step], object]
    every: int = 1
    burn_in: int = 0

    def check(self) -> None:
        """Anything goes."""

    def reason(self, step):
        return self.answer(step)


class Deaf(Odd):
    """A rule that does not wait for its turn."""

    def __call__(self, step):
        return pw.Reason.ANGLE


def test_check_stop_catches_a_rule_with_a_memory():
    """One that stops when it has been asked often enough is no function of the step."""
    asked: list[int] = []
    rule = Odd(lambda step: pw.Reason.ANGLE if asked.append(1) or len(asked) > 5 else None)
    with pytest.raises(AssertionError, match="remembers"):
        check_stop(rule, STEPS)


def test_check_stop_catches_a_rule_that_compares_with_the_step_it_saw_before():
    """The error of the step before belongs to the step, not to the rule."""
    seen = [np.inf]

    def answer(step: pw.Step) -> pw.Reason | None:
        before, seen[0] = seen[0], step.error
        return pw.Reason.ERROR_CHANGE if step.error < before else None

    with pytest.raises(AssertionError, match="remembers"):
        check_stop(Odd(answer), STEPS)


def test_check_stop_catches_what_is_no_reason_and_what_is_out_of_turn():
    """True is no reason; a rule that speaks before its burn-in is caught."""
    with pytest.raises(AssertionError, match="no reason"):
        check_stop(Odd(lambda step: True), STEPS)
    with pytest.raises(AssertionError, match="not its turn"):
        check_stop(Deaf(lambda step: None, burn_in=3), STEPS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pw.Frobenius(),
        lambda: pw.Frobenius(level=0),
        lambda: pw.Frobenius(change=-1e-3),
        lambda: pw.Frobenius(level=float("nan")),
        lambda: pw.Angle(0),
        lambda: pw.Angle(float("inf")),
        lambda: pw.Stationarity(-1),
        lambda: pw.TimeLimit(0),
        lambda: pw.TimeLimit("1"),
        lambda: pw.MaxIterations(-1),
        lambda: pw.MaxIterations(1.5),
        lambda: pw.MaxIterations(3, every=0),
        lambda: pw.Angle(1, every=2.0),
        lambda: pw.Angle(1, burn_in=-1),
        lambda: pw.AnyOf(()),
        lambda: pw.AllOf([]),
        lambda: pw.factorize(A, 3, stop=[]),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_a_sentence(make):
    """ε ≤ 0, every < 1, a burn-in below 0, no rules at all."""
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        make()


@pytest.mark.parametrize("stop", [5, "angle", [3], pw.MaxIterations, [pw.MaxIterations]])
def test_what_is_no_rule_is_refused_in_a_sentence(stop):
    """A number, a name, the class instead of a rule of it."""
    with pytest.raises(TypeError, match="stopping rule"):
        pw.factorize(A, 3, stop=stop)


@pytest.mark.parametrize("name", [name for name in pw.ALGORITHMS if name != "alp"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_default_rule_ends_where_the_method_can_end(name, seed):
    """Monotone methods end nearly stationary, with a still error; clipping ones where the error stands still.

    Multiplicative may reach the cap first: its small entries go to zero as slowly as 1/iterations.
    """
    rng = np.random.default_rng(10 + seed)
    matrix = rng.random((60, 4)) @ rng.random((4, 40)) + 0.3 * rng.random((60, 40))
    fit = pw.factorize(matrix, 4, algorithm=name, seed=seed)
    errors = fit.history.error
    if name == "multiplicative" and fit.reason is pw.Reason.CAP:
        return
    assert abs(errors[-1] - errors[-2]) <= 1e-4 * errors[-2]
    sides = (as_algorithm(name).w, as_algorithm(name).h)
    if all(side.update.monotone for side in sides):
        assert fit.certificate.kkt <= 1e-2
        assert fit.certificate.verdict in ("nearly stationary", "stationary")
    else:
        assert fit.reason is pw.Reason.ERROR_CHANGE


def test_the_default_algorithm_ends_stationary():
    """als-hals is the default and goes on to the tolerance; hals is content with a nearly stationary point."""
    assert pw.factorize(A, 3).certificate.algorithm.startswith("als-hals")
    assert pw.factorize(A, 3).certificate.kkt <= 1e-4
    settled = default_stop(as_algorithm("als-hals"), 1e-3).rules[1]
    assert (settled.burn_in, settled.rules[0].change) == (50, pytest.approx(5e-3))
    assert isinstance(default_stop(as_algorithm("hals")), pw.AllOf)
    clipping = default_stop(as_algorithm("acls"), 1e-3)
    assert isinstance(clipping, pw.Frobenius)
    assert (clipping.level, clipping.change) == (1e-3, pytest.approx(0.5e-3))


def test_the_history_has_what_the_rules_saw():
    """Angle and error of each step; the KKT residual at the iterations where a rule asked for it."""
    stop = [pw.Stationarity(1e-300, every=3, burn_in=2), pw.MaxIterations(9)]
    fit = pw.factorize(A, 3, algorithm="acls", stop=stop, keep="last")
    assert np.flatnonzero(~np.isnan(fit.history.kkt)).tolist() == [2, 5, 8, 9]
    steps = steps_of("acls", 10)
    assert fit.history.error.tolist() == [step.error for step in steps]
    assert np.array_equal(fit.history.angle, [step.angle for step in steps], equal_nan=True)
    assert fit.history.kkt[5] == steps[5].kkt


@pytest.mark.parametrize("polish", ["als", "acls", "hals"])
@pytest.mark.parametrize("seed", [4, 12, 37])
def test_the_history_has_the_iterate_that_is_returned(seed, polish):
    """Its row has its error, the best of a clipping run before a polish too, which may not be the last."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((12, 9)) * (rng.random((12, 9)) < 0.5) + 0.01
    rules = {"stop": pw.MaxIterations(9), "polish": polish, "polish_stop": pw.MaxIterations(12)}
    fit = pw.factorize(matrix, 4, algorithm="als", seed=seed, **rules)
    (row,) = fit.history[fit.history.iteration == fit.certificate.returned]
    assert row.error == pytest.approx(fit.error, rel=1e-9)
    assert row.kkt == fit.certificate.kkt


def test_many_rules_joined():
    """a | b | c is one combination of three, however many there are; one with a rhythm of its own stays as it is."""
    many = [pw.MaxIterations(n + 3) for n in range(1500)]
    either, both = many[0], many[0]
    for rule in many[1:]:
        either, both = either | rule, both & rule
    assert either.rules == both.rules == tuple(many)
    slow = pw.AnyOf((many[0], many[1]), every=7)
    assert (slow | many[2]).rules == (slow, many[2])
    assert pw.factorize(np.eye(4) + 1, 2, stop=either).certificate.iterations == 3
    for _ in range(15):
        rule = (rule | pw.MaxIterations(5)) & pw.Frobenius(change=1e-3)
    with pytest.raises(ValueError, match="at most 30 deep in each other; combine them in one list"):
        rule | many[0]


def test_a_start_that_takes_longer_than_the_limit(monkeypatch):
    """It is given up for a random one between two passes, and the run says so; a limit within a limit holds too."""
    monkeypatch.setattr(driver, "LEAST_START", 0.1)

    def slow(data, rank, rng, workers):
        with workers.until(60):
            for _ in range(600):
                workers.map(lambda lo, hi: time.sleep(0.05), [(0, 1)])
        return rng.random((data.shape[0], rank))

    fit = pw.factorize(A, 3, init=slow, stop=pw.TimeLimit(0.2) | pw.MaxIterations(5))
    assert fit.reason is pw.Reason.TIME_LIMIT
    assert fit.certificate.seconds < 10
    assert fit.certificate.start.init == "random"
    assert fit.W.tobytes() == pw.factorize(A, 3, init="random", stop=pw.MaxIterations(0)).W.tobytes()
