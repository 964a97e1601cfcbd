"""Exact rows against scipy's NNLS, and descent where a method promises it."""

import numpy as np
import pytest
from planted import planted
from scipy.optimize import brentq, nnls

import partwise as pw
from partwise.algorithms.updates import (
    Barrier,
    CoordinateSweeps,
    FastActiveSet,
    HoyerCone,
    LawsonHanson,
    LeastAbsolute,
    Multiplicative,
    Pivoting,
    ProjectedGradient,
)

EXACT = [Pivoting(), FastActiveSet(), LawsonHanson(), Barrier()]
MONOTONE = [*EXACT, Multiplicative(), CoordinateSweeps(1), CoordinateSweeps(3), ProjectedGradient()]


def named(update):
    return type(update).__name__


def rows_problem(seed, rank, rows=12, rough=False):
    """Rows of A against a fixed factor; ``rough`` has nearly parallel columns of very different lengths."""
    rng = np.random.default_rng(seed)
    fixed = rng.random((3 * rank, rank))
    if rough:
        fixed = (fixed[:, :1] + 1e-3 * fixed) * 10.0 ** rng.integers(-4, 4, rank)
    a = rng.random((rows, 3 * rank)) * (rng.random((rows, 3 * rank)) < 0.5)
    return fixed, a


def objective(gram, rhs, x):
    return 0.5 * np.einsum("ij,jk,ik->i", x, gram, x) - np.einsum("ij,ij->i", rhs, x)


@pytest.mark.parametrize("update", EXACT, ids=named)
@pytest.mark.parametrize("seed", range(8))
def test_rows_are_scipys(update, seed):
    """A row is the solution of scipy.optimize.nnls, to 1e-8 of its largest entry."""
    fixed, a = rows_problem(seed, rank=2 + seed)
    found = update(fixed.T @ fixed, a @ fixed, np.zeros((len(a), fixed.shape[1])))
    wanted = np.array([nnls(fixed, row)[0] for row in a])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8 * wanted.max())


@pytest.mark.parametrize("update", EXACT, ids=named)
@pytest.mark.parametrize("seed", range(4))
def test_rough_rows_reach_scipys_objective(update, seed):
    """With nearly parallel columns of unequal lengths the fit is as good as scipy's, though minimisers may differ."""
    fixed, a = rows_problem(seed, rank=6, rough=True)
    found = update(fixed.T @ fixed, a @ fixed, np.zeros((len(a), 6)))
    for row, x in zip(a, found, strict=True):
        best = nnls(fixed, row)[1]
        assert np.linalg.norm(row - fixed @ x) <= best * (1 + 1e-6)


@pytest.mark.parametrize("update", EXACT, ids=named)
def test_singular_gram_reaches_the_minimum(update):
    """With twin columns many rows are minimisers; the objective is the one scipy finds."""
    fixed, a = rows_problem(3, rank=5)
    fixed[:, 4] = fixed[:, 0]
    gram, rhs = fixed.T @ fixed, a @ fixed
    found = update(gram, rhs, np.zeros((len(a), 5)))
    wanted = np.array([nnls(fixed, row)[0] for row in a])
    np.testing.assert_allclose(objective(gram, rhs, found), objective(gram, rhs, wanted), rtol=1e-9)


@pytest.mark.parametrize("update", EXACT, ids=named)
def test_penalised_rows_are_scipys(update):
    """λ‖x‖² is NNLS with √λ I below the columns: a penalty only changes the gram."""
    fixed, a = rows_problem(6, rank=5)
    found = update(fixed.T @ fixed + 0.3 * np.eye(5), a @ fixed, np.zeros((len(a), 5)))
    tall = np.vstack([fixed, np.sqrt(0.3) * np.eye(5)])
    wanted = np.array([nnls(tall, np.r_[row, np.zeros(5)])[0] for row in a])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-8 * wanted.max())


def test_barrier_zeros_are_exact():
    """The interior point's small entries are rounded: the zeros are scipy's zeros."""
    fixed, a = rows_problem(9, rank=6, rows=40)
    found = Barrier()(fixed.T @ fixed, a @ fixed, np.zeros((40, 6)))
    wanted = np.array([nnls(fixed, row)[0] for row in a])
    assert np.array_equal(found > 0, wanted > 0)
    assert (found == 0).any()


@pytest.mark.parametrize("update", MONOTONE, ids=named)
def test_objective_never_rises(update):
    """Over 100 random problems, a half-step does not raise ½ xGxᵀ − r·x of any row, to rounding."""
    for seed in range(100):
        fixed, a = rows_problem(seed, rank=2 + seed % 6, rows=5)
        gram, rhs = fixed.T @ fixed, a @ fixed
        x = np.random.default_rng(seed).random((5, fixed.shape[1])) * 10.0 ** (seed % 5 - 2)
        before, after = objective(gram, rhs, x), objective(gram, rhs, update(gram, rhs, x))
        assert np.all(after <= before + 1e-12 * (abs(before) + abs(after)))


@pytest.mark.parametrize("name", ["multiplicative", "hals", "anls", "projected-gradient", "barrier", "anls-fnnls"])
def test_penalised_objective_of_a_run_never_rises(name):
    """A whole run descends in ‖A − WH‖² + λ_W‖W‖² + λ_H‖H‖², for every monotone method."""
    for seed in range(10):
        a = planted(15, 12, 3, seed=seed)
        made = pw.ALGORITHMS[name](lam_w=0.2, lam_h=0.1)
        steps = pw.iterate(a, 3, algorithm=made, init="random", seed=seed)
        values = [next(steps).objective for _ in range(15)]
        assert np.all(np.diff(values) <= 1e-10 * values[0])


def test_coordinate_sweep_by_hand():
    """One sweep of x = (1, 1) with G = [[2, 1], [1, 2]], r = (4, 1): x₁ = 1.5, then x₂ = max(0, (1 − 1.5)/2) = 0."""
    gram, rhs = np.array([[2.0, 1], [1, 2]]), np.array([[4.0, 1]])
    np.testing.assert_array_equal(CoordinateSweeps(1)(gram, rhs, np.ones((1, 2))), [[1.5, 0]])
    np.testing.assert_array_equal(CoordinateSweeps(2)(gram, rhs, np.ones((1, 2))), [[2.0, 0]])


@pytest.mark.parametrize("sparsity", [0.0, 0.2, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("rank", [2, 5, 12])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hoyer_rows_meet_their_target(sparsity, rank, dtype):
    """Every nonzero row has the sparsity asked for, to .01, ties and all."""
    fixed, a = rows_problem(rank, rank, rows=30)
    a[3] = a[4] = 1
    rhs = (a @ fixed).astype(dtype)
    rhs[5] = 2
    found = HoyerCone(sparsity)(fixed.T @ fixed, rhs, np.zeros((30, rank), dtype))
    known = pw.hoyer(found, axis=1)
    np.testing.assert_allclose(known[~np.isnan(known)], sparsity, atol=0.01)
    assert np.isfinite(known).sum() > 20


def test_cone_projection_is_the_nearest_point():
    """No point of the cone on a fine grid is nearer than the projection (k = 3), and the target is met."""
    from partwise.kernels.cone import project

    rng = np.random.default_rng(0)
    t = np.sqrt(3) - 0.6 * (np.sqrt(3) - 1)
    turns = np.linspace(0, 2 * np.pi, 200_001)
    centre, radius = t / 3, np.sqrt(1 - t * t / 3)
    u, v = np.array([1, -1, 0]) / np.sqrt(2), np.array([1, 1, -2]) / np.sqrt(6)
    circle = centre + radius * (np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * v)
    rays = circle[(circle >= 0).all(axis=1)]
    for _ in range(20):
        y, x = rng.standard_normal(3), np.empty(3)
        project(y, t, np.arange(3), x)
        best = max(0, (rays @ y).max())
        assert np.sum((y - x) ** 2) <= y @ y - best**2 + 1e-6


def test_least_absolute_is_the_weighted_median():
    """With one column the least absolute fit is a weighted median of the ratios, here 2."""
    fixed = np.ones((5, 1))
    out = np.empty((1, 1))
    LeastAbsolute().solve(np.array([[0.0, 1, 2, 50, 60]]), fixed, out)
    assert out[0, 0] == pytest.approx(2)


def test_ahcls_with_exact_rows_is_refused_when_indefinite():
    """An exact half-step refuses AHCLS's gram when it has no minimum; the clipping one goes on."""
    a = planted(20, 15, 4) * 1e-3
    with pytest.raises(ValueError, match="indefinite"):
        pw.factorize(a, 4, algorithm=pw.anls(lam_w=1, lam_h=1, alpha_w=0.9, alpha_h=0.9))
    with pytest.warns(RuntimeWarning, match="factor became zero"):
        assert pw.factorize(a, 4, algorithm=pw.ahcls(1, 1, 0.9, 0.9), stop=pw.MaxIterations(3)).W.shape == (20, 4)


@pytest.mark.parametrize("k", [4, 9, 25, 49])
@pytest.mark.parametrize("sparsity", [0.3, 0.5, 0.75])
def test_cone_projection_by_another_way(k, sparsity):
    """The ray (y − θ)₊ with ‖·‖₁ = t ‖·‖₂, θ by bisection; with sparsity .5 of k = 9, 25 and 49 t² is whole."""
    from partwise.kernels.cone import project

    t = np.sqrt(k) - sparsity * (np.sqrt(k) - 1)
    for seed in range(20):
        y = np.random.default_rng(seed).standard_normal(k) + 0.5
        x = np.empty(k)
        project(y, t, np.arange(k), x)

        def ratio(theta, y=y):
            ray = np.maximum(y - theta, 0)
            return ray.sum() / np.linalg.norm(ray) - t

        theta = brentq(ratio, y.min() - 100, np.partition(y, -2)[-2:].mean(), xtol=1e-13)
        ray = np.maximum(y - theta, 0)
        np.testing.assert_allclose(x, ray * max(ray @ y, 0) / (ray @ ray), atol=1e-5)


@pytest.mark.parametrize("size", [1.0, 1e3])
def test_fnnls_on_nearly_parallel_columns(size):
    """Rows in which several passive entries turn negative at once: the first to reach 0 leaves, as in scipy's nnls."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        fixed = 1 + 0.2 * rng.standard_normal((12, 8))
        a = size * rng.standard_normal((4, 12)) + 2 * size
        rows = pw.ALGORITHMS["anls-fnnls"]().w.update(fixed.T @ fixed, a @ fixed, np.zeros((4, 8)))
        wanted = np.array([nnls(fixed, row)[0] for row in a])
        np.testing.assert_allclose(rows, wanted, atol=1e-7 * size)


@pytest.mark.parametrize("seed", [873, 1655, 2142, 2190, 2935])
def test_fnnls_takes_the_smallest_ratio(seed):
    """Problems on which a step to the largest ratio goes round in circles; every row meets the conditions of KKT."""
    rng = np.random.default_rng(seed)
    fixed = rng.standard_normal((5, 5))
    gram, rhs = fixed.T @ fixed, rng.standard_normal((400, 5)) @ fixed
    rows = pw.ALGORITHMS["anls-fnnls"]().w.update(gram, rhs, np.zeros((400, 5)))
    gradient = rows @ gram - rhs
    assert gradient.min() > -1e-8
    assert np.abs(gradient[rows > 0]).max() < 1e-8


@pytest.mark.parametrize("seed", [830, 1101])
def test_pivoting_changes_one_entry_where_blocks_go_round(seed, monkeypatch):
    """Problems on which exchanges of whole blocks do not end: then the last wrong entry alone is exchanged."""
    from partwise.kernels import nnls

    monkeypatch.setattr(nnls, "fnnls_rows", lambda *arguments: pytest.fail("Pivoting has given up."))
    rng = np.random.default_rng(seed)
    fixed = rng.standard_normal((6, 6))
    fixed /= np.linalg.norm(fixed, axis=0)
    gram, rhs, out = fixed.T @ fixed, rng.standard_normal((400, 6)) @ fixed, np.empty((400, 6))
    nnls.pivoting_rows(gram, rhs, (rng.random((400, 6)) > 0.5).astype(float), out)
    gradient = out @ gram - rhs
    assert gradient.min() > -1e-8
    assert np.abs(gradient[out > 0]).max() < 1e-8


def test_cone_rows_come_to_rest():
    """A row ends where a projected step leaves it, not after its first one."""
    from partwise.kernels.cone import cone_residual, cone_rows

    fixed, a = rows_problem(6, 6, rows=30)
    gram, rhs, out = fixed.T @ fixed, a @ fixed, np.ones((30, 6))
    bound, ratio = np.linalg.norm(gram, 2), np.sqrt(6) - 0.5 * (np.sqrt(6) - 1)
    cone_rows(gram, rhs, bound, ratio, 1, 1e-9, out)
    first = cone_residual(gram, rhs, bound, ratio, out)
    cone_rows(gram, rhs, bound, ratio, 3000, 1e-9, out)
    assert cone_residual(gram, rhs, bound, ratio, out) < 1e-10 * first


def test_multiplicative_rows_refuse_a_negative_gram():
    """One negative entry is enough: the quotient would lose its bound."""
    with pytest.raises(ValueError, match=r"^The multiplicative half-step needs a Gram matrix without negative entries"):
        pw.ALGORITHMS["multiplicative"]().w.update.prepare(np.array([[1.0, -0.1], [-0.1, 1.0]]))


def test_lins_test_by_hand():
    """G = 2, x = 1, gradient y = 2: a step to the minimum is taken, one too far is not."""
    from partwise.kernels.gradient import trial

    gram, x, y, spare = np.array([[2.0]]), np.array([3.0]), np.array([2.0]), np.empty((3, 1))
    assert trial(gram, x, y, 0.5, *spare)
    assert not trial(gram, x, y, 1.2, *spare)
    assert not trial(gram, x, y, 0.995, *spare)  # .99 y·d + ½ dGd > 0 though the objective falls
