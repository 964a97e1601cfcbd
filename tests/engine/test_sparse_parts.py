"""Components with the sparsity that was asked for."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw
from partwise.engine.component_sparsity import threshold
from partwise.engine.run import Run
from partwise.estimator import NMF

RANDOM = np.random.default_rng(0).random((60, 40))


@pytest.mark.parametrize("algorithm", ["als-hals", "hals", "anls", "als"])
def test_random_columns_meet_their_target(algorithm):
    """Target .75 on random data, where rows of .75 give columns of .36: every column within .01, H free."""
    fit = pw.factorize(RANDOM, 6, algorithm=pw.sparse_parts(algorithm, w=0.75))
    assert abs(pw.hoyer(fit.W, axis=0) - 0.75).max() <= 0.01
    assert pw.hoyer(fit.H, axis=1).max() < 0.3
    assert fit.certificate.kkt <= 1e-2
    assert all(target.verdict == "met" for target in fit.certificate.targets)
    assert "6 met of 6" in str(fit.certificate)


def test_the_certificate_is_of_the_final_penalty():
    """The pair is a minimum of the objective with the certificate's θ in every direction, and KKT says so."""
    fit = pw.factorize(RANDOM, 4, algorithm=pw.sparse_parts("hals", w=0.6), stop=pw.Stationarity(1e-5))
    assert fit.certificate.kkt <= 1e-5
    theta, rng = np.array([t.theta for t in fit.certificate.targets]), np.random.default_rng(0)

    def objective(w, h):
        return ((RANDOM - w @ h) ** 2).sum() + theta @ (w.sum(axis=0) * np.linalg.norm(h, axis=1))

    best = objective(fit.W, fit.H)
    for size in (1e-3, 1e-4):
        for _ in range(20):
            assert objective(np.maximum(0, fit.W + size * rng.standard_normal(fit.W.shape)), fit.H) >= best
            assert objective(fit.W, np.maximum(0, fit.H + size * rng.standard_normal(fit.H.shape))) >= best


@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).random(RANDOM.shape)])
def test_the_penalties_are_frozen_and_the_objective_falls(weights, monkeypatch):
    """Once θ has settled it stays as it is, and from there on the objective never rises; weights or none."""
    steps, take = [], Run.take

    def noted(run, step):
        steps.append(step)
        take(run, step)

    monkeypatch.setattr(Run, "take", noted)
    fit = pw.factorize(RANDOM, 4, algorithm=pw.sparse_parts("hals", w=0.7), weights=weights)
    frozen = [step for step in steps if step.thetas.frozen]
    assert 1 < len(frozen) < len(steps) / 2
    assert len({step.thetas.w for step in frozen}) == 1
    assert (np.diff([step.objective for step in frozen]) <= 1e-12 * frozen[0].objective).all()
    assert abs(pw.hoyer(fit.W, axis=0) - 0.7).max() <= 0.01
    assert tuple(t.theta for t in fit.certificate.targets) == frozen[-1].thetas.w
    values = np.ones(RANDOM.shape) if weights is None else weights
    parts = (values * (RANDOM - fit.W @ fit.H) ** 2).sum()
    penalty = np.array(frozen[-1].thetas.w) @ (fit.W.sum(axis=0) * np.linalg.norm(fit.H, axis=1))
    assert frozen[-1].objective == pytest.approx(parts + penalty, rel=1e-9)


@pytest.mark.parametrize("long", [0, 1])
def test_holes_on_disk_take_the_same_path(tmp_path, long):
    """Parts along either axis, a third of the entries unknown: the factors of memory."""
    holes = np.where(np.random.default_rng(1).random(RANDOM.shape) < 0.3, np.nan, RANDOM)
    settings = {"algorithm": pw.sparse_parts("hals", w=0.7), "stop": pw.MaxIterations(10), "init": "random"}
    pw.write_matrix(tmp_path / "holes", holes, missing="nan", long=long, part_bytes=4000)
    stored = pw.open_matrix(tmp_path / "holes")
    here, there = pw.factorize(holes, 3, missing="nan", **settings), pw.factorize(stored, 3, **settings)
    assert stored.split is not None
    assert np.allclose(np.asarray(there.W), here.W, atol=1e-9)


def test_planted_parts_and_targets_one_by_one():
    """A component that is sparser already keeps θ = 0; one target each; H's components too."""
    a = planted(60, 50, 3, noise=0, density=0.2)
    fit = pw.factorize(a, 3, algorithm=pw.sparse_parts(w=0.1))
    assert fit.error < 1e-2
    assert {(t.verdict, t.theta) for t in fit.certificate.targets} == {("sparser already", 0.0)}
    each = pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("hals", w=[0.5, 0.6, 0.7]))
    assert np.allclose(pw.hoyer(each.W, axis=0), [0.5, 0.6, 0.7], atol=0.01)
    both = pw.factorize(a + 0.05, 3, algorithm=pw.sparse_parts("hals", w=0.7, h=0.75))
    assert all(target.fulfilled for target in both.certificate.targets)
    assert {target.factor for target in both.certificate.targets} == {"W", "H"}


def test_the_same_path_at_any_scale_and_on_sparse_data():
    """A and cA have the same columns up to scale; CSR and dense agree; threads change nothing."""
    settings = {"algorithm": pw.sparse_parts("hals", w=0.7), "stop": pw.MaxIterations(30)}
    one = pw.factorize(RANDOM, 4, **settings)
    other = pw.factorize(RANDOM * 2.0**20, 4, **settings)
    assert one.error == pytest.approx(other.error, rel=1e-9)
    assert np.allclose(one.W / one.W.max(), other.W / other.W.max(), atol=1e-9)
    stored = pw.factorize(sp.csr_array(RANDOM), 4, **settings, threads=1)
    assert np.allclose(stored.W, one.W, atol=1e-6)
    assert np.array_equal(stored.W, pw.factorize(sp.csr_array(RANDOM), 4, **settings, threads=2).W)


def test_components_that_miss_are_named():
    """Where the penalty leaves nothing, and where a frozen component has another sparsity, the certificate says so."""
    gone = pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("hals", w=0.95, h=0.95))
    assert gone.reason is pw.Reason.COLLAPSED
    assert "W's component 0 has" in str(gone.certificate)
    assert "leaves nothing to fit" in str(gone.certificate)
    w = np.random.default_rng(1).random((60, 3))
    held = pw.factorize(RANDOM, 3, algorithm=pw.frozen(pw.sparse_parts("hals", w=0.6), w=[0]), init=w)
    assert np.array_equal(held.W[:, 0], w[:, 0])
    assert [target.fulfilled for target in held.certificate.targets] == [False, True, True]
    assert "for 0.6, since it is frozen" in str(held.certificate)


def test_checkpoints_files_and_transform(tmp_path, monkeypatch):
    """A run goes on bit for bit, a file keeps θ, and transform is the H of the same objective."""
    path, saved = tmp_path / "run", tmp_path / "fit"
    settings = {"algorithm": pw.sparse_parts(w=0.7), "init": "random-acol"}
    whole = pw.factorize(RANDOM, 4, **settings)
    take = Run.take

    def take_some(run, step):
        take(run, step)
        if step.iteration == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "take", take_some)
    broken = pw.factorize(RANDOM, 4, **settings, checkpoint=path)
    assert broken.reason is pw.Reason.INTERRUPTED
    monkeypatch.undo()
    for _ in range(2):  # the rest of the run, and then its kept result
        resumed = pw.factorize(RANDOM, 4, **settings, checkpoint=path)
        assert np.array_equal(resumed.W, whole.W)
        assert resumed.certificate.targets == whole.certificate.targets
        assert resumed.algorithm == whole.algorithm
    fit = pw.factorize(RANDOM, 4, **settings, settle=True)
    fit.save(saved)
    loaded = pw.load(saved)
    assert loaded.algorithm == fit.algorithm
    assert loaded.certificate.targets == fit.certificate.targets
    assert np.allclose(loaded.transform(RANDOM), fit.H, atol=1e-10)
    assert fit.error == pytest.approx(whole.error, rel=1e-3)


def test_restarts_and_the_estimator():
    """Restarts compare errors, and NMF takes the object."""
    fit = pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("hals", w=0.6), restarts=2)
    assert abs(pw.hoyer(fit.W, axis=0) - 0.6).max() <= 0.01
    model = NMF(3, algorithm=pw.sparse_parts("hals", w=0.6), random_state=0)
    h = model.fit_transform(RANDOM.T)
    assert abs(pw.hoyer(model.components_, axis=1) - 0.6).max() <= 0.01
    assert np.allclose(h, model.transform(RANDOM.T), atol=1e-6)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: pw.sparse_parts("hals"), "needs a target for w, for h"),
        (lambda: pw.sparse_parts("hals", w=1.0), r"number in \[0, 1\)"),
        (lambda: pw.sparse_parts("acls", w=0.5), "has a penalty already"),
        (lambda: pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("hals", w=[0.5, 0.5])), "one sparsity target or 3"),
        (lambda: pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("kl-sweeps", w=0.5)), "makes nothing sparse"),
        (lambda: pw.factorize(RANDOM, 3, algorithm=pw.sparse_parts("hoyer", w=0.5)), "cannot carry the penalty"),
        (lambda: NMF(3, algorithm=pw.sparse_parts(w=0.5)).partial_fit(RANDOM), "partial_fit cannot hold"),
    ],
)
def test_misuse_is_one_sentence(call, sentence):
    """What cannot have a target is refused before any work."""
    with pytest.raises(ValueError, match=sentence):
        call()


def test_the_threshold_is_the_least_one():
    """Against a fine grid; a column that is sparse enough needs none; equal entries leave at least one."""
    column = np.random.default_rng(0).standard_normal(500)
    tau = threshold(column, 0.9)
    assert pw.hoyer(np.maximum(0, column - tau)) == pytest.approx(0.9, abs=1e-6)
    assert pw.hoyer(np.maximum(0, column - 0.99 * tau)) < 0.9
    assert threshold(np.eye(1, 50)[0], 0.9) == 0.0
    assert threshold(-np.ones(5), 0.5) == 0.0
    assert np.maximum(0, np.ones(9) - threshold(np.ones(9), 0.5)).any()
