"""factorize: what comes back, which iterate, polish, restarts, interrupts, and the certificate."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted

import partwise as pw


def kkt_by_hand(a, w, h, lam_w=0.0, lam_h=0.0):
    """DESIGN section 5, dense and in the open."""
    grad_w = w @ (h @ h.T) - a @ h.T + lam_w * w
    grad_h = (w.T @ w) @ h - w.T @ a + lam_h * h
    b, c = np.linalg.norm(h, axis=1), np.linalg.norm(w, axis=0)
    r2 = np.sum(np.minimum(w * b, grad_w / b) ** 2) + np.sum(np.minimum(h * c[:, None], grad_h / c[:, None]) ** 2)
    return np.sqrt(r2) / np.linalg.norm(a)


def test_what_comes_back(small):
    """W is m × k, H k × n, the history starts at iteration 0 and the reason is a sentence."""
    fit = pw.factorize(small, 4, algorithm="acls", stop=pw.MaxIterations(7))
    assert fit.W.shape == (30, 4)
    assert fit.H.shape == (4, 24)
    assert list(fit.history.iteration) == list(range(8))
    assert np.all(np.diff(fit.history.seconds) > 0)
    assert np.isnan(fit.history.angle[0])
    assert fit.history.dtype.names == ("iteration", "seconds", "error", "angle", "kkt")
    assert str(fit.reason).endswith(".")
    assert fit.error == pytest.approx(np.linalg.norm(small - fit.W @ fit.H) / np.linalg.norm(small), rel=1e-9)


@pytest.mark.parametrize("name", ["acls", "hals", "anls", "gdcls", "multiplicative", "als-hals"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csc_array], ids=["dense", "sparse"])
def test_kkt_by_hand(name, kind, small):
    """The certificate's residual is the formula's, at the returned point, for the objective that was minimised."""
    fit = pw.factorize(kind(small), 3, algorithm=name, stop=pw.MaxIterations(9))
    lam = fit.algorithm.w.penalty.strength, fit.algorithm.h.penalty.strength
    assert fit.certificate.kkt == pytest.approx(kkt_by_hand(small, fit.W, fit.H, *lam), rel=1e-8)
    row = fit.history[fit.history.iteration == fit.certificate.returned]
    assert row.kkt[0] == fit.certificate.kkt


def test_verdicts(small):
    """r ≤ 1e-4 is stationary, ≤ 1e-2 nearly, else not; no minimum and no residual have words of their own."""
    assert pw.factorize(small, 3, stop=pw.Stationarity(1e-5)).certificate.verdict == "stationary"
    nearly = pw.factorize(small, 3, init="random", stop=pw.Stationarity(9e-3, every=1))
    assert nearly.certificate.verdict == "nearly stationary"
    random = pw.factorize(small, 3, init="random", stop=pw.MaxIterations(0))
    assert random.certificate.verdict == "not stationary"
    alp = pw.factorize(small, 3, algorithm="alp", stop=pw.MaxIterations(1)).certificate
    assert alp.kkt is None
    assert "not defined" in alp.verdict
    with pytest.warns(RuntimeWarning, match="factor became zero"):
        lost = pw.factorize(small * 1e-3, 3, algorithm=pw.ahcls(1, 1, 0.9, 0.9), stop=pw.MaxIterations(0)).certificate
    assert "no minimum" in lost.verdict


def test_best_iterate_is_returned():
    """Where a method is not monotone the best iterate comes back; on request the last."""
    for seed in range(40):
        a = planted(20, 16, 4, seed=seed, noise=0.5)
        best = pw.factorize(a, 4, algorithm="als", init="random", seed=seed, stop=pw.MaxIterations(15))
        last = pw.factorize(a, 4, algorithm="als", init="random", seed=seed, stop=pw.MaxIterations(15), keep="last")
        assert best.error == best.history.error.min()
        assert last.error == pytest.approx(last.history.error[-1])
        if best.error < last.error:
            assert best.certificate.returned < 15
            assert np.linalg.norm(a - best.W @ best.H) < np.linalg.norm(a - last.W @ last.H)
            return
    pytest.fail("no run in forty ended above its best iterate, so the test shows nothing")


def test_best_is_by_the_penalised_objective():
    """With a penalty the best iterate is the one with the least penalised objective, not the least error."""
    a = planted(20, 16, 4, noise=0.5)
    steps = pw.iterate(a, 4, algorithm=pw.acls(5, 5), init="random")
    values = [next(steps).objective for _ in range(16)]
    fit = pw.factorize(a, 4, algorithm=pw.acls(5, 5), init="random", stop=pw.MaxIterations(15))
    assert fit.certificate.returned == int(np.argmin(values))


def test_polish_goes_on_and_keeps_the_penalty(small):
    """A polish starts from the best iterate, counts on, ends stationary and minimises the same objective."""
    fit = pw.factorize(small, 3, algorithm=pw.acls(0.3, 0.2), polish="hals", stop=pw.MaxIterations(10))
    assert fit.algorithm.w.penalty.lam == 0.3
    assert fit.algorithm.h.penalty.lam == 0.2
    assert fit.reason is pw.Reason.STATIONARY
    assert fit.certificate.verdict == "stationary"
    assert list(fit.history.iteration) == list(range(len(fit.history)))
    assert fit.certificate.kkt == pytest.approx(kkt_by_hand(small, fit.W, fit.H, 0.3, 0.2), rel=1e-4, abs=1e-9)
    first = pw.factorize(small, 3, algorithm=pw.acls(0.3, 0.2), stop=pw.MaxIterations(10))
    objective = [
        np.linalg.norm(small - f.W @ f.H) ** 2 + 0.3 * np.sum(f.W**2) + 0.2 * np.sum(f.H**2) for f in (fit, first)
    ]
    assert objective[0] < objective[1]


def test_the_best_of_an_unbounded_objective_is_by_error():
    """Where AHCLS's objective has no minimum, the least objective is no merit; the least error is."""
    a = planted(40, 30, 6, seed=3)
    fit = pw.factorize(a, 6, algorithm="ahcls", init="random", stop=pw.MaxIterations(20))
    assert fit.error == fit.history.error.min() < 1


def test_a_polish_counts_its_own_iterations(small):
    """polish_stop=MaxIterations(5) makes five iterations, whatever went before."""
    fit = pw.factorize(
        small, 3, algorithm="acls", stop=pw.MaxIterations(8), polish="hals", polish_stop=pw.MaxIterations(5)
    )
    assert fit.certificate.iterations == 13


def test_polish_is_refused_for_targets(small):
    """A polish would undo hoyer's targets, so it is refused."""
    with pytest.raises(ValueError, match="undo the sparsity targets"):
        pw.factorize(small, 3, algorithm="hoyer", polish="hals")


def test_restarts_return_the_best(small):
    """Of several seeds the best result is returned, with its own seed in the certificate."""
    alone = [pw.factorize(small, 4, init="random", seed=s, stop=pw.MaxIterations(8)) for s in range(3, 8)]
    best = pw.factorize(small, 4, init="random", seed=3, restarts=5, stop=pw.MaxIterations(8))
    wanted = min(alone, key=lambda fit: fit.error)
    assert best.error == wanted.error
    assert best.certificate.seed == wanted.certificate.seed
    assert np.array_equal(best.W, wanted.W)


def test_a_drawn_seed_is_noted(small):
    """seed=None draws one; the certificate's seed gives the same bits again."""
    fit = pw.factorize(small, 3, seed=None, init="random", stop=pw.MaxIterations(3))
    again = pw.factorize(small, 3, seed=fit.certificate.seed, init="random", stop=pw.MaxIterations(3))
    assert np.array_equal(fit.W, again.W)


def test_starting_again_from_a_pair(small):
    """From (W, H) step 0 is that pair, and a result as the start continues it."""
    fit = pw.factorize(small, 3, algorithm="anls", stop=pw.MaxIterations(5))
    step = next(pw.iterate(small, 3, algorithm="anls", init=(fit.W, fit.H)))
    assert np.array_equal(step.w, fit.W)
    assert np.array_equal(step.h.T, fit.H)
    assert step.error == pytest.approx(fit.error, rel=1e-12)
    longer = pw.factorize(small, 3, algorithm="anls", stop=pw.MaxIterations(10))
    resumed = pw.factorize(small, 3, algorithm="anls", init=fit, stop=pw.MaxIterations(5))
    np.testing.assert_allclose(resumed.W, longer.W, rtol=1e-9, atol=1e-12)


def test_an_interrupt_returns_what_there_is(small):
    """Ctrl-C in the middle of a run gives the best iterate with that reason."""

    class Interrupt(pw.MaxIterations):
        def reason(self, step):
            if step.iteration == 4:
                raise KeyboardInterrupt

    fit = pw.factorize(small, 3, stop=Interrupt(1))
    assert fit.reason is pw.Reason.INTERRUPTED
    assert fit.certificate.returned == 4


@pytest.mark.parametrize("side", ["sparsity_w", "sparsity_h"])
def test_hoyer_meets_its_targets_in_a_run(side, small):
    """Every nonzero row of the returned factor has the sparsity asked for, to .01; the other side is free."""
    free = {"sparsity_w": "sparsity_h", "sparsity_h": "sparsity_w"}[side]
    algorithm = pw.hoyer_target(**{side: 0.7, free: None})
    fit = pw.factorize(sp.csr_array(small), 5, algorithm=algorithm, stop=pw.MaxIterations(30))
    found = pw.hoyer(fit.w if side == "sparsity_w" else fit.h, axis=1)
    np.testing.assert_allclose(found[~np.isnan(found)], 0.7, atol=0.01)


def test_locked_zeros_are_counted(small):
    """Multiplicative updates from a start with zeros lock them wrongly; the certificate counts them."""
    start = np.random.default_rng(0).random((30, 3))
    start[start < 0.5] = 0
    fit = pw.factorize(small, 3, algorithm="multiplicative", init=start, stop=pw.MaxIterations(20))
    gradient = fit.W @ (fit.H @ fit.H.T) - small @ fit.H.T
    wanted = int(np.sum((fit.W == 0) & (gradient < -1e-7 * abs(small @ fit.H.T))))
    assert fit.certificate.w.locked == wanted > 0
    free = pw.factorize(small, 3, algorithm="anls", init=start, stop=pw.Stationarity(1e-7))
    assert free.certificate.w.locked == free.certificate.h.locked == 0


def test_certificate_numbers_by_hand(small):
    """Error, share explained, SVD ratio, sparsity by row and by topic, zeros and storage, all recomputed here."""
    a = small.copy()
    a[3] = 0
    fit = pw.factorize(a, 3, svd=True, stop=pw.MaxIterations(20))
    c = fit.certificate
    s = np.linalg.svd(a, compute_uv=False)
    error = np.linalg.norm(a - fit.W @ fit.H)
    assert c.svd_ratio == pytest.approx(error / np.sqrt(np.sum(s[3:] ** 2)), rel=1e-6)
    assert c.explained == pytest.approx(1 - (error / np.linalg.norm(a)) ** 2)
    assert c.w.zero_rows == np.sum(~fit.W.any(axis=1)) >= 1
    assert c.w.sparsity_by_row == pytest.approx(np.nanmean(pw.hoyer(fit.W, axis=1)))
    assert c.h.sparsity_by_topic == pytest.approx(np.nanmean(pw.hoyer(fit.H, axis=1)))
    assert c.w.sparse_bytes == sum(x.nbytes for x in vars_of(sp.csr_array(fit.W)))
    assert c.svd_bytes == 8 * 3 * (30 + 24 + 1)


def vars_of(csr):
    return csr.data, csr.indices.astype(np.int32), csr.indptr.astype(np.int32)


def test_duplicate_topics_are_named():
    """Two columns of W in the same direction are reported as a pair."""
    a = planted(20, 15, 3)
    w = np.random.default_rng(0).random((20, 3))
    w[:, 2] = 3 * w[:, 0]
    assert pw.factorize(a, 3, init=w, stop=pw.MaxIterations(0)).certificate.duplicate_topics == ((0, 2),)


def test_certificate_is_plain_and_printable(small):
    """as_dict is JSON without NaN; print has the verdict and the reason; the last angles are per topic."""
    fit = pw.factorize(small, 3, algorithm="alp", stop=pw.MaxIterations(2))
    plain = json.loads(json.dumps(fit.certificate.as_dict(), allow_nan=False))
    assert plain["rank"] == 3
    assert len(plain["angles"]) == 3
    assert fit.certificate.verdict in str(fit)
    assert str(fit.reason) in str(fit.certificate)
    assert {"partwise", "numpy", "scipy", "numba", "python"} == set(plain["versions"])


def test_settled_h_is_what_transform_gives(small):
    """settle=True ends with the exact H for W, the same numbers as transform of the training data."""
    fit = pw.factorize(small, 3, algorithm="acls", settle=True, stop=pw.MaxIterations(4))
    np.testing.assert_allclose(fit.H, fit.transform(small), rtol=1e-12)
    assert fit.error == pytest.approx(np.linalg.norm(small - fit.W @ fit.H) / np.linalg.norm(small), rel=1e-9)


def test_default_ends_nearly_stationary():
    """The default algorithm, start and rule end nearly stationary or better, well before the cap."""
    for seed in range(5):
        fit = pw.factorize(planted(80, 60, 6, seed=seed, noise=0.3), 6, seed=seed)
        assert fit.certificate.verdict in ("stationary", "nearly stationary")
        assert fit.certificate.iterations < 500
