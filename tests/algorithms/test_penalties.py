"""L1 penalties: the objective, its minimum on every update that can carry it, and where it is refused."""

from inspect import signature
from itertools import islice, pairwise

import numpy as np
import pytest

import partwise as pw
from partwise.algorithms.stored import from_recipe, recipe_of

RNG = np.random.default_rng(3)
A = RNG.random((30, 3)) @ RNG.random((3, 24)) + 0.1 * RNG.random((30, 24))
COUNTS = RNG.poisson(3 * A).astype(float)
WITH_L1 = [name for name, make in pw.ALGORITHMS.items() if "l1_w" in signature(make).parameters]
EXACT = [name for name in WITH_L1 if pw.ALGORITHMS[name]().loss == "squared" and name not in ("acls", "ahcls")]


def kkt(x, gradient):
    """The largest violation of x ≥ 0, g ≥ 0, x·g = 0 as min(x, g)."""
    return abs(np.minimum(x, gradient)).max()


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_the_minimum_satisfies_the_conditions_of_the_stated_objective(name, lam):
    """∇ = 2(W HHᵀ − AHᵀ) + 2λW + λ₁, and likewise for H, by plain numpy."""
    method = pw.ALGORITHMS[name](lam_w=lam, lam_h=lam, l1_w=0.4, l1_h=0.2)
    fit = pw.factorize(A, 3, algorithm=method, stop=pw.Stationarity(1e-7))
    w, h = fit.W, fit.H
    assert kkt(w, 2 * (w @ (h @ h.T) - A @ h.T) + 2 * lam * w + 0.4) < 1e-4
    assert kkt(h, 2 * (w.T @ w @ h - w.T @ A) + 2 * lam * h + 0.2) < 1e-4
    assert fit.certificate.verdict == "stationary"
    *_, step = islice(pw.iterate(A, 3, algorithm=method), 5)
    plain = ((A - step.w @ step.h.T) ** 2).sum() + 0.4 * step.w.sum() + 0.2 * step.h.sum()
    plain += lam * ((step.w**2).sum() + (step.h**2).sum())
    assert step.objective == pytest.approx(plain)


@pytest.mark.parametrize("name", ["kl-sweeps", "kl-multiplicative"])
def test_the_poisson_loss_carries_it_too(name):
    """D(A | WH) + λ₁ of each sum is the objective and never rises."""
    counts = COUNTS + 1  # so that no entry is fitted with 0
    steps = list(islice(pw.iterate(counts, 3, algorithm=pw.ALGORITHMS[name](l1_w=0.5, l1_h=0.3)), 60))
    objectives = [step.objective for step in steps]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(objectives))
    w, h = steps[-1].w, steps[-1].h
    y = w @ h.T
    divergence = (counts * np.log(counts / y) - counts + y).sum()
    assert objectives[-1] == pytest.approx(divergence + 0.5 * w.sum() + 0.3 * h.sum())


def test_the_poisson_minimum_satisfies_its_conditions():
    """x·g = 0 ≤ g with g = s + λ₁ − Σ a f/y on both sides, by plain numpy; ``transform`` solves the same problem."""
    fit = pw.factorize(COUNTS + 1, 3, algorithm=pw.kl_sweeps(l1_w=0.5, l1_h=0.3), stop=pw.Stationarity(1e-7))
    w, h = fit.W, fit.H
    ratio = (COUNTS + 1) / (w @ h)
    assert kkt(w, h.sum(axis=1) + 0.5 - ratio @ h.T) < 1e-4
    assert kkt(h, w.sum(axis=0)[:, None] + 0.3 - w.T @ ratio) < 1e-4
    assert fit.transform(COUNTS + 1) == pytest.approx(h, abs=1e-4)


@pytest.mark.parametrize("name", WITH_L1)
def test_more_of_it_gives_more_zeros_and_files_keep_it(name):
    """Also for the clipping methods; the recipe in a file makes the same algorithm again."""
    matrix = COUNTS if pw.ALGORITHMS[name]().loss == "poisson" else A
    method = pw.ALGORITHMS[name](l1_w=4.0, l1_h=0.5)
    zeros = [
        pw.factorize(matrix, 3, algorithm=one, init="random", stop=pw.MaxIterations(40)).certificate.w.zeros
        for one in (pw.ALGORITHMS[name](), method)
    ]
    assert zeros[1] > zeros[0] or name.endswith(("-multiplicative", "kl-newton"))  # zeros come in the limit
    assert from_recipe(recipe_of(method)) == method
    assert "l1_w=4, l1_h=0.5" in str(method)


def test_l1_on_one_side_alone_is_refused():
    """One sentence; any penalty on the other side makes it well posed."""
    for method in (pw.hals(l1_w=0.1), pw.als_hals(lam_h=0.1, l1_h=0.1), pw.anls(l1_h=0.1)):
        for call in (pw.factorize, pw.iterate, pw.stability):
            with pytest.raises(ValueError, match="alone is void"):
                call(A, 3, algorithm=method)
    pw.factorize(A, 3, algorithm=pw.hals(l1_w=0.1, lam_h=0.1), stop=pw.MaxIterations(2))


def test_multiplicative_updates_with_l1_never_rise():
    """‖A − WH‖² + λ₁(ΣW + ΣH) falls although entries of the right-hand side turn negative, and comes near hals's."""
    strength = A.mean()
    method = pw.penalised("multiplicative", w=pw.Quadratic(l1=strength), h=pw.Quadratic(l1=strength))
    values = []
    steps = pw.iterate(A, 3, algorithm=method, init="random", reseed=False)  # a new column has its own penalty
    for step, _ in zip(steps, range(400), strict=False):
        values.append(np.linalg.norm(A - step.w @ step.h.T) ** 2 + strength * (step.w.sum() + step.h.sum()))
    assert (np.diff(values[1:]) <= 1e-9 * values[1]).all()
    peer = pw.factorize(A, 3, algorithm=pw.hals(l1_w=strength, l1_h=strength), init="random")
    best = np.linalg.norm(A - peer.W @ peer.H) ** 2 + strength * (peer.W.sum() + peer.H.sum())
    assert values[-1] <= 1.02 * best


def test_what_cannot_carry_a_penalty_says_so():
    """The Poisson loss no quadratic one."""
    with pytest.raises(ValueError, match="cannot carry a quadratic penalty"):
        pw.factorize(COUNTS, 3, algorithm=pw.penalised("kl-sweeps", w=pw.Quadratic(0.1)))


def elastic_net(x, u, v, alpha_w, alpha_h, ratio):
    """scikit-learn's documented objective."""
    (samples, features), loss = x.shape, ((x - u @ v) ** 2).sum() / 2
    loss += alpha_w * features * (ratio * u.sum() + (1 - ratio) / 2 * (u**2).sum())
    return loss + alpha_h * samples * (ratio * v.sum() + (1 - ratio) / 2 * (v**2).sum())


@pytest.mark.parametrize(
    ("alpha_w", "alpha_h", "ratio"), [(0.002, "same", 1.0), (0.002, 0.004, 0.5), (0.002, 0.0, 1.0), (0.0, 0.003, 0.3)]
)
@pytest.mark.filterwarnings("ignore:Maximum number:UserWarning", "ignore:NMF stopped:UserWarning")
def test_the_estimator_minimises_what_scikit_learn_does(alpha_w, alpha_h, ratio):
    """The best of five starts is not above the best of three of scikit-learn's; one side alone is allowed."""
    from sklearn.decomposition import NMF

    x, known = A.T, {"alpha_W": alpha_w, "alpha_H": alpha_h, "l1_ratio": ratio, "tol": 1e-7, "max_iter": 1000}
    weights = alpha_w, alpha_w if alpha_h == "same" else alpha_h, ratio
    ours, theirs = [], []
    for seed, init in enumerate((None, *4 * ["random"])):
        model = pw.NMF(3, init=init, random_state=seed, **known)
        u = model.fit_transform(x)
        assert np.array_equal(u, model.transform(x))
        ours.append(elastic_net(x, u, model.components_, *weights))
    for seed in range(3):
        other = NMF(3, init="random", random_state=seed, **known)
        theirs.append(elastic_net(x, other.fit_transform(x), other.components_, *weights))
    assert min(ours) <= min(theirs) * (1 + 1e-6)
    penalty_w, penalty_h = model.algorithm_.w.penalty, model.algorithm_.h.penalty  # ours is twice theirs
    w, h = model.components_.T, u
    stated = ((A - w @ h.T) ** 2).sum() + penalty_w.lam * (w**2).sum() + penalty_h.lam * (h**2).sum()
    assert stated + penalty_w.l1 * w.sum() + penalty_h.l1 * h.sum() == pytest.approx(2 * ours[-1])


def test_the_estimator_streams_with_penalties_and_refuses_two_of_them():
    """partial_fit of all samples is a half-step of the same objective; an algorithm with its own penalty is refused."""
    model = pw.NMF(3, alpha_W=0.01, l1_ratio=1.0, random_state=0).partial_fit(A.T).partial_fit(A.T)
    assert model.algorithm_.w.penalty.l1 == pytest.approx(2 * 0.01 * 2 * len(A.T))
    for settings, words in (
        ({"algorithm": pw.hals(lam_w=1.0), "alpha_W": 0.1}, "penalties of its own"),
        ({"alpha_H": "other"}, "alpha_H must be"),
        ({"l1_ratio": 2}, "l1_ratio must be"),
        ({"alpha_W": -1}, "alpha_W must be"),
    ):
        with pytest.raises(ValueError, match=words):
            pw.NMF(3, **settings).fit(A.T)


@pytest.mark.parametrize("wrong", [np.ones(2), np.ones((5, 3)), np.ones((3, 1)), np.ones(())])
def test_a_linear_part_of_another_shape_is_refused(wrong):
    """Before any work, with the shapes that fit."""

    class Odd(pw.Penalty):
        def linear(self, rank):
            return wrong

    with pytest.raises(ValueError, match=rf"give 3 numbers, one for each component, or {len(A)} × 3\."):
        pw.factorize(A, 3, algorithm=pw.penalised("hals", w=Odd(), h=pw.Quadratic(0.1)))
