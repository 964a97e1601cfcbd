"""Every fast kernel against its plain twin."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.data.as_data import as_data
from partwise.kernels.products import (
    csr_clipped_product,
    csr_product,
    dense_product,
    factor_sums,
    look_ahead,
    optimality,
    plain_csr_product,
)
from partwise.kernels.squares import NEAR_ROWS, square_product
from partwise.kernels.vectors import WIDEST
from partwise.losses import squared


@given(
    rows=st.integers(1, 30),
    columns=st.integers(1, 60),
    rank=st.integers(1, 20),
    density=st.sampled_from([0.02, 0.3, 1.0]),
    dtype=st.sampled_from(["f4", "f8"]),
    index=st.sampled_from([np.int32, np.int64]),
    seed=st.integers(0, 999),
)
@settings(max_examples=40, deadline=None)
def test_the_product_has_the_bits_of_its_plain_twin(rows, columns, rank, density, dtype, index, seed):
    """Whatever the block and the width, down to the last bit."""
    rng = np.random.default_rng(seed)
    matrix = sp.random_array((rows, columns), density=density, rng=rng, format="csr", dtype=dtype)
    factor = rng.random((columns, rank)).astype(dtype)
    lo = int(rng.integers(rows))
    arrays = matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data
    plain, fast = (np.full((rows - lo, rank), np.nan, dtype) for _ in range(2))
    plain_csr_product(*arrays, factor, lo, rows, plain)
    csr_product(*arrays, factor, lo, rows, fast)
    np.testing.assert_array_equal(fast, plain)
    np.testing.assert_allclose(plain, (matrix @ factor)[lo:], rtol=1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_number_of_columns_has_the_bits_of_the_plain_twin(dtype):
    """From one column to more than two rounds of eight vectors, however many are left at the end."""
    rng = np.random.default_rng(0)
    matrix = sp.random_array((6, 20), density=0.3, rng=rng, format="csr", dtype=dtype)
    arrays = matrix.indptr, matrix.indices, matrix.data
    for rank in range(1, 17 * WIDEST // np.dtype(dtype).itemsize + 2):
        factor = rng.random((20, rank)).astype(dtype)
        plain, fast = (np.full((6, rank), np.nan, dtype) for _ in range(2))
        plain_csr_product(*arrays, factor, 0, 6, plain)
        csr_product(*arrays, factor, 0, 6, fast)
        np.testing.assert_array_equal(fast, plain, err_msg=f"{rank} columns")


@given(
    rows=st.integers(1, 30),
    columns=st.integers(1, 60),
    rank=st.integers(4, 30),
    depth=st.integers(1, 70),
    layout=st.sampled_from(["rows", "columns", "piece"]),
    seed=st.integers(0, 999),
)
@settings(max_examples=60, deadline=None)
def test_a_dense_product_against_numpy(rows, columns, rank, depth, layout, seed):
    """Whatever the layout and the depth; a row has the same bits alone, and with any number of columns."""
    rng = np.random.default_rng(seed)
    whole = rng.random((rows + 3, columns + 2))
    array = whole[3:, 2:] if layout == "piece" else np.array(whole[3:, 2:], order="C" if layout == "rows" else "F")
    factor = rng.random((columns, rank))
    across, along = (step // 8 for step in array.strides)
    base = array if layout != "piece" else whole
    numbers, start = base.ravel("K"), 0 if layout != "piece" else 3 * whole.shape[1] + 2
    out, alone, narrow = np.full((rows, rank), np.nan), np.full((1, rank), np.nan), np.full((rows, 4), np.nan)
    dense_product(numbers, start, across, along, factor, depth, out)
    np.testing.assert_allclose(out, array @ factor, rtol=1e-12)
    dense_product(numbers, start + (rows - 1) * across, across, along, factor, 7, alone)
    dense_product(numbers, start, across, along, np.ascontiguousarray(factor[:, :4]), 16, narrow)
    np.testing.assert_array_equal(alone[0], out[-1])
    np.testing.assert_array_equal(narrow, out[:, :4])


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "upside down": lambda a: a[::-1],
    "every other column": lambda a: a[:, ::2],
    "one row": lambda a: np.broadcast_to(a[0], a.shape),
}


@pytest.mark.parametrize("turned", LAYOUTS.values(), ids=LAYOUTS)
def test_dense_data_of_any_layout_have_the_same_product(turned, monkeypatch):
    """Both sides, where our own kernel makes it and where BLAS does."""
    rng = np.random.default_rng(0)
    matrix = turned(rng.random((60, 50)))
    for large in (0, 2**40):
        monkeypatch.setattr("partwise.data.dense.LARGE", large)
        data = as_data(matrix)
        for side, array in ((data, matrix), (data.T, matrix.T)):
            factor, out = rng.random((array.shape[1], 6)), np.full((len(array), 6), np.nan)
            for lo, hi in ((0, 7), (7, len(array))):
                side.product(lo, hi, factor, out[lo:hi])
            np.testing.assert_allclose(out, array @ factor, rtol=1e-12)


@pytest.mark.parametrize("turned", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_products_are_made_from_tiles(turned, dtype, monkeypatch):
    """Of both sides, in blocks, and with more columns than they suit; little data and much are as they are."""
    rng = np.random.default_rng(0)
    matrix = turned(rng.random((300, 633)).astype(dtype))
    monkeypatch.setattr("partwise.data.dense.LARGE", 2**20)
    assert as_data(matrix).for_many_products(6).blocks == as_data(matrix).blocks
    monkeypatch.setattr("partwise.data.dense.LARGE", 0)
    monkeypatch.setattr("partwise.kernels.dense_runs.BLOCK_WORK", 2**14)
    data = as_data(matrix).for_many_products(6)
    assert data.T.T is data
    for side, array in ((data, matrix), (data.T, matrix.T)):
        assert len(side.blocks) > 1
        for columns in (5, 6, 23, 100):
            factor, out = (
                rng.random((array.shape[1], columns)).astype(dtype),
                np.full((len(array), columns), np.nan, dtype),
            )
            for lo, hi in side.blocks:
                side.product(lo, hi, factor, out[lo:hi])
            np.testing.assert_allclose(out, array.astype(float) @ factor, rtol=1e-12 if dtype == np.float64 else 1e-5)
    monkeypatch.setattr("partwise.data.dense.COPIED", 1)
    assert not hasattr(as_data(matrix).for_many_products(6), "_tiles")


@pytest.mark.parametrize("method", [pw.acls(), pw.ahcls(lam_w=0.1, lam_h=0.1)])
def test_a_clipping_run_has_the_same_bits_in_one_kernel_and_in_three(method, monkeypatch):
    """Where the right-hand side is small, that is made first."""
    matrix = sp.random_array((900, 700), density=0.1, rng=np.random.default_rng(0), format="csr")
    monkeypatch.setattr("partwise.threads.pool.BLOCK_WORK", 2**14)
    assert len(as_data(matrix).blocks) > 2
    fills, results = [], []
    fused = squared._fused
    monkeypatch.setattr(squared, "_fused", lambda *arguments: fills.append(fused(*arguments)) or fills[-1])
    for near, expected in ((2**30, False), (0, True)):
        monkeypatch.setattr("partwise.data.sparse.NEAR_BYTES", near)
        fills.clear()
        results.append(pw.factorize(matrix, 9, algorithm=method, stop=pw.MaxIterations(5)))
        assert [fill is not None for fill in fills] == [expected] * len(fills)
        assert fills
    for name in ("W", "H"):
        np.testing.assert_array_equal(*(getattr(result, name) for result in results))
    for name in ("error", "angle"):
        np.testing.assert_array_equal(*(result.history[name] for result in results))


@pytest.mark.parametrize(("dtype", "first", "last"), [("f4", WIDEST // 4, 1000), ("f8", WIDEST // 8, 64)])
def test_one_kernel_is_for_ranks_that_suit_vectors(dtype, first, last, monkeypatch):
    """Narrower ones it could not read, and for wide ones BLAS is faster."""
    monkeypatch.setattr("partwise.data.sparse.NEAR_BYTES", 0)
    data = as_data(sp.random_array((30, 20), density=0.2, rng=np.random.default_rng(0), dtype=dtype))
    for rank in (1, first - 1, first, last, last + 1):
        fused = data.clipped_product(np.ones((20, rank), dtype)) is not None
        assert fused is (rank >= first and (rank <= last or dtype == "f4"))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_row_squares(dtype, monkeypatch):
    """Squared lengths and sums in float64, over several blocks, with empty rows in the middle and at both ends."""
    monkeypatch.setattr("partwise.threads.pool.BLOCK_WORK", 2**7)
    array = sp.random_array((50, 20), density=0.05, rng=np.random.default_rng(1), dtype=dtype).toarray()
    array[[0, -1]] = 0
    data = as_data(sp.csr_array(array))
    assert len(data.blocks) > 1
    np.testing.assert_allclose(data.row_norms2, (array.astype("f8") ** 2).sum(axis=1), rtol=1e-14)
    np.testing.assert_allclose(data.row_sums, array.astype("f8").sum(axis=1), rtol=1e-14)
    assert data.row_norms2.dtype == np.float64


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("rows", [1, NEAR_ROWS + 3])
def test_the_sums_of_a_factor(rows, dtype):
    """Column by column, against numpy in float64."""
    rng = np.random.default_rng(rows)
    new, right, old = (rng.standard_normal((rows, 7)).astype(dtype) for _ in range(3))
    inner, dots = np.zeros((2, 7))
    factor_sums(new, right, old, inner, dots)
    np.testing.assert_allclose(inner, (new.astype("f8") * right).sum(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dots, (new.astype("f8") * old).sum(axis=0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("rank", "dtype"), [(16, "f4"), (50, "f4"), (91, "f4"), (8, "f8"), (50, "f8"), (64, "f8")])
@pytest.mark.parametrize("measured", [True, False])
def test_product_solution_and_sums_in_one_kernel(measured, rank, dtype):
    """The bits of the three kernels one after the other, on some rows of a matrix; the others stay as they are."""
    rows, (lo, hi) = 3 * NEAR_ROWS, (5, 2 * NEAR_ROWS + 8)
    rng = np.random.default_rng(rank)
    matrix = sp.random_array((rows, 40), density=0.2, rng=rng, format="csr", dtype=dtype)
    factor, old = rng.random((40, rank)).astype(dtype), rng.random((rows, rank)).astype(dtype)
    square = rng.standard_normal((rank, rank)).astype(dtype)
    arrays = matrix.indptr, matrix.indices, matrix.data
    new, sums = np.full((rows, rank), -1, dtype), np.zeros((2, rank))
    csr_clipped_product(*arrays, factor, lo, hi, square, old, measured, new, *sums)
    right, expected, expected_sums = np.empty((hi - lo, rank), dtype), np.full_like(new, -1), np.zeros((2, rank))
    csr_product(*arrays, factor, lo, hi, right)
    square_product(right, square, right.dtype.type(0), expected[lo:hi])
    if measured:
        factor_sums(expected[lo:hi], right, old[lo:hi], *expected_sums)
    np.testing.assert_array_equal(new, expected)
    np.testing.assert_array_equal(sums, expected_sums)
    assert (new[lo:hi] > 0).any()


def test_a_factor_moved_ahead_by_hand():
    """new + β (new − old), and at least a tenth of new, not of old: 2 + .5, then 1 − 4.5 below .1."""
    new, old, out = np.array([[2.0, 1.0]]), np.array([[1.0, 10.0]]), np.empty((1, 2))
    look_ahead(new, old, 0.5, 0.1, out)
    np.testing.assert_allclose(out, [[2.5, 0.1]], rtol=1e-15)


def test_locked_zeros_by_hand():
    """A zero is locked where the gradient is below −slack · rhs; one of rounding size, of either sign, is none."""
    factor, gradient, rhs = np.zeros((1, 4)), np.array([[1e-9, -1e-9, -1.0, 1.0]]), np.ones((1, 4))
    squares, locked = optimality(factor, gradient, rhs, np.ones(4), 1e-6)
    assert locked == 1
    assert squares == pytest.approx(1 + 1e-18)
