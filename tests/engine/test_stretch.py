"""Several iterations in one step: the bits, the history and the end are those of one iteration at a time."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise import kernels
from partwise.engine import driver, stretch
from partwise.threads.pool import OutOfTime, Workers

DENSE = np.random.default_rng(0).random((40, 30))
TALL = np.random.default_rng(1).random((1797, 64))
WIDE = np.random.default_rng(2).random((700, 900))
SPARSE = sp.random(200, 150, 0.1, random_state=0, format="csr")
DEAD = np.kron(np.eye(3), np.ones((8, 6)))


def fit(monkeypatch, longest, matrix, rank=5, brief=np.inf, **settings):
    """A fit whose steps make at most so many iterations, and the number of its steps."""
    counts, advance = [], driver.advance
    monkeypatch.setattr(driver, "LONGEST", longest)
    monkeypatch.setattr(stretch, "BRIEF", brief)
    monkeypatch.setattr(driver, "advance", lambda *call: (counts.append(call), advance(*call))[1])
    return pw.factorize(matrix, rank, **settings), len(counts)


def same(one, other):
    """The same factors, history (times aside), reason and returned iteration."""
    np.testing.assert_array_equal(one.W, other.W)
    np.testing.assert_array_equal(one.H, other.H)
    for name in ("iteration", "error", "angle", "kkt"):
        np.testing.assert_array_equal(one.history[name], other.history[name])
    assert (np.diff(other.history.seconds) >= 0).all()
    assert one.reason is other.reason
    assert one.certificate.returned == other.certificate.returned


@pytest.mark.parametrize("matrix", [DENSE, DENSE.astype(np.float32), SPARSE, TALL], ids=["dense", "f32", "csr", "tall"])
@pytest.mark.parametrize(
    "algorithm",
    [
        "als-hals",
        "anls",
        pw.hals(lam_w=0.1, l1_w=0.1, l1_h=0.2),
        pw.extrapolated(pw.hals()),
        pw.frozen(pw.hals(), w=[1]),
    ],
    ids=["als-hals", "anls", "penalised", "extrapolated", "frozen"],
)
def test_the_same_bits(matrix, algorithm, monkeypatch):
    """With and without momentum, penalties and frozen components; TALL has several blocks of rows."""
    one, steps = fit(monkeypatch, 1, matrix, algorithm=algorithm)
    other, fewer = fit(monkeypatch, stretch.LONGEST, matrix, algorithm=algorithm)
    same(one, other)
    assert fewer < steps


@pytest.mark.parametrize("algorithm", ["hals", "als-hals"])
def test_dead_components_exact_fits_and_restarts(algorithm, monkeypatch):
    """A component that dies is started anew at the same iteration; near an exact fit; in a race."""
    ends = {"matrix": SPARSE, "init": "random", "stop": pw.MaxIterations(400)}  # until it moves by rounding alone
    dead = [{"matrix": matrix, "rank": rank} for matrix in (DEAD, sp.csr_array(DEAD)) for rank in (5, 3)]
    for call in (*dead, {"matrix": DENSE, "restarts": 5}, ends):
        one, other = (fit(monkeypatch, longest, algorithm=algorithm, **call)[0] for longest in (1, stretch.LONGEST))
        same(one, other)


WHOLE = st.integers(1, 7)
RULES = st.recursive(
    st.one_of(
        st.builds(pw.MaxIterations, st.integers(0, 40), WHOLE, st.integers(0, 9)),
        st.builds(pw.Frobenius, change=st.sampled_from([1e-2, 1e-3]), every=WHOLE, burn_in=st.integers(0, 9)),
        st.builds(pw.Angle, st.sampled_from([0.5, 2.0]), every=WHOLE, burn_in=st.integers(0, 9)),
        st.builds(pw.TimeLimit, st.just(100.0), WHOLE, st.integers(0, 9)),
    ),
    lambda some: st.builds(
        lambda kind, rules, every, burn_in: kind(tuple(rules), every, burn_in),
        st.sampled_from([pw.AnyOf, pw.AllOf]),
        st.lists(some, min_size=1, max_size=3),
        WHOLE,
        st.integers(0, 9),
    ),
    max_leaves=4,
)


@settings(max_examples=25, deadline=None)
@given(rules=st.lists(RULES, min_size=1, max_size=3))
def test_every_rule_ends_a_run_where_it_would(rules):
    """Any rules end it at the same iteration for the same reason."""
    with pytest.MonkeyPatch.context() as patch:
        call = {"matrix": DENSE, "algorithm": "hals", "stop": [*rules, pw.MaxIterations(50)]}
        one, other = (fit(patch, longest, **call)[0] for longest in (1, stretch.LONGEST))
    same(one, other)


def test_who_watches_sees_every_iteration(monkeypatch, tmp_path, capsys):
    """``iterate``, a checkpoint at every iteration and ``verbose`` get steps one by one; larger data do, too."""
    steps = [step.iteration for step, _ in zip(pw.iterate(DENSE, 4, algorithm="hals"), range(6), strict=False)]
    assert steps == [0, 1, 2, 3, 4, 5]
    stop = pw.MaxIterations(12)
    _, count = fit(monkeypatch, 20, DENSE, algorithm="hals", stop=stop, checkpoint=tmp_path / "run", every=1)
    assert count == 12
    pw.NMF(4, solver="cd", tol=0, max_iter=20, verbose=1, random_state=0).fit(DENSE)
    assert "Iteration 10:" in capsys.readouterr().out
    large = sp.random(3000, 2000, 0.03, random_state=0, format="csr")
    assert fit(monkeypatch, 20, large, algorithm="hals", stop=stop)[1] == 12
    assert fit(monkeypatch, 20, DENSE, algorithm="hals", stop=stop)[1] == 1
    assert fit(monkeypatch, 20, DENSE, brief=0, algorithm="hals", stop=stop)[1] == 12
    rarely = pw.AllOf((pw.Frobenius(change=1e-9), pw.Angle(1e-9)), every=1)  # the angle is not asked for in vain
    assert fit(monkeypatch, 20, DENSE, algorithm="hals", stop=[rarely, stop])[1] == 1
    assert fit(monkeypatch, 20, DENSE, algorithm="hals", stop=[pw.Angle(1e-9, every=5), stop])[1] == 3
    assert fit(monkeypatch, 20, DENSE, algorithm="hals", stop=[lambda step: None, stop])[1] == 12

    class Watching(pw.MaxIterations):
        def reason(self, step):
            return super().reason(step) if step.w.any() else None

    assert fit(monkeypatch, 20, DENSE, algorithm="hals", stop=Watching(12))[1] == 12


@pytest.mark.parametrize(("matrix", "call"), [(SPARSE, 40), (DENSE, 7)], ids=["csr", "dense"])
def test_a_time_limit_holds_within_a_stretch(matrix, call, monkeypatch):
    """When time is over, the iterations that have been made are the result; a kernel makes twelve of them in a call."""
    calls = []

    def check_time(workers):
        calls.append(workers)
        if call < len(calls) < call + 4:
            raise OutOfTime

    monkeypatch.setattr(Workers, "check_time", check_time)
    fitted = pw.factorize(matrix, 5, algorithm="hals", stop=pw.MaxIterations(100), threads=1)
    assert fitted.reason is pw.Reason.TIME_LIMIT
    assert 20 < fitted.certificate.iterations < 60


@pytest.mark.parametrize(("rank", "shape"), [(5, (50, 37)), (6, (9, 70)), (11, (70, 13)), (24, (50, 37))])
@pytest.mark.parametrize("sweeps", [1, 3])
@pytest.mark.parametrize("order", "CF")
def test_one_kernel_is_the_half_steps(rank, shape, sweeps, order, monkeypatch):
    """Iterations made by one kernel are those made half-step by half-step, to rounding, with momentum and without."""
    matrix = np.asarray(np.random.default_rng(3).random(shape), order=order)
    matrix[:, 5] = 0
    for algorithm in (pw.hals(sweeps=sweeps), pw.extrapolated(pw.hals(sweeps=sweeps))):
        call = {"algorithm": algorithm, "init": "random", "seed": 1, "stop": pw.MaxIterations(25)}
        one = pw.factorize(matrix, rank, **call)
        with monkeypatch.context() as patch:
            patch.setattr(stretch, "in_one_kernel", lambda *_: False)
            patch.setattr(driver, "in_one_kernel", lambda *_: False)
            other = pw.factorize(matrix, rank, **call)
        np.testing.assert_allclose(one.W, other.W, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(one.history.error, other.history.error, rtol=1e-10)
        np.testing.assert_allclose(one.history.angle[1:], other.history.angle[1:], rtol=1e-4, atol=1e-5)
        plain = np.linalg.norm(matrix - one.W @ one.H) / np.linalg.norm(matrix)
        assert one.error == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize(("matrix", "rank"), [(WIDE, 5), (WIDE.T, 20), (TALL, 24)], ids=["2 blocks", "8", "2 and 4"])
@pytest.mark.parametrize("algorithm", ["hals", "als-hals"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_are_made_by_any_thread(matrix, rank, algorithm, dtype, monkeypatch):
    """The same bits on any number of threads, one that never comes among them, and the numbers of the half-steps."""
    matrix = matrix.astype(dtype)
    call = {"algorithm": algorithm, "init": "random", "seed": 1, "stop": pw.MaxIterations(30)}
    fits = [pw.factorize(matrix, rank, threads=threads, **call) for threads in (1, 2, 5)]
    assert len(kernels.dense_runs.borders(max(matrix.shape), min(matrix.shape), rank, 8)) > 2
    with monkeypatch.context() as patch:
        patch.setattr(kernels.dense_runs, "help_iterations", lambda *_: None)
        fits.append(pw.factorize(matrix, rank, threads=2, **call))
    for fit in fits[1:]:
        same(fits[0], fit)
    monkeypatch.setattr(stretch, "COPIED", 0)
    apart = pw.factorize(matrix, rank, **call)
    np.testing.assert_allclose(fits[0].history.error, apart.history.error, rtol=1e-8 if dtype == np.float64 else 1e-5)


def test_whoever_helps_is_let_go(monkeypatch):
    """After an interrupt and an error between two calls of the kernel, and in a race: no thread goes on waiting."""
    advance = threading.active_count()
    for error in (KeyboardInterrupt, MemoryError):
        counts = []

        def look(*_, error=error, counts=counts):
            counts.append(error)
            if len(counts) == 3:
                raise error
            return False

        with monkeypatch.context() as patch:
            patch.setattr(stretch, "may_stop", look)
            call = {"rank": 5, "algorithm": "hals", "init": "random", "threads": 2, "stop": pw.MaxIterations(50)}
            if error is KeyboardInterrupt:
                assert pw.factorize(WIDE, **call).reason is pw.Reason.INTERRUPTED
            else:
                with pytest.raises(MemoryError):
                    pw.factorize(WIDE, **call)
    race = [pw.factorize(WIDE, 5, restarts=3, threads=threads, stop=pw.MaxIterations(20)) for threads in (1, 2)]
    same(*race)
    assert threading.active_count() == advance


def test_borders_are_those_of_the_data():
    """Blocks cover the rows once, in units of four vectors but for the last one; little work is one block."""
    unit = kernels.dense_runs.tile_width(8)
    assert kernels.dense_runs.tile_width(4) == 2 * unit
    for rows, columns in ((5, 10**6), (40, 10**6), (64, 10**6), (2000, 10**6), (2003, 300), (5000, 30)):
        edges = kernels.dense_runs.borders(rows, columns, 5, 8)
        assert (edges[0], edges[-1]) == (0, rows)
        assert len(edges) in (2, 3, 5, 7, 9)
        assert (edges[:-1] % unit == 0).all()
        assert len(edges) == 2 or (np.diff(edges) >= unit).all()
    assert len(kernels.dense_runs.borders(2003, 30, 5, 8)) == 2


@pytest.mark.parametrize("matrix", [DENSE, WIDE[:300, :200]], ids=["many in a call", "one"])
def test_the_pair_before_the_last_is_kept(matrix, monkeypatch):
    """Also where the iteration after them raised the objective, by rounding, and is left out."""
    lengths, step = [], stretch._step

    def checked(problem, first, before, last, marks):
        np.testing.assert_allclose((before.w.rows * last.w.rows).sum(axis=0), marks[-1].dots, rtol=1e-9)
        lengths.append(len(marks) - 1)
        return step(problem, first, before, last, marks)

    monkeypatch.setattr(stretch, "_step", checked)
    pw.factorize(matrix, 5, algorithm="hals", seed=0, stop=pw.MaxIterations(1500))
    assert min(lengths[:-1]) < max(lengths)
