"""The truncated SVD against scipy and numpy."""

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import svds
from threadpoolctl import threadpool_limits

import partwise as pw
from partwise.data.dense import DenseData
from partwise.datasets import DataNotFound


def low_rank(m: int, n: int, rank: int, seed: int = 0) -> np.ndarray:
    """A nonnegative m × n matrix of a given rank."""
    rng = np.random.default_rng(seed)
    return rng.random((m, rank)) @ rng.random((rank, n))


def check(matrix: np.ndarray, svd: pw.SVD, tol: float = 1e-6) -> None:
    """Values to ``tol`` of the largest, orthonormal factors, A vᵢ = sᵢ uᵢ, and an error that is the direct one.

    A vector's residual is as good as the root of its value's, hence √tol.
    """
    dense, k = np.asarray(matrix, np.float64), svd.rank
    with threadpool_limits(1, user_api="blas"):  # threads would only wait for each other here
        wanted = np.linalg.svd(dense, compute_uv=False)
    rounding = 30 * np.finfo(svd.s.dtype).eps * np.sqrt(sum(dense.shape))
    u, s, v = (part.astype(np.float64) for part in (svd.u, svd.s, svd.v))
    np.testing.assert_allclose(s, wanted[:k], rtol=0, atol=(tol + rounding) * wanted[0])
    np.testing.assert_allclose(u.T @ u, np.eye(k), atol=rounding)
    np.testing.assert_allclose(v.T @ v, np.eye(k), atol=rounding)
    np.testing.assert_allclose(dense @ v, u * s, rtol=0, atol=(np.sqrt(tol) + rounding) * wanted[0])
    direct = np.linalg.norm(dense - (u * s) @ v.T) / np.linalg.norm(dense)
    # the error comes from 1 − Σs²/‖A‖², so what it loses near an exact fit is the root of the rounding
    assert svd.error == pytest.approx(direct, rel=1e-5, abs=4 * float(np.finfo(svd.s.dtype).eps) ** 0.5)


SHAPES = [
    ((60, 40), 5),
    ((40, 60), 5),
    ((30, 100), 3),
    ((12, 40), 12),
    ((40, 12), 12),
    ((25, 25), 25),
    ((30, 100), 25),
    ((1, 7), 1),
    ((7, 1), 1),
    ((1, 1), 1),
    ((2, 300), 2),
    ((300, 2), 1),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("shape", "rank"), SHAPES)
def test_a_dense_matrix_of_any_shape_gives_numpys_decomposition(shape, rank, dtype):
    """Tall, wide, square, one row, one column, up to the full rank, in both precisions."""
    matrix = np.random.default_rng(1).random(shape).astype(dtype)
    svd = pw.truncated_svd(matrix, rank)
    assert svd.u.dtype == svd.s.dtype == svd.v.dtype == dtype
    assert svd.u.shape == (shape[0], rank)
    assert svd.v.shape == (shape[1], rank)
    check(matrix, svd)


@pytest.mark.parametrize("shape", [(200, 120), (120, 200), (900, 90)])
def test_a_sparse_matrix_gives_scipys_singular_values(shape):
    """A random sparse matrix agrees with scipy's svds to 1e-6 relative in every value."""
    matrix = sp.random_array(shape, density=0.05, rng=np.random.default_rng(2), format="csr")
    wanted = np.sort(svds(matrix, k=8, return_singular_vectors=False, random_state=0))[::-1]
    svd = pw.truncated_svd(matrix, 8)
    np.testing.assert_allclose(svd.s, wanted, rtol=1e-6)
    check(matrix.toarray(), svd)


@given(st.integers(1, 25), st.integers(1, 25), st.integers(1, 25), st.integers(0, 2**32 - 1), st.data())
@settings(max_examples=60, deadline=None)
def test_small_matrices_of_any_shape_and_rank(m, n, inner, seed, data):
    """Whatever the shape, the rank of the matrix and the rank asked for."""
    matrix = low_rank(m, n, min(inner, m, n), seed)
    rank = data.draw(st.integers(1, min(m, n)))
    check(matrix, pw.truncated_svd(matrix, rank))


@pytest.mark.parametrize(
    ("matrix", "rank"),
    [
        pytest.param(low_rank(80, 60, 3), 6, id="rank 3, asked for 6"),
        pytest.param(low_rank(60, 80, 3), 60, id="rank 3, asked for all"),
        pytest.param(np.ones((20, 30)), 5, id="all ones"),
        pytest.param(np.pad(low_rank(20, 10, 4), ((0, 20), (0, 5))), 8, id="zero rows and columns"),
        pytest.param(np.eye(50), 10, id="the identity: one value, repeated"),
        pytest.param(np.kron(np.eye(12), np.ones((5, 3))), 6, id="twelve equal blocks"),
        pytest.param(np.diag([5.0, 5, 5, 2, 2, 1, 1, 1, 1, 0.5]), 6, id="repeated values, cut inside a group"),
        pytest.param(np.diag(np.r_[np.full(20, 5.0), np.ones(30)]), 10, id="more alike than a block is wide"),
    ],
)
def test_rank_deficient_matrices_and_repeated_values(matrix, rank):
    """Fewer directions than asked for, or several alike: values right, factors still orthonormal."""
    check(matrix, pw.truncated_svd(matrix, rank))


def whole_numbers(seed: int) -> np.ndarray:
    """Small whole numbers, so that singular values repeat or are zero and directions run out in the middle."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 40, 2)
    kinds = [
        lambda: np.diag(rng.integers(0, 4, m)),
        lambda: rng.random((m, n)) < 0.2,
        lambda: rng.integers(0, 2, (m, n))[:, rng.integers(0, max(1, n // 3), n)],
        lambda: np.kron(np.diag(rng.integers(0, 3, 5)), np.ones(rng.integers(1, 6, 2))),
    ]
    matrix = kinds[seed % 4]().astype(float)
    matrix[0, 0] = 1
    return matrix


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_whole_numbers(start):
    """A hundred matrices whose Krylov spaces end early: no direction that is left may be lost with those that end."""
    for seed in range(start, start + 100):
        matrix = whole_numbers(seed)
        rank = int(np.random.default_rng(seed).integers(1, min(matrix.shape) + 1))
        check(matrix, pw.truncated_svd(matrix, rank))


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The widths of the products that have been made with a dense matrix of one block."""
    made: list[int] = []
    plain = DenseData.product

    def counted(self, lo, hi, factor, out):
        made.append(factor.shape[1])
        plain(self, lo, hi, factor, out)

    monkeypatch.setattr(DenseData, "product", counted)
    return made


def test_a_loose_tolerance_takes_fewer_products(products):
    """tol=1e-2 multiplies less than tol=1e-6, which multiplies less than tol=1e-12; the values are as good as asked."""
    rng = np.random.default_rng(3)
    matrix = rng.random((300, 6)) @ rng.random((6, 200)) + 0.5 * rng.random((300, 200))
    wanted = np.linalg.svd(matrix, compute_uv=False)[:10]
    counts = []
    for tol in (1e-2, 1e-6, 1e-12):
        products.clear()
        svd = pw.truncated_svd(matrix, 10, tol=tol)
        counts.append(len(products))
        np.testing.assert_allclose(svd.s, wanted, rtol=max(5 * tol, 1e-13))
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_rank_deficient_matrix_takes_few_products(products, dtype):
    """Zero singular values are known as soon as the space is used up: no walk through all of it."""
    pw.truncated_svd(low_rank(400, 300, 3).astype(dtype), 6)
    assert len(products) <= 10


def test_one_svd_serves_every_smaller_rank():
    """truncate(r) is the SVD of rank r: the same values, vectors and error."""
    matrix = np.random.default_rng(4).random((50, 30))
    svd = pw.truncated_svd(matrix, 12)
    for rank in (1, 5, 12):
        part = svd.truncate(rank)
        assert part.rank == rank
        check(matrix, part)
        assert np.array_equal(part.s, svd.s[:rank])
    for rank in (0, 13):
        with pytest.raises(ValueError, match="ranks 1 to 12"):
            svd.truncate(rank)


def test_storage_and_unpacking():
    """nbytes is that of the three factors, (m + n + 1) k numbers; u, s, vt = svd as scipy has it."""
    matrix = np.random.default_rng(5).random((40, 20)).astype(np.float32)
    svd = pw.truncated_svd(matrix, 7)
    assert svd.nbytes == (40 + 20 + 1) * 7 * 4
    u, s, vt = svd
    assert vt.shape == (7, 20)
    np.testing.assert_allclose((u * s) @ vt, (svd.u * svd.s) @ svd.v.T)


def test_a_seed_gives_the_same_bits_and_another_seed_other_ones():
    """Seeded, with 0 the default; signs are fixed, so another seed gives the same vectors to rounding."""
    matrix = np.random.default_rng(6).random((80, 60))
    one, two, other = (pw.truncated_svd(matrix, 2, seed=seed, tol=1e-13) for seed in (0, 0, 1))
    for name in ("u", "s", "v"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.u, other.u)
    np.testing.assert_allclose(one.u, other.u, atol=1e-5)
    assert np.array_equal(one.u, pw.truncated_svd(matrix, 2, tol=1e-13).u)


@pytest.mark.parametrize("noise", [0, 1e-3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_factorisation_is_certified_to_beat_the_svd(dtype, noise):
    """The ratio to the SVD's error is at least 1, near an exact fit too, where 1 − Σs²/‖A‖² is all rounding."""
    for seed in range(4):
        matrix = low_rank(60, 40, 3, seed) + noise * np.random.default_rng(seed).random((60, 40))
        stop = [pw.MaxIterations(300), pw.Frobenius(level=1e-13)]
        fit = pw.factorize(matrix.astype(dtype), 3, algorithm="anls", stop=stop, svd=True)
        assert fit.certificate.svd_ratio is None or fit.certificate.svd_ratio > 0.999


@pytest.mark.parametrize("c", [2.0**40, 2.0**-40, 4.0])
def test_the_path_does_not_depend_on_the_scale(c):
    """A power of two multiplies the singular values and leaves every other bit alone."""
    matrix = np.random.default_rng(7).random((50, 70))
    one, two = pw.truncated_svd(matrix, 5), pw.truncated_svd(c * matrix, 5)
    assert np.array_equal(c * one.s, two.s)
    assert np.array_equal(one.u, two.u)
    assert np.array_equal(one.v, two.v)
    assert one.error == two.error


@pytest.mark.parametrize("rank", [0, 31, -1])
def test_a_rank_out_of_range_is_refused(rank):
    """One sentence with the range."""
    with pytest.raises(ValueError, match="rank must be from 1 to 30"):
        pw.truncated_svd(np.ones((40, 30)), rank)


@pytest.fixture(scope="module")
def reuters() -> tuple[sp.csr_array, np.ndarray]:
    """Reuters tf-idf (17,977 × 19,043) and scipy's 50 largest singular values of it."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        from matrices import reuters as build

        matrix = build().matrix
    except DataNotFound as missing:
        pytest.skip(str(missing))
    finally:
        sys.path.pop(0)
    with threadpool_limits(1, user_api="blas"):  # threads would only wait for each other here
        found = svds(matrix, k=50, return_singular_vectors=False, random_state=0, tol=1e-9)
    return matrix, np.sort(found)[::-1]


@pytest.mark.parametrize("rank", [10, 50])
def test_reuters_agrees_with_scipy(reuters, rank):
    """1e-6 relative in every singular value, on the matrix that the benchmarks use."""
    matrix, wanted = reuters
    np.testing.assert_allclose(pw.truncated_svd(matrix, rank).s, wanted[:rank], rtol=1e-6)
