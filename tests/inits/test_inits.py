"""Starts against slow versions of their definitions, given starts, and earlier results as starts."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from takes import loss, skip_unless_taken

import partwise as pw
from partwise.inits.table import INITS
from partwise.testing import check_init
from partwise.threads.pool import Workers

SHAPES = [(20, 12), (12, 20), (9, 9)]


def start(name: str, matrix: object, rank: int, seed: int = 0, **settings: object) -> np.ndarray:
    """W⁽⁰⁾ as a dense array."""
    with Workers(1) as workers:
        w = INITS[name](**settings)(pw.as_data(matrix), rank, np.random.default_rng(seed), workers)
    return w.toarray() if sp.issparse(w) else w


def dense(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    """A random matrix."""
    return np.random.default_rng(seed).random(shape)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[object, int]:
    """Random, with zero rows and columns, repeated columns or equal ones only; and a rank up to the largest."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    matrix = rng.random((m, n))
    kind = draw(st.sampled_from(["plain", "zeros", "repeated", "equal"]))
    if kind == "zeros":
        matrix[rng.integers(m, size=2)] = 0
        matrix[:, rng.integers(n, size=2)] = 0
        matrix[rng.integers(m), rng.integers(n)] = 1
    elif kind == "repeated":
        matrix = matrix[:, rng.integers(max(1, n // 2), size=n)]
    elif kind == "equal":
        matrix[:] = matrix[:, :1]
    matrix = matrix.astype(draw(st.sampled_from([np.float32, np.float64])))
    rank = draw(st.one_of(st.just(min(m, n)), st.integers(1, min(m, n))))
    return (sp.csc_matrix(matrix) if draw(st.booleans()) else matrix), rank


@pytest.mark.filterwarnings("ignore:The result is no better:RuntimeWarning")  # two iterations may be too few
@pytest.mark.parametrize("name", INITS)
@settings(max_examples=20)
@given(drawn=matrices())
def test_every_start_keeps_the_law_and_feeds_a_run(name, drawn):
    """check_init; zero rows of A are zero in W or become so; two iterations of the default end in finite numbers."""
    matrix, rank = drawn
    w = check_init(INITS[name](), pw.as_data(matrix), rank)
    assert w.flags.c_contiguous
    fit = pw.factorize(matrix, rank, init=name, stop=pw.MaxIterations(2), keep="last", threads=1)
    assert np.isfinite(fit.history.error).all()
    assert np.isfinite(fit.W).all()
    assert np.isfinite(fit.H).all()
    assert fit.W.dtype == fit.H.dtype == matrix.dtype
    zero = ~np.asarray(matrix.sum(axis=1) > 0).ravel()
    assert not fit.W[zero].any()


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda data, rank, rng, workers: rng.random((data.shape[0], rank + 1)), "gave shape"),
        (lambda data, rank, rng, workers: rng.random((data.shape[0], rank), np.float32), "gave float32"),
        (lambda data, rank, rng, workers: rng.random((data.shape[0], rank)) - 0.5, "not a number ≥ 0"),
        (lambda data, rank, rng, workers: np.full((data.shape[0], rank), np.nan), "not a number ≥ 0"),
        (lambda data, rank, rng, workers: np.zeros((data.shape[0], rank)), "zero W"),
        (lambda data, rank, rng, workers: np.random.default_rng().random((data.shape[0], rank)), "cannot be seeded"),
        (lambda data, rank, rng, workers: np.full((data.shape[0], rank), workers.threads * 1.0), "number of threads"),
    ],
)
def test_check_init_catches_what_breaks_the_law(broken, sentence):
    """Shape, dtype, sign, NaN, zero, seed, threads."""
    with pytest.raises(AssertionError, match=sentence):
        check_init(broken, pw.as_data(dense((6, 5))), 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_random_is_uniform_from_the_seed_in_both_precisions(dtype):
    """The generator's own numbers on [0, 1), so a float32 run starts where the float64 run does."""
    w = start("random", dense((9, 7)).astype(dtype), 3, seed=4)
    assert w.dtype == dtype
    assert np.array_equal(w, np.random.default_rng(4).random((9, 3)).astype(dtype))


@pytest.mark.parametrize(("columns", "p", "count"), [(50, 20, 20), (50, 3, 3), (50, 1, 1), (10, 20, 5), (41, 20, 20)])
def test_random_acol_averages_p_columns(columns, p, count):
    """On the identity the means show their columns: p of them with weight 1/p, at most half of all, each drawn anew."""
    w = start("random-acol", np.eye(columns), 4, p=p)
    np.testing.assert_allclose(np.sort(np.unique(w)), [0, 1 / count])
    assert ((w > 0).sum(axis=0) == count).all()
    assert len({tuple(np.flatnonzero(topic)) for topic in w.T}) == 4


def test_random_acol_of_any_matrix_has_the_same_columns_as_of_the_identity():
    """W(A) = A W(I) for the same seed: the draw does not look at the numbers."""
    matrix = dense((15, 50))
    np.testing.assert_allclose(
        start("random-acol", matrix, 4), matrix @ start("random-acol", np.eye(50), 4), rtol=1e-12
    )


def test_random_acol_draws_every_column_but_zero_ones():
    """Zero columns never, the others all in some topic when there are many topics."""
    weights = np.r_[np.zeros(20), np.ones(30)]
    drawn = np.unique(
        np.concatenate([np.flatnonzero(start("random-acol", np.diag(weights), 5, s)) // 5 for s in range(9)])
    )
    assert drawn.tolist() == list(range(20, 50))


@pytest.mark.parametrize("shape", SHAPES)
def test_nndsvd_is_boutsidis_and_gallopoulos(shape):
    """Against a plain version from numpy's full SVD, with the SVD inside as exact as it goes."""
    matrix, k = dense(shape), 5
    u, s, vt = np.linalg.svd(matrix)
    wanted = np.zeros((shape[0], k))
    wanted[:, 0] = np.sqrt(s[0]) * abs(u[:, 0])
    for c in range(1, k):
        candidates = []
        for sign in (1, -1):
            a, b = np.maximum(sign * u[:, c], 0), np.maximum(sign * vt[c], 0)
            size = np.linalg.norm(a) * np.linalg.norm(b)
            candidates.append((size, np.sqrt(s[c] * size) * a / np.linalg.norm(a)))
        wanted[:, c] = max(candidates, key=lambda pair: pair[0])[1]
    np.testing.assert_allclose(start("nndsvd", matrix, k, tol=1e-14), wanted, rtol=1e-6, atol=1e-8)


def test_the_loose_svd_of_nndsvd_is_near_the_exact_one():
    """tol = 1e-2 is enough where the singular values are apart, whatever the seed."""
    rng = np.random.default_rng(5)
    matrix = rng.random((40, 3)) @ np.diag([9, 3, 1]) @ rng.random((3, 30)) + 0.01 * rng.random((40, 30))
    exact = start("nndsvd", matrix, 3, tol=1e-14)
    for seed in range(3):
        np.testing.assert_allclose(start("nndsvd", matrix, 3, seed), exact, atol=0.02 * exact.max())


def partitions(count: int, parts: int) -> Iterator[list[int]]:
    """Every way to give ``count`` things one of ``parts`` labels, with no part empty, up to renaming."""

    def grow(labels: list[int]) -> Iterator[list[int]]:
        used = max(labels, default=-1) + 1
        if len(labels) == count:
            if used == parts:
                yield labels
            return
        for label in range(min(used + 1, parts)):
            yield from grow([*labels, label])

    return grow([])


@pytest.mark.parametrize("name", ["svd-centroid"])
@pytest.mark.parametrize("shape", [(12, 8), (5, 8)])
@pytest.mark.parametrize("seed", [0, 1])
def test_svd_centroids_are_means_over_a_partition(name, shape, seed):
    """Of all 966 partitions of eight columns in three there is one whose means are W's columns."""
    matrix = dense(shape, 7)
    w = start(name, matrix, 3, seed)
    order = np.lexsort(w)
    for labels in partitions(8, 3):
        means = np.stack([matrix[:, np.array(labels) == c].mean(axis=1) for c in range(3)], axis=1)
        if np.allclose(means[:, np.lexsort(means)], w[:, order], rtol=1e-10):
            return
    pytest.fail("no partition has these means")


def test_svd_centroids_find_planted_clusters():
    """Columns around four prototypes: the topics are the means of the four groups."""
    rng = np.random.default_rng(8)
    groups = rng.permutation(np.repeat(range(4), 12))
    matrix = np.kron(np.eye(4), np.ones((6, 1)))[:, groups] + 0.1 * rng.random((24, 48))
    wanted = np.stack([matrix[:, groups == c].mean(axis=1) for c in range(4)], axis=1)
    for seed in range(4):
        w = start("svd-centroid", matrix, 4, seed)
        near = [int(np.argmin(np.linalg.norm(wanted - topic[:, None], axis=0))) for topic in w.T]
        assert sorted(near) == [0, 1, 2, 3]
        np.testing.assert_allclose(w, wanted[:, near], rtol=1e-10)


FORMS = {
    "array": lambda w: w,
    "Fortran order": np.asfortranarray,
    "list": lambda w: w.tolist(),
    "sparse": sp.csr_array,
    "float32": lambda w: w.astype(np.float32),
    "read-only": lambda w: np.broadcast_to(w, w.shape),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_given_w_is_the_start(form):
    """W itself in any form; H⁽⁰⁾ is the half-step from it, and what was given is left alone."""
    matrix, w = dense((10, 8)), np.round(dense((10, 3), 1), 2)
    given_w = FORMS[form](w)
    steps = list(islice(pw.iterate(matrix, 3, algorithm=pw.acls(0.5, 0.5), init=given_w), 3))
    loose = 1e-6 if form == "float32" else 0
    np.testing.assert_allclose(steps[0].w, w, rtol=loose)
    assert steps[0].w.dtype == np.float64
    wanted = np.maximum(np.linalg.solve(w.T @ w + 0.5 * np.eye(3), w.T @ matrix), 0)
    np.testing.assert_allclose(steps[0].h.T, wanted, rtol=1e-5 if loose else 1e-10, atol=1e-12)
    kept = given_w.toarray() if sp.issparse(given_w) else np.asarray(given_w)
    np.testing.assert_allclose(kept, w, rtol=loose)


@pytest.mark.parametrize("name", [name for name in pw.ALGORITHMS if name != "hoyer"])
def test_a_given_pair_is_step_0(name):
    """W and H as given, with their own error; H is not made anew."""
    matrix, w, h = dense((8, 6)), dense((8, 2), 1), dense((2, 6), 2)
    h[0, 3] = 0
    step = next(pw.iterate(matrix, 2, algorithm=name, init=(w, h)))
    assert np.array_equal(step.w, w)
    assert np.array_equal(step.h.T, h)
    if loss(name).comparable:
        assert step.error == pytest.approx(np.linalg.norm(matrix - w @ h) / np.linalg.norm(matrix), rel=1e-12)
    assert not np.shares_memory(step.w, w)
    assert not np.shares_memory(step.h, h)


WITHOUT_MOMENTUM = [name for name in pw.ALGORITHMS if pw.ALGORITHMS[name]().extrapolation is None]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", WITHOUT_MOMENTUM)
def test_an_earlier_result_goes_on_exactly_where_it_was(name, form):
    """Steps 1, 2, 3 from the result of 4 iterations are steps 5, 6, 7 of an unbroken run, bit for bit.

    A relative λ would be another one, that of the new run's step 0.
    """
    matrix, algorithm = form(np.round(dense((12, 9)), 1)), pw.ALGORITHMS[name]()
    skip_unless_taken(name, matrix)
    if algorithm.relative:
        algorithm = pw.penalised(name, w=pw.Quadratic(0.1 * (name != "gdcls")), h=pw.Quadratic(0.1))
    unbroken = list(islice(pw.iterate(matrix, 3, algorithm=algorithm, seed=2), 8))
    fit = pw.factorize(matrix, 3, algorithm=algorithm, seed=2, stop=pw.MaxIterations(4), keep="last")
    again = list(islice(pw.iterate(matrix, 3, algorithm=algorithm, init=fit), 4))
    for old, new in zip(unbroken[4:], again, strict=True):
        assert np.array_equal(old.w, new.w)
        assert np.array_equal(old.h, new.h)
        assert new.error == pytest.approx(old.error, rel=1e-12)
    assert [step.error for step in again[1:]] == [step.error for step in unbroken[5:]]


def test_a_saved_and_loaded_result_goes_on_too(tmp_path):
    """The file has every bit of W and H."""
    matrix = dense((12, 9))
    fit = pw.factorize(matrix, 3, algorithm="acls", stop=pw.MaxIterations(4), keep="last")
    fit.save(tmp_path / "fit")
    one, two = (
        pw.factorize(matrix, 3, algorithm="acls", init=given_fit, stop=pw.MaxIterations(2), keep="last")
        for given_fit in (fit, pw.load(tmp_path / "fit"))
    )
    assert np.array_equal(one.W, two.W)


def test_a_pair_by_another_method_is_a_start_for_any():
    """als-hals from the result of acls is no worse than where acls ended."""
    matrix = dense((30, 20))
    fit = pw.factorize(matrix, 4, algorithm="acls", stop=pw.MaxIterations(10))
    better = pw.factorize(matrix, 4, algorithm="hals", init=fit)
    assert better.history.error[0] == pytest.approx(fit.error, rel=1e-12)
    assert better.error <= fit.error


@pytest.mark.parametrize(
    ("init", "sentence"),
    [
        (np.ones((9, 3)), "W must be 10 × 3 here, not 9 × 3"),
        (-np.ones((10, 3)), "W must be nonnegative and finite; the entry at row 0, column 0 is negative"),
        ((np.ones((10, 3)), np.ones((8, 3))), "H must be 3 × 8 here, not 8 × 3"),
        ((np.ones((10, 3)),), r"must be \(W, H\), not 1 things"),
        ("ndsvd", "did you mean 'nndsvd'"),
    ],
)
def test_a_start_that_does_not_fit_is_refused_before_any_work(init, sentence):
    """When it is asked for, not at the first step."""
    with pytest.raises(ValueError, match=sentence):
        pw.iterate(dense((10, 8)), 3, init=init)
