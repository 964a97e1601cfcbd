"""Every container of the same numbers is the same matrix, is left as it was, and a sparse one never becomes dense."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import partwise as pw
from partwise.data.as_data import as_data, at_a_glance
from partwise.data.dense import DenseData
from partwise.data.sparse import SparseData
from partwise.testing import check_data

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
INDICES = ("indices", "indptr", "row", "col", "offsets")


def example(seed: int = 0) -> np.ndarray:
    """A 12 × 8 matrix of whole numbers, so that every dtype holds it, with a zero row and a zero column."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 60, (12, 8)) * (rng.random((12, 8)) < 0.5)
    matrix[5], matrix[:, 3], matrix[0, 0] = 0, 0, 7
    return matrix.astype(np.float64)


def strided(matrix: np.ndarray) -> np.ndarray:
    """Every second row and every third column of a larger array."""
    large = np.full((2 * matrix.shape[0], 3 * matrix.shape[1]), -1.0)
    large[::2, ::3] = matrix
    return large[::2, ::3]


def read_only(matrix: np.ndarray) -> np.ndarray:
    """A copy that may not be written."""
    copy = matrix.copy()
    copy.flags.writeable = False
    return copy


DENSE: dict[str, Callable[[np.ndarray], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "rows backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "columns backwards": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
    "all backwards": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "read-only": read_only,
    "np.matrix": lambda a: np.ascontiguousarray(a).view(np.matrix),
    "nothing masked": np.ma.array,
    "nested lists": lambda a: a.tolist(),
    "objects": lambda a: a.astype(object),
    "pandas": pd.DataFrame,
    "pandas, mixed columns": lambda a: pd.DataFrame(a).astype({0: "int64", 1: "float32", 2: "Int16"}),
    "polars": pl.DataFrame,
}


@pytest.mark.parametrize("container", DENSE)
def test_dense_containers(container: str) -> None:
    """Arrays in any order and data frames are the same matrix, and are as they were afterwards."""
    wanted, given = example(), DENSE[container](example())
    data = pw.as_data(given)
    check_data(data, wanted)
    assert data.dtype == np.float64
    pw.factorize(data, 2, stop=pw.MaxIterations(2))
    np.testing.assert_array_equal(np.asarray(given, np.float64), wanted)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["r", "c"])
def test_memory_mapped(tmp_path: Path, order: str, mode: str) -> None:
    """A memory-mapped file is taken as it lies, not read into another array, and not written."""
    np.save(tmp_path / "a.npy", np.asarray(example(), order=order))
    before = (tmp_path / "a.npy").read_bytes()
    mapped = np.load(tmp_path / "a.npy", mmap_mode=mode)
    data = pw.as_data(mapped)
    check_data(data, example())
    assert np.shares_memory(data.rows(0, 12), mapped)
    pw.factorize(mapped, 2, stop=pw.MaxIterations(2))
    assert (tmp_path / "a.npy").read_bytes() == before


@pytest.mark.parametrize(
    ("dtype", "works_in"),
    [
        *((d, "float32") for d in ("f2", "f4", ">f2", ">f4")),
        *(
            (d, "float64")
            for d in ("f8", "g", ">f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8", "?")
        ),
    ],
)
def test_dtypes(dtype: str, works_in: str) -> None:
    """Single precision and half floats work in float32, every other real dtype in float64."""
    given = example().astype(dtype)
    data = pw.as_data(given)
    check_data(data, given.astype(works_in))
    assert data.dtype == works_in
    fit = pw.factorize(given, 2, stop=pw.MaxIterations(2))
    assert (fit.W.dtype, fit.H.dtype) == (works_in, works_in)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_an_array_that_fits_is_not_copied(dtype: str) -> None:
    """No second copy of dense numbers that are already as needed, in either order."""
    given = example().astype(dtype)
    assert np.shares_memory(pw.as_data(given).rows(0, 12), given)
    assert np.shares_memory(pw.as_data(given.T).T.rows(0, 12), given)


def test_data_pass_through() -> None:
    """What is Data already is not wrapped again."""
    data = pw.as_data(example())
    assert pw.as_data(data) is data


def snapshot(matrix: Any) -> list[tuple[str, Any]]:
    """All that a sparse matrix holds, bit for bit."""
    if matrix.format == "dok":
        return [("items", list(matrix.items()))]
    if matrix.format == "lil":
        return [("rows", matrix.rows.tolist()), ("data", matrix.data.tolist())]
    names = [name for name in ("data", *INDICES) if hasattr(matrix, name)]
    arrays = [(name, getattr(matrix, name)) for name in names]
    return [(name, (array.dtype, array.tobytes())) for name, array in arrays]


def sparse(matrix: np.ndarray, form: str, kind: str, index: type) -> Any:
    """A scipy sparse matrix or array of a format, with the indices wanted."""
    made = getattr(sp, f"{form}_{kind}")(matrix)
    if form == "coo":
        made.coords = tuple(part.astype(index) for part in made.coords)
    for name in INDICES:
        if name in vars(made):
            setattr(made, name, getattr(made, name).astype(index))
    return made


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_formats(form: str, kind: str, index: type) -> None:
    """Every sparse format, matrix and array, with both kinds of indices, is taken and left as it was."""
    given = sparse(example(), form, kind, index)
    before = snapshot(given)
    data = pw.as_data(given)
    assert isinstance(data, SparseData)
    assert data.nnz == np.count_nonzero(example())
    check_data(data, example())
    fit = pw.factorize(given, 3, stop=pw.MaxIterations(3))
    assert snapshot(given) == before
    same = pw.factorize(sp.csr_array(example()), 3, stop=pw.MaxIterations(3))
    assert np.array_equal(fit.W, same.W)
    assert np.array_equal(fit.H, same.H)


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "i1", "u1", "i4", "i8", "u8", "?"])
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_dtypes(form: str, dtype: str) -> None:
    """Sparse float32 stays float32; every other real dtype becomes float64."""
    given = getattr(sp, f"{form}_array")(example().astype(dtype))
    data = pw.as_data(given)
    assert data.dtype == ("float32" if dtype == "f4" else "float64")
    check_data(data, example().astype(dtype).astype(data.dtype))


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", "f2"])
def test_diagonals_of_a_dtype_that_scipy_cannot_convert(dtype: str) -> None:
    """scipy makes diagonal matrices of dtypes for which it has no conversion; they are the same matrix all the same."""
    dense = np.diag(np.arange(1.0, 9.0)) + np.diag(np.full(7, 2.0), 1)
    made = sp.dia_array(dense)
    data = pw.as_data(sp.dia_array((made.data.astype(dtype), made.offsets), shape=made.shape))
    check_data(data, dense.astype(data.dtype))


def messy(kind: str, index: type = np.int32, dtype: str = "f8") -> tuple[Any, np.ndarray]:
    """Unsorted indices, an entry given in three parts, one of them negative, and explicit zeros; and its dense twin."""
    rows = np.array([0, 0, 0, 0, 2, 2, 2, 3, 3], index)
    columns = np.array([4, 1, 4, 4, 3, 0, 2, 1, 1], index)
    values = np.array([5, 1, -2, 4, 0, 6, 3, 0, 0], dtype)
    dense = np.zeros((5, 6))
    np.add.at(dense, (rows, columns), values)
    if kind == "coo":
        return sp.coo_array((values, (rows, columns)), shape=(5, 6)), dense
    starts = np.array([0, 4, 4, 7, 9, 9], index)
    if kind == "csr":
        return sp.csr_array((values, columns, starts), shape=(5, 6)), dense
    return sp.csc_array((values, columns, starts), shape=(6, 5)), dense.T


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_messy_indices(form: str, index: type, dtype: str) -> None:
    """Duplicates sum, even a negative part of a positive sum; order and explicit zeros do not matter."""
    given, dense = messy(form, index, dtype)
    before = snapshot(given)
    data = pw.as_data(given)
    check_data(data, dense.astype(data.dtype))
    assert data.nnz == np.count_nonzero(dense)
    pw.factorize(given, 2, stop=pw.MaxIterations(2))
    assert snapshot(given) == before


@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_duplicates_of_small_integers_do_not_wrap(form: str) -> None:
    """200 + 100 given as 8-bit parts is 300 in every format, for the sum is made after the conversion."""
    coo = sp.coo_array((np.array([200, 100, 1], np.uint8), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    parts = (coo.data, coo.coords[1], np.array([0, 2, 3]))
    given = {"coo": coo, "csr": sp.csr_array(parts, shape=(2, 2)), "csc": sp.csc_array(parts, shape=(2, 2))}[form]
    dense = np.array([[0.0, 300], [1, 0]])
    check_data(pw.as_data(given), dense.T if form == "csc" else dense)


def test_storage_beyond_the_last_row() -> None:
    """Numbers stored after the last entry of a CSR matrix are not part of it."""
    given = sp.csr_array(example())
    given.data, given.indices = np.r_[given.data, -1.0], np.r_[given.indices, 0]
    check_data(pw.as_data(given), example())
    assert given.data[-1] == -1


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_sparse_frames_stay_sparse(dtype: str) -> None:
    """A pandas frame of sparse columns is a sparse matrix."""
    given = pd.DataFrame(example()).astype(pd.SparseDtype(dtype, 0))
    data = pw.as_data(given)
    assert isinstance(data, SparseData)
    assert data.dtype == ("float32" if dtype == "float32" else "float64")
    check_data(data, example().astype(data.dtype))
    assert (given.to_numpy(dtype=np.float64) == example()).all()


def test_frame_with_a_column_called_sparse() -> None:
    """A dense frame may have a column of any name."""
    check_data(pw.as_data(pd.DataFrame({"sparse": [1.0, 2], "T": [0.0, 3]})), np.array([[1.0, 0], [2, 3]]))


@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_a_million_by_a_million(form: str) -> None:
    """A matrix of 10¹² entries, of which a few are stored, is wrapped and factorised without being made dense."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 10**6, (2, 60))
    given = sp.coo_array((rng.random(60), tuple(place)), shape=(10**6, 10**6)).asformat(form)
    data = pw.as_data(given)
    assert data.nnz == data.T.nnz == 60
    assert data.nbytes < 2**23
    fit = pw.factorize(given, 2, init="random-acol", stop=pw.MaxIterations(1))
    assert fit.error < 1
    assert not np.delete(fit.W, place[0], axis=0).any()


def test_an_exact_fit_of_a_million_by_a_million() -> None:
    """Near an exact fit, where the error is computed entry by entry, the entries that are all zero cost nothing."""
    code = """
import numpy as np, scipy.sparse as sp, partwise as pw
a = sp.coo_array(([1.0, 2.0], ([0, 5], [7, 9])), shape=(10**6, 10**6))
w = sp.coo_array(([1.0, 1.0], ([0, 5], [0, 1])), shape=(10**6, 2))
assert pw.factorize(a, 2, init=w, stop=pw.MaxIterations(1)).error < 1e-12
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=40)


@pytest.mark.parametrize("algorithm", ["als-hals", "acls", "multiplicative", "anls"])
def test_the_container_does_not_matter(algorithm: str) -> None:
    """Dense, sparse and framed, the same numbers give the same factors, to rounding of the products."""
    fits = [
        pw.factorize(given, 3, algorithm=algorithm, init="random", stop=pw.MaxIterations(5))
        for given in (
            *(make(example()) for make in DENSE.values()),
            *(getattr(sp, f"{form}_array")(example()) for form in FORMATS),
            pd.DataFrame(example()).astype(pd.SparseDtype("float64", 0)),
        )
    ]
    for fit in fits[1:]:
        # Five iterations amplify the rounding of a product, 1e-16, by far less than a million.
        np.testing.assert_allclose(fit.W, fits[0].W, rtol=0, atol=1e-10 * fits[0].W.max())
        np.testing.assert_allclose(fit.H, fits[0].H, rtol=0, atol=1e-10 * fits[0].H.max())


def nonnegative(dtype: str) -> st.SearchStrategy[np.ndarray]:
    """Small matrices with many zeros and entries of very different size, not all of them 0."""
    entries = st.one_of(st.just(0.0), st.floats(2.0**-40, 2.0**40, width=32))
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
    return hnp.arrays(dtype, shapes, elements=entries).filter(lambda a: a.any())


@given(nonnegative("f8"), st.sampled_from(["C", "F"]), st.integers(-2, 2).filter(bool), st.integers(-2, 2).filter(bool))
def test_any_view(matrix: np.ndarray, order: str, down: int, across: int) -> None:
    """Any order and any step through a larger array, forwards or backwards, is the matrix it shows."""
    m, n = matrix.shape
    large = np.full((abs(down) * m, abs(across) * n), np.nan, order=order)
    view = large[::down, ::across][:m, :n]
    view[:] = matrix
    before = large.tobytes()
    data = pw.as_data(view)
    assert isinstance(data, DenseData)
    check_data(data, matrix)
    assert large.tobytes() == before


@given(nonnegative("f8"), st.sampled_from(["coo", "csr", "csc"]), st.randoms(use_true_random=False), st.integers(1, 3))
def test_any_way_to_store_entries(matrix: np.ndarray, form: str, random: Any, parts: int) -> None:
    """However the entries are ordered and cut into parts that sum, zeros stored or not, it is the same matrix."""
    entries = [(i, j, v / parts) for (i, j), v in np.ndenumerate(matrix) if v or random.random() < 0.3] * parts
    random.shuffle(entries)
    if form != "coo":
        entries.sort(key=lambda entry: entry[0])
    i, j, values = (np.array(part) for part in zip(*entries, strict=True))
    starts = np.searchsorted(i, np.arange(len(matrix) + 1))
    makers: dict[str, Callable[[], Any]] = {
        "coo": lambda: sp.coo_array((values, (i, j)), shape=matrix.shape),
        "csr": lambda: sp.csr_array((values, j, starts), shape=matrix.shape),
        "csc": lambda: sp.csc_array((values, j, starts), shape=matrix.shape[::-1]).T,
    }
    given = makers[form]()
    before = snapshot(given)
    wanted = np.zeros(matrix.shape)
    np.add.at(wanted, (i, j), values)
    data = pw.as_data(given)
    np.testing.assert_allclose(data.rows(0, len(matrix)), wanted, rtol=1e-15)
    assert data.nnz == np.count_nonzero(matrix)
    assert snapshot(given) == before


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_at_a_glance_are_the_data_that_as_data_gives(dtype):
    """In any order; what as_data would refuse, or has to look at, is left to it."""
    matrix = np.random.default_rng(0).random((7, 5)).astype(dtype)
    for array in (matrix, np.asfortranarray(matrix), matrix[::2], matrix[:, ::-1]):
        data, wanted = at_a_glance(array), as_data(array)
        assert data.norm2 == wanted.norm2
        assert data.dtype == wanted.dtype
        assert np.array_equal(data.rows(0, len(array)), array)
    for entry in (-1, np.nan, np.inf, -np.inf):
        bad = matrix.copy()
        bad[3, 2] = entry
        assert at_a_glance(bad) is None
    huge = np.full((2, 2), np.finfo(dtype).max)
    others = (0 * matrix, huge, matrix[0], matrix[:0], matrix.astype(int), matrix.astype(">f8"), np.ma.array(matrix))
    assert [at_a_glance(array) for array in others] == [None] * len(others)
