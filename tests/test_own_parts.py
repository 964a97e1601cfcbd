"""Parts that are added from outside through the public tables work everywhere that those of the package do."""

from dataclasses import dataclass

import numpy as np
import own_parts
import pytest
import scipy.sparse as sp
from kept_runs import Killed
from own_parts import Columns, Doubled, GradientStep, Patience, Toll
from planted import planted

import partwise as pw
from partwise.engine.checkpoint import Checkpoint
from partwise.testing import check_data, check_init, check_loss, check_penalty, check_stop, check_update

A = planted(30, 24, 4, noise=0.3)
STOP = pw.MaxIterations(9)
PARTS = {
    "update": {"algorithm": "gradient"},
    "update with momentum": {"algorithm": pw.extrapolated("gradient")},
    "start": {"init": "first-columns"},
    "start with settings": {"init": own_parts.FirstColumns(0.5)},
    "rule": {"stop": [Patience(5.0), STOP]},
    "rule among rules": {"stop": (Patience(5.0) & pw.Frobenius(change=1e-3)) | STOP},
    "penalty": {"algorithm": pw.penalised("hals", w=Toll(), h=Toll(0.05))},
    "penalty on an update of one's own": {"algorithm": pw.penalised("gradient", h=Toll())},
    "loss": {"loss": "half-squared"},
    "all of them": {"algorithm": pw.penalised("gradient", w=Toll()), "init": "first-columns", "stop": Patience(9.0)},
}


LINES = [
    (pw.ALGORITHMS, "gradient"),
    (pw.INITS, "first-columns"),
    (pw.RULES, "Patience"),
    (pw.PENALTIES, "Toll"),
    (pw.LOSSES, "half-squared"),
    (pw.ALGORITHMS, "half-hals"),
]
ENTRIES = [table.pop(name) for table, name in LINES]  # other tests run over the tables as they are


@pytest.fixture(autouse=True)
def own_lines(monkeypatch):
    """The tables with the lines that the file has added."""
    for (table, name), entry in zip(LINES, ENTRIES, strict=True):
        monkeypatch.setitem(table, name, entry)


def same(one, two):
    """The same factors, bit for bit."""
    assert np.array_equal(one.w, two.w)
    assert np.array_equal(one.h, two.h)


def in_parts(matrix):
    """The same matrix in parts of seven columns, sparse ones."""
    return Columns(lambda lo, hi: sp.csc_array(matrix[:, lo:hi]), matrix.shape, 7)


KINDS = {"dense": np.asarray, "sparse": sp.csr_array, "own data": Doubled, "own data in parts": in_parts}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("what", PARTS)
def test_factorize_checkpoint_resume_and_certificate(what, kind, tmp_path, monkeypatch):
    """A run with it is certified, and one that is killed in the middle is resumed from the file alone, bit for bit."""
    settings, matrix = {"stop": STOP, "seed": 3, "init": "random"} | PARTS[what], kind(A)
    fit = pw.factorize(matrix, 4, **settings)
    assert fit.certificate.kkt is not None
    assert 0 < fit.error < 1
    tick, ticks = Checkpoint.tick, iter(range(1, 100))

    def killed(self, state):
        tick(self, state)
        if next(ticks) == 2:
            raise Killed

    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "tick", killed)
        with pytest.raises(Killed):
            pw.factorize(matrix, 4, **settings, checkpoint=path, every=1)
    same(pw.resume(path).go(matrix), fit)
    same(pw.resume(path).go(matrix), fit)


@pytest.mark.parametrize("what", [name for name in PARTS if "algorithm" in PARTS[name]])
def test_files_hold_it(what, tmp_path):
    """A saved result knows its algorithm again, penalty and all, and transforms as before."""
    fit = pw.factorize(A, 4, **{"stop": STOP} | PARTS[what])
    fit.save(tmp_path / "fit")
    again = pw.load(tmp_path / "fit")
    assert again.algorithm == fit.algorithm
    assert np.array_equal(again.transform(A), fit.transform(A))


def test_the_estimator_takes_them():
    """In scikit-learn's way: an algorithm and a start by name, and data of one's own as X."""
    model = pw.NMF(3, algorithm="gradient", init="first-columns", random_state=0, max_iter=5, tol=0)
    weights = model.fit_transform(A.T)
    assert np.allclose(weights, model.transform(A.T), rtol=1e-6)
    own = pw.NMF(3, random_state=0, max_iter=5, tol=0).fit(Doubled(A.T))
    assert np.allclose(own.components_, pw.NMF(3, random_state=0, max_iter=5, tol=0).fit(2 * A.T).components_)
    assert np.allclose(own.transform(Doubled(A.T)), own.transform(2 * A.T))


def test_data_of_ones_own_are_any_data():
    """The same factors as of the matrix that it stands for, to rounding; plan, ranks and the SVD take it too."""
    for algorithm in ("als-hals", "acls", "multiplicative", "hoyer"):
        one, two = (pw.factorize(m, 4, algorithm=algorithm, stop=STOP) for m in (Doubled(A), 2 * A))
        assert np.allclose(one.w @ one.H, two.w @ two.H, rtol=1e-8)
    assert pw.plan(Doubled(A), 3).memory > 0
    assert np.allclose(pw.truncated_svd(Doubled(A), 3).s, pw.truncated_svd(2 * A, 3).s)
    assert pw.ranks(Doubled(A), [2, 3], runs=2, stop=STOP).recommended in (2, 3)
    assert (
        pw.factorize(Doubled(A), 4, restarts=3, stop=STOP).error <= pw.factorize(Doubled(A), 4, stop=STOP).error + 0.1
    )


@pytest.mark.parametrize("break_it", ["dtype", "shape", "negative"])
def test_data_that_break_the_law_are_refused(break_it):
    """One sentence before any work."""
    matrix = Doubled(A)
    if break_it == "dtype":
        matrix.dtype = np.dtype(int)
    elif break_it == "shape":
        matrix.shape = (0, 24)
    else:
        matrix.half = -matrix.half
    with pytest.raises((TypeError, ValueError), match=r"\.$"):
        pw.factorize(matrix, 3)


def test_the_laws_can_be_checked():
    """The public checks pass for every one of them."""
    rng = np.random.default_rng(0)
    fixed = rng.random((9, 4))
    check_update(GradientStep(), fixed.T @ fixed, rng.random((7, 4)), rng.random((7, 4)))
    check_data(pw.as_data(Doubled(A)), 2 * A)
    check_data(pw.as_data(in_parts(A)), A)
    check_init(own_parts.FirstColumns(), pw.as_data(A), 3)
    steps = [step for step, _ in zip(pw.iterate(A, 3), range(6), strict=False)]
    check_stop(Patience(5.0), steps)
    check_penalty(Toll(), 4)


def test_a_linear_penalty_is_minimised():
    """The penalised objective falls, and the point is stationary for it: the KKT residual goes to zero."""
    fit = pw.factorize(A, 4, algorithm=pw.penalised("hals", w=Toll(0.5), h=Toll(0.5)), stop=pw.Stationarity(1e-6))
    assert fit.certificate.verdict == "stationary"
    x, gram = fit.w, fit.H @ fit.H.T
    gradient = x @ (gram + Toll().matrix(4)) - A @ fit.H.T + 0.5 * Toll(0.5).linear(4)
    assert np.all(gradient > -1e-5 * abs(A @ fit.H.T).max())
    assert np.allclose(gradient * x, 0, atol=1e-4 * abs(A @ fit.H.T).max())


def test_frozen_components_stay():
    """W's frozen columns are those of the start; the rest is as good as with them held by hand."""
    start = np.random.default_rng(0).random((30, 4))
    for name in ("hals", "als-hals", "anls", "acls", "multiplicative", "gradient"):
        fit = pw.factorize(A, 4, algorithm=pw.frozen(name, w=[1, 3]), init=start, stop=pw.MaxIterations(60))
        assert np.array_equal(fit.w[:, [1, 3]], start[:, [1, 3]])
        assert fit.error < pw.factorize(A, 4, algorithm="hals", init=start, stop=pw.MaxIterations(0)).error
        assert "W 1 and 3 frozen" in str(fit.algorithm)
    with pytest.raises(ValueError, match="nothing left to find"):
        pw.factorize(A, 2, algorithm=pw.frozen("hals", w=[0, 1]), init=start[:, :2])
    with pytest.raises(ValueError, match="from 0 to 3"):
        pw.factorize(A, 4, algorithm=pw.frozen("hals", w=[4]), init=start)


def test_frozen_components_of_h_stay_in_a_settled_run():
    """The exact H keeps what is frozen; other columns have no weights for it, which is a sentence."""
    start = np.random.default_rng(0).random((30, 4)), np.random.default_rng(1).random((4, 24))
    fit = pw.factorize(A, 4, algorithm=pw.frozen("hals", h=[2]), init=start, settle=True, stop=STOP)
    assert np.array_equal(fit.H[2], start[1][2])
    with pytest.raises(ValueError, match="freeze components of W alone"):
        fit.transform(A)


def test_frozen_components_are_never_reseeded_and_survive_a_polish(tmp_path):
    """A frozen column that explains nothing stays; a polish by name holds it; a checkpoint knows it in any process."""
    start = np.random.default_rng(0).random((30, 4))
    start[:, 1] = np.eye(30)[3] * 1e-12
    matrix = A * (np.arange(30) != 3)[:, None]
    settings = {"algorithm": pw.frozen("anls", w=[1]), "init": start, "polish": "hals", "stop": STOP}
    fit = pw.factorize(matrix, 4, **settings, polish_stop=STOP, checkpoint=tmp_path / "run")
    assert np.array_equal(fit.w[:, 1], start[:, 1])
    assert fit.certificate.reseeded == 0
    assert "0x" not in (tmp_path / "run").read_bytes().decode("latin-1").split("settings")[1][:4000]
    again = pw.factorize(matrix, 4, **settings, polish_stop=STOP, checkpoint=tmp_path / "run")
    same(fit, again)
    assert fit.algorithm == again.algorithm


def test_a_penalty_in_no_table_can_be_used_but_not_read():
    """A run with it works and saves; the file does not know the algorithm again, and says so when it is needed."""

    @dataclass(frozen=True)
    class Unlisted(Toll):
        """Not in the table."""

    fit = pw.factorize(A, 3, algorithm=pw.penalised("hals", w=Unlisted()), stop=STOP)
    meta, arrays = fit.stored()
    assert pw.Factorization.from_stored(meta, arrays).algorithm is None


def test_alp_takes_neither_penalties_nor_frozen_components():
    """One sentence before any work."""
    for algorithm in (pw.penalised("alp", w=pw.Quadratic(1.0)), pw.frozen("alp", w=[0])):
        with pytest.raises(ValueError, match="takes no penalties and no frozen components"):
            pw.factorize(A[:8, :7], 2, algorithm=algorithm)


def test_the_loss_keeps_its_law():
    """A loss of one's own passes the public check."""
    check_loss(pw.LOSSES["half-squared"], pw.ALGORITHMS["half-hals"](), A)
