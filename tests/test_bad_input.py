"""What cannot be factorised is refused in one sentence, before any work, by every way in."""

import inspect
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from takes import skip_unless_taken

import partwise as pw
from partwise.data.dask.on_worker import make_part
from partwise.io.convert import convert
from partwise.io.read_matrix import read_matrix

A = np.random.default_rng(0).random((9, 7)) + 0.1
W, H = np.random.default_rng(1).random((9, 2)), np.random.default_rng(2).random((2, 7))
RULE = pw.MaxIterations(2)


def never(*_: Any) -> Any:
    """A start that must not be asked for: the input is bad, so there is no work to begin."""
    raise AssertionError("work began before the input was checked")


def factorize(matrix: Any, rank: Any, **given: Any) -> Any:
    """``pw.factorize``, two iterations, from a start that fails when it is used."""
    return pw.factorize(matrix, rank, **{"init": never, "stop": RULE} | given)


def iterate(matrix: Any, rank: Any, **given: Any) -> Any:
    """``pw.iterate`` without a single ``next``."""
    return pw.iterate(matrix, rank, **{"init": never} | given)


def nmf(matrix: Any, rank: Any, **given: Any) -> Any:
    """The estimator on the transposed matrix."""
    return pw.NMF(rank, **{"init": never, "max_iter": 2} | given).fit(matrix)


BOTH = pytest.mark.parametrize("call", [factorize, iterate])
ALL = pytest.mark.parametrize("call", [factorize, iterate, nmf])


def refused(kind: type[Exception], words: str, call: Callable[..., Any], *args: Any, **given: Any) -> None:
    """The call raises this kind of error, whose message is one clear sentence with these words."""
    with pytest.raises(kind) as caught:
        call(*args, **given)
    message = str(caught.value)
    assert type(caught.value) in (ValueError, TypeError), "a user catches these two"
    assert re.search(words, message), message
    assert message.endswith((".", "?")), message
    assert "\n" not in message
    assert len(message) < 300


def spoiled(value: float, dtype: str = "f8") -> np.ndarray:
    """The matrix with a bad entry at row 4, column 2, and another one after it."""
    matrix = A.astype(dtype)
    matrix[4, 2] = matrix[6, 5] = value
    return matrix


BAD_ENTRIES = [(-0.5, r"negative \(-0\.5\)"), (np.nan, "NaN"), (np.inf, "infinite"), (-np.inf, "infinite")]


@BOTH
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
@pytest.mark.parametrize(("value", "words"), BAD_ENTRIES)
def test_bad_entry_of_an_array(call: Callable[..., Any], value: float, words: str, dtype: str) -> None:
    """A negative, NaN or infinite entry is named with its row and column, the first one in reading order."""
    refused(ValueError, rf"row 4, column 2 is {words}", call, spoiled(value, dtype), 2)
    refused(ValueError, rf"row 2, column 4 is {words}", call, spoiled(value, dtype).T[:, :6], 2)


@BOTH
@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize(("value", "words"), BAD_ENTRIES)
def test_bad_entry_of_a_sparse_matrix(call: Callable[..., Any], value: float, words: str, form: str) -> None:
    """A bad entry of any sparse format has its row and column named, zero rows before it or not."""
    matrix = spoiled(value)
    matrix[1], matrix[:, 0] = 0, 0
    refused(ValueError, rf"row 4, column 2 is {words}", call, getattr(sp, f"{form}_array")(matrix), 2)


@BOTH
@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame, lambda a: pd.DataFrame(a).astype(pd.SparseDtype(float, 0))]
)
@pytest.mark.parametrize(("value", "words"), BAD_ENTRIES[:3])
def test_bad_entry_of_a_frame(call: Callable[..., Any], value: float, words: str, frame: Any) -> None:
    """A bad entry of a data frame is named by its place."""
    refused(ValueError, rf"row 4, column 2 is {words}", call, frame(spoiled(value)), 2)


@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf])
@pytest.mark.parametrize("make", [np.array, sp.csr_array, pd.DataFrame])
def test_bad_entry_for_the_estimator(make: Any, value: float) -> None:
    """The estimator refuses bad entries as scikit-learn does, and says where they are."""
    refused(ValueError, r"(Negative values|NaN|infinity).* at row 4, column 2", nmf, make(spoiled(value)), 2)


@BOTH
def test_negative_sum_of_duplicates(call: Callable[..., Any]) -> None:
    """An entry given in parts is judged by its sum, at its own place."""
    matrix = sp.coo_array(([5.0, 1.0, -2.0, 1.0], ([0, 1, 1, 2], [0, 2, 2, 1])), shape=(3, 3))
    refused(ValueError, r"row 1, column 2 is negative \(-1\)", call, matrix, 2)


NOT_NUMBERS = {
    "complex": (A.astype(complex), "complex"),
    "complex, sparse": (sp.csr_array(A.astype(complex)), "complex"),
    "complex objects": (np.array([[1j, 1], [1, 1]], object), "complex"),
    "text": (np.array([["a", "b"], ["c", "d"]]), "numbers"),
    "text objects": (np.array([["1", 2], [3, 4]], object), "text"),
    "bytes": (np.array([[b"a", b"b"], [b"c", b"d"]]), "numbers"),
    "a frame with text": (pd.DataFrame({"a": [1.0, 2], "b": ["x", "y"]}), "text|numbers"),
    "a polars frame with text": (pl.DataFrame({"a": [1.0, 2], "b": ["x", "y"]}), "text|numbers"),
    "dates": (np.array([["2020-01-01", "2020-01-02"]] * 2, "M8[D]"), "numbers"),
    "records": (np.zeros((3, 3), [("x", "f8")]), "numbers"),
    "objects": (np.array([[1.0, {}], [2.0, 3.0]], object), "numbers, not dict"),
    "a dict": ({"a": 1}, "numbers"),
}


@BOTH
@pytest.mark.parametrize("what", NOT_NUMBERS)
def test_not_numbers(call: Callable[..., Any], what: str) -> None:
    """Complex numbers, text, dates and other things are no nonnegative numbers: TypeError."""
    refused(TypeError, NOT_NUMBERS[what][1], call, NOT_NUMBERS[what][0], 1)


NOT_MATRICES = {
    "nothing": (None, "dimensions"),
    "a number": (3.0, "two dimensions, not 0"),
    "a word": ("matrix.npy", "two dimensions"),
    "1-D": (A[0], "two dimensions, not 1"),
    "3-D": (A[None], "two dimensions, not 3"),
    "1-D, sparse": (sp.coo_array(A[0]), "two dimensions, not 1"),
    "a sparse series": (pd.Series(pd.arrays.SparseArray([0.0, 1.0])), "two dimensions, not 1"),
    "ragged lists": ([[1.0, 2.0], [3.0]], "rows of one length"),
    "no rows": (np.zeros((0, 5)), "empty: 0 × 5"),
    "no columns": (np.zeros((5, 0)), "empty: 5 × 0"),
    "empty, sparse": (sp.csr_array((0, 5)), "empty: 0 × 5"),
    "an empty frame": (pd.DataFrame(), "empty"),
    "all zero": (np.zeros((4, 5)), "all zero"),
    "all zero, sparse": (sp.csr_array((4, 5)), "all zero"),
    "stored zeros only": (sp.csr_array(([0.0], ([1], [1])), shape=(4, 5)), "all zero"),
    "duplicates that cancel": (sp.coo_array(([1.0, -1.0], ([1, 1], [1, 1])), shape=(4, 5)), "all zero"),
    "all false": (np.zeros((4, 5), bool), "all zero"),
    "masked": (np.ma.masked_greater(A, 0.5), "masked"),
    "missing": (np.array([[None, 1.0], [1.0, 2.0]], object), "row 0, column 0 is NaN"),
    "missing in polars": (pl.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]}), "row 1, column 0 is NaN"),
    "too large": (A * 1e200, "rescale"),
    "too large, sparse": (sp.csr_array(A * 1e200), "rescale"),
    "too small": (A * 1e-200, "rescale"),
    "too small, sparse": (sp.csr_array(A * 1e-200), "rescale"),
    "too large for float32": ((A * 1e30).astype("f4"), "rescale"),
    "too small for float32": ((A * 1e-30).astype("f4"), "rescale"),
    "too large for float64": (A.astype("g") * np.longdouble("1e4000"), "row 0, column 0 is infinite"),
    "too large an integer": (np.array([[10**400, 1], [1, 1]], object), "row 0, column 0 is infinite|too large"),
}


@BOTH
@pytest.mark.parametrize("what", NOT_MATRICES)
def test_not_a_matrix(call: Callable[..., Any], what: str) -> None:
    """What has not two filled dimensions and one finite positive norm is refused: ValueError."""
    refused(ValueError, NOT_MATRICES[what][1], call, NOT_MATRICES[what][0], 1)


@pytest.mark.parametrize("what", ["1-D", "3-D", "no rows", "no columns", "ragged lists", "masked", "missing"])
def test_not_a_matrix_for_the_estimator(what: str) -> None:
    """The estimator refuses these too, in scikit-learn's words where it has some."""
    with pytest.raises(ValueError, match=r"\w"):
        nmf(NOT_MATRICES[what][0], 1)


def damaged(form: str, how: Any) -> Any:
    """A sparse matrix of 10 × 8 whose index arrays do not fit, as scipy lets one make it."""
    rng = np.random.default_rng(3)
    made = sp.csr_array(rng.random((10, 8)) * (rng.random((10, 8)) < 0.5)).asformat(form)
    if form == "coo":
        made.coords[how[0]][2] = how[1]
    elif form == "lil":
        made.rows[3][0] = how
    elif form == "dok":
        made._dict[how] = 1.0
    elif form == "dia":
        made.offsets = how(made.offsets)
    elif isinstance(how, int):
        made.indices[7] = how
    else:
        name, change = how
        setattr(made, name, change(getattr(made, name)))
    return made


def put(place: int, number: int) -> Any:
    """A change of one entry of an array."""
    return lambda array: np.concatenate([array[:place], [number], array[place:][1:]]).astype(array.dtype)


POINTERS: dict[str, Any] = {
    "too short": ("indptr", lambda p: p[:-1]),
    "too long": ("indptr", lambda p: np.r_[p, p[-1]]),
    "not from 0": ("indptr", put(0, 1)),
    "beyond the end": ("indptr", lambda p: np.r_[p[:-1], p[-1] + 5]),
    "decreasing": ("indptr", put(1, 30)),
    "negative": ("indptr", put(1, -4)),
    "floats in indptr": ("indptr", lambda p: p.astype(float)),
    "fewer values": ("data", lambda d: d[:-1]),
    "floats": ("indices", lambda i: i + 0.5),
    "objects": ("indices", lambda i: i.astype(object)),
    "two lines": ("indices", lambda i: i[:, None]),
}
MALFORMED: dict[str, tuple[str, Any]] = {
    **{f"{form}, index {i}": (form, i) for form in ("csr", "csc", "bsr") for i in (17, -3, 10**6)},
    **{f"{form}, {what}": (form, how) for form in ("csr", "csc", "bsr") for what, how in POINTERS.items()},
    **{f"coo, {axis} {i}": ("coo", (axis, i)) for axis in (0, 1) for i in (17, -1, 10**6)},
    **{f"lil, {i}": ("lil", i) for i in (99, -1, 1.5)},
    **{f"dok, {key}": ("dok", key) for key in ((3, 99), (99, 3), (-1, 0))},
    "dia, too few": ("dia", lambda offsets: offsets[:-1]),
    "dia, far away": ("dia", lambda offsets: np.r_[offsets[:-1].astype(np.int64), 2**40]),
    "dia, floats": ("dia", lambda offsets: offsets + 0.5),
}
WAYS_IN: dict[str, Callable[[Any], Any]] = {
    "factorize": lambda m: factorize(m, 2),
    "iterate": lambda m: iterate(m, 2),
    "a memory limit": lambda m: factorize(m, 2, memory_limit="1GB"),
    "NMF": lambda m: nmf(m, 2),
    "partial_fit": lambda m: pw.NMF(2).partial_fit(m),
    "NMF.transform": lambda m: pw.NMF(2, max_iter=2, tol=0).fit(np.ones((9, 8))).transform(m),
    "transform": lambda m: pw.factorize(np.ones((10, 4)), 2, stop=RULE).transform(m),
    "ranks": lambda m: pw.ranks(m, [2]),
    "compare_methods": lambda m: list(pw.compare_methods(m, 2)),
    "truncated_svd": lambda m: pw.truncated_svd(m, 2),
    "hoyer": pw.hoyer,
    "weights": lambda m: pw.factorize(sp.csr_array(np.ones((10, 8))), 2, weights=m),
    "recommend": lambda m: pw.factorize(np.ones((10, 8)), 2, stop=RULE).recommend(0, known=m),
    "inverse_transform": lambda m: pw.NMF(8, tol=0, max_iter=1).fit(np.ones((10, 8))).inverse_transform(m),
    "a start": lambda m: pw.factorize(np.ones((10, 9)), 8, init=m),
    "a start that is made": lambda m: pw.factorize(np.ones((10, 9)), 8, init=lambda *_: m),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_sparse_matrices(what: str, tmp_path: Path) -> None:
    """Index arrays that lead out of the matrix are refused by every way in; compiled code would follow them."""
    form, how = MALFORMED[what]
    ways = WAYS_IN | {
        "write_matrix": lambda m: pw.write_matrix(tmp_path / "a", m),
        "write_matrix by rows": lambda m: pw.write_matrix(tmp_path / "b", m, long=0),
        "write_matrix of blocks": lambda m: pw.write_matrix(tmp_path / "c", iter([m])),
        "a dask block": lambda m: make_part([[m]], 0, 0, 0, "<f8"),
    }
    for ask in ways.values():
        refused(ValueError, "is malformed: .*; rebuild it", ask, damaged(form, how))


def test_malformed_in_words() -> None:
    """The first entry that is outside is named as the matrix would be read."""
    for form, words in (
        ("csr", r"row 2 has a column index 17 outside its 8 columns; rebuild it, e\.g\. from its COO triplets\.$"),
        ("csc", r"column 1 has a row index 17 outside its 10 rows; rebuild it, e\.g\. from its COO triplets\.$"),
    ):
        refused(ValueError, words, factorize, damaged(form, 17), 2)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
def test_malformed_matrix_files(form: str, tmp_path: Path) -> None:
    """A file whose indices lead out of the matrix, or are no whole numbers, is refused when it is read or converted."""
    path = tmp_path / "matrix.npz"
    index, inside = ("col", "row") if form == "coo" else ("indices", "indptr")
    sound = sp.csr_array(A).asformat(form)
    sp.save_npz(path, sound)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    changes = [(index, put(4, 99)), (index, put(4, -2)), (index, lambda i: i + 0.5), (inside, lambda i: i[:-1])]
    for name, change in changes + ([(inside, put(1, 50))] if form != "coo" else []):
        np.savez(path, **arrays | {name: change(arrays[name])})
        refused(ValueError, "matrix.npz.*", read_matrix, path)
        refused(ValueError, "matrix.npz.*", convert, path, tmp_path / "parts", long=1)
    np.savez(path, **arrays)
    np.testing.assert_array_equal(read_matrix(path).toarray(), A)


@BOTH
@pytest.mark.parametrize("rank", [0, -1, 8, 10**9, np.int64(8)])
def test_rank_out_of_range(call: Callable[..., Any], rank: int) -> None:
    """A rank below 1 or above the smaller side is refused, and the range is named."""
    refused(ValueError, "1 to 7", call, A, rank)
    if rank < 1:
        refused(ValueError, f"n_components must be at least 1, not {rank}", nmf, A, rank)


@BOTH
@pytest.mark.parametrize("rank", [2.0, np.float64(2), np.nan, True, np.True_, None, [2], np.array(2.5), 2j])
def test_rank_not_whole(call: Callable[..., Any], rank: Any) -> None:
    """A rank that is not an integer is refused, a bool and a whole float too."""
    refused(TypeError, "whole number", call, A, rank)
    if rank is not None:
        refused(TypeError, "n_components must be a whole number", nmf, A, rank)


def test_rank_in_words() -> None:
    """A rank is not a word; the estimator knows one."""
    refused(TypeError, "whole number", factorize, A, "3")
    refused(ValueError, '"auto"', nmf, A, "automatic")


@ALL
@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("aclss", "acls"),
        ("HALS", "hals"),
        ("als_hals", "als-hals"),
        ("multiplikative", "multiplicative"),
        ("hoyr", "hoyer"),
    ],
)
def test_unknown_algorithm(call: Callable[..., Any], typo: str, meant: str) -> None:
    """A misspelt algorithm gets the nearest name."""
    refused(ValueError, f"{typo}'; did you mean '{meant}'", call, A, 2, algorithm=typo)


@ALL
@pytest.mark.parametrize(
    ("typo", "meant"), [("nnsdvd", "nndsvd"), ("Random", "random"), ("svd_centroid", "svd-centroid")]
)
def test_unknown_init(call: Callable[..., Any], typo: str, meant: str) -> None:
    """A misspelt start gets the nearest name."""
    refused(ValueError, f"{typo}'; did you mean '{meant}'", call, A, 2, init=typo)


@ALL
@pytest.mark.parametrize(("setting", "names"), [("algorithm", pw.ALGORITHMS), ("init", pw.INITS)])
def test_a_name_like_no_other(call: Callable[..., Any], setting: str, names: dict[str, Any]) -> None:
    """A name that is near to none gets the list of all."""
    refused(ValueError, "one of .*" + ", ".join(names), call, A, 2, **{setting: "zzz"})


@ALL
@pytest.mark.parametrize("thing", [3, 2.5, pw.acls, object()])
def test_algorithm_of_the_wrong_kind(call: Callable[..., Any], thing: Any) -> None:
    """An algorithm is a name or an algorithm; the factory itself is neither."""
    refused(TypeError, "algorithm", call, A, 2, algorithm=thing)


@ALL
@pytest.mark.parametrize("thing", [3, 2.5, object()])
def test_init_of_the_wrong_kind(call: Callable[..., Any], thing: Any) -> None:
    """A start is a name, an object, W or (W, H)."""
    refused(TypeError, "init", call, A, 2, init=thing)


def changed(factor: np.ndarray, value: float) -> np.ndarray:
    """The factor with a bad entry at row 1, column 0."""
    factor = factor.copy()
    factor[1, 0] = value
    return factor


STARTS = {
    "W too short": (W[:8], "W must be 9 × 2"),
    "W too wide": (np.c_[W, W], "W must be 9 × 2"),
    "W transposed": (W.T, "W must be 9 × 2"),
    "W 1-D": (W[:, 0], "W must have two dimensions"),
    "W negative": (changed(W, -1), r"W .*row 1, column 0 is negative \(-1\)"),
    "W NaN": (changed(W, np.nan), "W .*row 1, column 0 is NaN"),
    "W infinite": (changed(W, np.inf), "W .*row 1, column 0 is infinite"),
    "W sparse, negative": (sp.csr_array(changed(W, -1)), "W .*row 1, column 0 is negative"),
    "W ragged": ([[1.0, 2.0], [3.0]], "W must have rows of one length"),
    "H too short": ((W, H[:1]), "H must be 2 × 7"),
    "H transposed": ((W, H.T), "H must be 2 × 7"),
    "H negative": ((W, changed(H, -1)), r"H .*row 1, column 0 is negative \(-1\)"),
    "H NaN": ((W, changed(H, np.nan)), "H .*row 1, column 0 is NaN"),
    "W of a pair": ((W[:8], H), "W must be 9 × 2"),
    "three things": ((W, H, H), r"\(W, H\), not 3 things"),
    "one thing": ((W,), r"\(W, H\), not 1 things?"),
    "nothing": ((), r"\(W, H\), not 0 things"),
}
NOT_NUMBER_STARTS = {
    "W complex": (W.astype(complex), "W holds complex"),
    "W text": (W.astype(str), "W must hold numbers"),
    "H complex": ((W, H.astype(complex)), "H holds complex"),
}


@BOTH
@pytest.mark.parametrize("what", STARTS)
def test_bad_start(call: Callable[..., Any], what: str) -> None:
    """A given W or H of the wrong shape or with a bad entry is refused by its name, with the place."""
    refused(ValueError, STARTS[what][1], call, A, 2, init=STARTS[what][0])


@BOTH
@pytest.mark.parametrize("what", NOT_NUMBER_STARTS)
def test_start_that_is_no_number(call: Callable[..., Any], what: str) -> None:
    """A given W or H must hold real numbers."""
    refused(TypeError, NOT_NUMBER_STARTS[what][1], call, A, 2, init=NOT_NUMBER_STARTS[what][0])


@pytest.mark.parametrize("what", ["W too short", "W negative", "W NaN"])
def test_bad_start_for_the_estimator(what: str) -> None:
    """The estimator passes the same sentence on by the parameter's name; its matrix is Aᵀ."""
    refused(ValueError, STARTS[what][1].replace("W ", "init ", 1), nmf, A.T, 2, init=STARTS[what][0])


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar", "svd-centroid", "spa"])
def test_starts_that_cannot_have_more_components_than_a_side(init: str) -> None:
    """scikit-learn's refusal, for our starts too."""
    refused(ValueError, r"can only be used when n_components <= min\(n_samples, n_features\)", nmf, A, 8, init=init)


EXTREME = [1e300, 1e200, 1e155, 1e-155, 1e-200, 1e-300, 5e-318]
FAR_STARTS: dict[str, Any] = {
    **{f"W · {c:g}": W * c for c in EXTREME},
    **{f"(W, H) · {c:g}": (W * c, H * c) for c in EXTREME},
    **{f"(W · {c:g}, H / it)": (W * c, H / c) for c in EXTREME[:-1]},
    "columns": W * [1e300, 1e-300],
    "columns and rows": (W * [1e300, 1e-300], H * [[1e-300], [1e300]]),
    "columns against rows": (W * [1e300, 1e-300], H * [[1e300], [1e-300]]),
    "one row": np.where(np.arange(9)[:, None] == 4, 1e300, W),
    "one entry": (np.where(np.arange(18).reshape(9, 2) == 5, 1.7e308, W), H),
    "a large column without a row": (W * [1, 1e300], H * [[1], [0]]),
    "beyond single precision": W * 1e60,
    "below single precision": (W * 1e-60, H * 1e-60),
}


def finite(*factors: Any) -> bool:
    """Whether every number of these is."""
    return all(bool(np.isfinite(np.asarray(factor)).all()) for factor in factors)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_nothing_that_is_not_finite_comes_out(algorithm: str, dtype: str, make: Any) -> None:
    """A start as large or as small as numbers can be is brought into range, whatever the method.

    That happens before the data are looked at, so those of the other kind get every third one.
    """
    matrix = make(A.astype(dtype))
    skip_unless_taken(algorithm, matrix)
    every = 5 if algorithm == "alp" else 3 if sp.issparse(matrix) else 1
    for what, start in islice(FAR_STARTS.items(), None, None, every):
        fit = pw.factorize(matrix, 2, algorithm=algorithm, init=start, stop=RULE)
        assert finite(fit.w, fit.h, fit.error, fit.history.error), what
        assert all(finite(step.w, step.h) for step in islice(pw.iterate(matrix, 2, algorithm=algorithm, init=start), 3))
    model = pw.NMF(2, algorithm=algorithm, init=H.T * 1e300, max_iter=2, tol=0)
    assert finite(model.fit_transform(matrix), model.components_)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_start_is_brought_into_range_by_powers_of_two(dtype: str) -> None:
    """A start in range keeps its bits; in another its columns are the same but for a power of two, as is WH."""
    matrix = A.astype(dtype)
    for start in (W, W * 2.0**20, W * 2.0**-20):
        given = next(pw.iterate(matrix, 2, init=start))
        assert given.w.tobytes() == start.astype(dtype).tobytes()
        far = next(pw.iterate(matrix, 2, init=start * 2.0**900))
        ratio = far.w / given.w
        assert (ratio == ratio[0]).all()
        assert (np.frexp(ratio)[0] == 0.5).all()
        np.testing.assert_allclose(far.w @ far.h.T, given.w @ given.h.T, rtol=1e-5)
    pair = next(pw.iterate(matrix, 2, init=(W, H)))
    assert (pair.w.tobytes(), pair.h.T.tobytes()) == (W.astype(dtype).tobytes(), H.astype(dtype).tobytes())
    far = next(pw.iterate(matrix, 2, init=(W * [2.0**700, 2.0**-700], H * [[2.0**-700], [2.0**700]])))
    np.testing.assert_array_equal(far.w @ far.h.T, pair.w @ pair.h.T)
    assert far.error == pair.error


def test_a_made_start_out_of_range() -> None:
    """A start that a function makes is brought into range too."""
    fit = pw.factorize(A.astype("f4"), 2, init=lambda *_: W * 1e300, stop=RULE)
    assert finite(fit.w, fit.h, fit.error)


def test_the_last_line_of_defence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the start itself is not finite all the same, that is a sentence and no result."""
    monkeypatch.setattr("partwise.engine.iteration.in_range", lambda data, w, h=None: (w, h))
    for polish in (None, "hals"):
        refused(ValueError, "left the range", factorize, A, 2, init=(W * 1e300, H * 1e300), polish=polish)
    refused(ValueError, "left the range", lambda: next(pw.iterate(A, 2, init=W * 1e300)))


def test_transform_in_a_precision_that_cannot_hold_it() -> None:
    """Single precision cannot take the place of double where the numbers are beyond it."""
    fit = pw.factorize(A * 1e90, 2, stop=RULE)
    refused(ValueError, "leave the range of their precision", fit.transform, A.astype("f4"))
    model = pw.NMF(2, max_iter=2, tol=0).fit(A * 1e90)
    refused(ValueError, "leave the range of their precision", model.transform, A.astype("f4"))


def test_an_earlier_result_of_another_rank_or_matrix() -> None:
    """An earlier result as a start must fit the matrix and the rank."""
    fit = pw.factorize(A, 2, stop=RULE)
    refused(ValueError, "must be (9 × 3|3 × 7)", factorize, A, 3, init=fit)
    refused(ValueError, "H must be 2 × 6", factorize, A[:, :6], 2, init=fit)


RULES: dict[str, tuple[Callable[[], Any], str]] = {
    "Frobenius()": (lambda: pw.Frobenius(), "level.*change"),
    "AnyOf([])": (lambda: pw.AnyOf(()), "empty"),
    "AllOf([])": (lambda: pw.AllOf(()), "empty"),
    "MaxIterations(-1)": (lambda: pw.MaxIterations(-1), "at least 0, not -1"),
    "MaxIterations(2.5)": (lambda: pw.MaxIterations(2.5), "whole number"),
    "MaxIterations(True)": (lambda: pw.MaxIterations(True), "whole number"),
}
EPSILONS: dict[str, Callable[..., Any]] = {
    "TimeLimit": lambda eps, **given: pw.TimeLimit(eps, **given),
    "Frobenius level": lambda eps, **given: pw.Frobenius(level=eps, **given),
    "Frobenius change": lambda eps, **given: pw.Frobenius(change=eps, **given),
    "Angle": lambda eps, **given: pw.Angle(eps, **given),
    "Stationarity": lambda eps, **given: pw.Stationarity(eps, **given),
}


@pytest.mark.parametrize("what", RULES)
def test_bad_rule(what: str) -> None:
    """A rule that could never or always stop is refused when it is made."""
    refused(ValueError, RULES[what][1], RULES[what][0])


@pytest.mark.parametrize("eps", [0, 0.0, -1e-3, np.nan, np.inf, True, "1e-4", 1j, [1e-4]])
@pytest.mark.parametrize("rule", EPSILONS)
def test_rule_with_a_bad_epsilon(rule: str, eps: Any) -> None:
    """ε must be a number above 0."""
    refused(ValueError, rf"{rule.split()[0]}\(\w+=...\) must be a number above 0, not", EPSILONS[rule], eps)


@pytest.mark.parametrize(
    ("setting", "value"), [("every", 0), ("every", -5), ("every", 2.0), ("burn_in", -1), ("burn_in", 0.5)]
)
@pytest.mark.parametrize("rule", [*EPSILONS, "MaxIterations", "AnyOf", "AllOf"])
def test_rule_with_a_bad_rhythm(rule: str, setting: str, value: Any) -> None:
    """``every`` is at least 1 and ``burn_in`` at least 0, both whole."""
    makers = EPSILONS | {
        "MaxIterations": lambda _, **given: pw.MaxIterations(3, **given),
        "AnyOf": lambda _, **given: pw.AnyOf((RULE,), **given),
        "AllOf": lambda _, **given: pw.AllOf((RULE,), **given),
    }
    refused(ValueError, rf"{setting}=...\) must be a whole number of at least", makers[rule], 1e-3, **{setting: value})


@pytest.mark.parametrize("setting", ["stop", "polish_stop"])
@pytest.mark.parametrize("rules", [[], (), {}])
def test_empty_list_of_rules(setting: str, rules: Any) -> None:
    """A list without a rule is refused."""
    refused(ValueError, "empty", factorize, A, 2, polish="anls", **{setting: rules})


@pytest.mark.parametrize("setting", ["stop", "polish_stop"])
@pytest.mark.parametrize(
    "rules", [30, "30", True, [30], [RULE, None], ["MaxIterations"], pw.MaxIterations, [pw.Stationarity]]
)
def test_things_that_are_no_rules(setting: str, rules: Any) -> None:
    """A number, a word, or the class of a rule instead of a rule is refused."""
    refused(TypeError, "stop must", factorize, A, 2, polish="anls", **{setting: rules})


@pytest.mark.parametrize("combine", [pw.AnyOf, pw.AllOf])
@pytest.mark.parametrize("rules", [[30], [pw.Stationarity]])
def test_combinations_of_things_that_are_no_rules(combine: Any, rules: Any) -> None:
    """Any-of and all-of hold rules."""
    refused(TypeError, "stopping rules", combine, rules)


def settings(*names: str) -> list[tuple[str, str]]:
    """(algorithm, setting) for all factories in the table that take one of these settings."""
    found = [(a, s) for a, make in pw.ALGORITHMS.items() for s in inspect.signature(make).parameters if s in names]
    assert len(found) > 1
    return found


@pytest.mark.parametrize("value", [-1e-9, -1, np.nan, np.inf, True, "1", 1j, [1]])
@pytest.mark.parametrize(("name", "setting"), settings("lam_w", "lam_h", "l1_w", "l1_h"))
def test_bad_lambda(name: str, setting: str, value: Any) -> None:
    """λ must be a finite number of at least 0, for every algorithm that takes one."""
    words = rf"{name}\({setting}=...\) must be a finite number ≥ 0, not"
    refused(ValueError, words, pw.ALGORITHMS[name], **{setting: value})


@pytest.mark.parametrize("value", [-1e-9, 1 + 1e-9, np.nan, np.inf, True, "1", 1j])
@pytest.mark.parametrize(("name", "setting"), settings("alpha_w", "alpha_h"))
def test_bad_alpha(name: str, setting: str, value: Any) -> None:
    """α must lie in [0, 1], for every algorithm that takes one."""
    words = rf"{name}\({setting}=...\) must be a finite number in \[0, 1\], not"
    refused(ValueError, words, pw.ALGORITHMS[name], **{setting: value})


@pytest.mark.parametrize("value", [1.0, 1, -0.1, 2, np.nan, np.inf, True, "0.5"])
@pytest.mark.parametrize(("name", "setting"), settings("sparsity_w", "sparsity_h"))
def test_bad_sparsity(name: str, setting: str, value: Any) -> None:
    """A sparsity target must lie in [0, 1): a row of sparsity 1 is a single entry, which no angle leads away from."""
    words = rf"{name}\({setting}=...\) must be a finite number in \[0, 1\), not"
    refused(ValueError, words, pw.ALGORITHMS[name], **{setting: value})


@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, True, "3", None])
@pytest.mark.parametrize(("name", "setting"), settings("sweeps"))
def test_bad_sweeps(name: str, setting: str, value: Any) -> None:
    """The number of sweeps is whole and at least 1."""
    refused(
        ValueError, rf"\({setting}=...\) must be a whole number of at least 1", pw.ALGORITHMS[name], **{setting: value}
    )


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(("name", "setting"), settings("alpha_w", "alpha_h"))
def test_the_ends_of_alpha_are_allowed(name: str, setting: str, value: float) -> None:
    """α = 0 and α = 1 are legal."""
    side = getattr(pw.ALGORITHMS[name](**{setting: value}), setting[-1])
    assert side.penalty.alpha == value


@ALL
def test_hoyer_at_rank_1(call: Callable[..., Any]) -> None:
    """A row of length 1 has no sparsity."""
    refused(ValueError, "2 components or more", call, A, 1, algorithm="hoyer")


@ALL
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_alp_on_large_data(call: Callable[..., Any], make: Any) -> None:
    """Linear programming is refused on large data, with the limit and what to use instead."""
    words = "at most 40,000 entries, not 20[01] × 20[01]; use anls"
    refused(ValueError, words, call, make(np.eye(201, 200)), 2, algorithm="alp")


@pytest.mark.parametrize(
    ("matrix", "rank", "polish", "words"),
    [
        (A, 2, "anlss", "did you mean 'anls'"),
        (A, 1, "hoyer", "2 components or more"),
        (A, 2, "alp", "cannot polish"),
    ],
)
def test_bad_polish(matrix: np.ndarray, rank: int, polish: str, words: str) -> None:
    """The polish is checked like the algorithm, before the run that it follows."""
    refused(ValueError, words, factorize, matrix, rank, polish=polish)


@pytest.mark.parametrize("polish", ["multiplicative", "gdcls"])
def test_a_polish_that_cannot_carry_the_penalty(polish: str) -> None:
    """A polish that cannot minimise the objective of what it polishes is refused before the work."""
    refused(ValueError, "cannot carry", factorize, A, 2, algorithm="ahcls", polish=polish)


def test_a_polish_of_hoyer() -> None:
    """Polishing would undo the sparsity targets."""
    refused(ValueError, "sparsity targets", factorize, A, 2, algorithm="hoyer", polish="anls")


@ALL
@pytest.mark.parametrize("threads", [0, -1, 2.0, True, "2"])
def test_bad_threads(call: Callable[..., Any], threads: Any) -> None:
    """The number of threads is whole and at least 1."""
    refused(ValueError, "threads must be a whole number of at least 1", call, A, 2, threads=threads)


@ALL
@pytest.mark.parametrize("text", ["abc", "0", "-1", "1.5", "2 cores", "²"])
def test_bad_environment(call: Callable[..., Any], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable is checked like the setting, and named."""
    monkeypatch.setenv("PARTWISE_NUM_THREADS", text)
    refused(ValueError, f"PARTWISE_NUM_THREADS must be a whole number of at least 1, not {text!r}", call, A, 2)


@BOTH
@pytest.mark.parametrize("seed", [-1, 1.5, True, "0", [1, 2]])
def test_bad_seed(call: Callable[..., Any], seed: Any) -> None:
    """A seed is a whole number of at least 0, or None."""
    refused(ValueError, "seed must be a whole number of at least 0, or None", call, A, 2, seed=seed)


@pytest.mark.parametrize("restarts", [0, -1, 1.0, True, None])
def test_bad_restarts(restarts: Any) -> None:
    """At least one start."""
    refused(ValueError, "restarts must be a whole number of at least 1", factorize, A, 2, restarts=restarts)


@pytest.mark.parametrize("keep", ["x", "Best", 1])
def test_bad_keep(keep: Any) -> None:
    """Keep the best or the last."""
    refused(ValueError, 'keep must be "best" or "last"', factorize, A, 2, keep=keep)


def test_an_svd_that_does_not_serve() -> None:
    """An SVD for the comparison must reach the rank and be that of the matrix; this is found out before the work."""
    refused(ValueError, "ranks 1 to 1, not 2", factorize, A, 2, svd=pw.truncated_svd(A, 1))
    refused(ValueError, "SVD that was given is of another matrix", factorize, A, 2, svd=pw.truncated_svd(1.01 * A, 2))


@pytest.mark.parametrize("tol", [-1e-9, np.nan, True, "0.1", None])
def test_bad_tolerance_of_the_estimator(tol: Any) -> None:
    """The tolerance of the estimator is at least 0."""
    refused(ValueError, "tol must be a finite number ≥ 0", nmf, A, 2, tol=tol)


@pytest.mark.parametrize("max_iter", [-1, 0, 2.5, True, None])
def test_bad_max_iter_of_the_estimator(max_iter: Any) -> None:
    """The number of iterations is whole."""
    refused(ValueError, "max_iter must be a whole number of at least 1", nmf, A, 2, max_iter=max_iter)


def test_transform_of_another_number_of_rows() -> None:
    """New columns must have the rows that were fitted."""
    fit = pw.factorize(A, 2, stop=RULE)
    refused(ValueError, "8 rows, the one that was fitted 9", fit.transform, A[:8])
    refused(ValueError, "row 1, column 0 is NaN", fit.transform, changed(A, np.nan))


@pytest.mark.parametrize(("dtype", "power"), [("f8", -460), ("f8", 460), ("f4", -40), ("f4", 40)])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "algorithm", ["als-hals", "acls", "multiplicative", "anls", "projected-gradient", "barrier", "hoyer"]
)
def test_what_is_not_refused_works(algorithm: str, make: Any, dtype: str, power: int) -> None:
    """A matrix whose squares stay in range is factorised like any other, without a warning, however large or small."""
    chosen = pw.acls(0, 0) if algorithm == "acls" else algorithm
    plain, scaled = (
        pw.factorize(make((A * c).astype(dtype)), 2, algorithm=chosen, stop=pw.MaxIterations(5))
        for c in (1, 2.0**power)
    )
    # Powers of two change no digit, but the solvers' order of pivots may differ in the last one.
    assert scaled.error == pytest.approx(plain.error, rel=1e-9 if dtype == "f8" else 1e-4)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("init", ["random", "svd-centroid", "pair"])
@pytest.mark.parametrize("algorithm", pw.ALGORITHMS)
def test_zero_rows_and_columns_stay_zero(algorithm: str, init: str, dtype: str, form: str) -> None:
    """Zero rows and columns are legal; after five iterations their rows of W and columns of H are exactly zero."""
    matrix = A.astype(dtype)
    matrix[[0, 5]], matrix[:, [2, 6]] = 0, 0
    matrix = matrix if form == "dense" else sp.csr_array(matrix)
    skip_unless_taken(algorithm, matrix)
    fit = pw.factorize(
        matrix,
        2,
        algorithm=algorithm,
        init=(W, H) if init == "pair" else init,
        stop=pw.MaxIterations(5),
        keep="last",
    )
    assert fit.certificate.returned > 0, "ahcls may lose a whole factor on the way, but not at once"
    assert not fit.W[[0, 5]].any()
    assert not fit.H[:, [2, 6]].any()
    assert fit.W.any(axis=1).sum() <= 7
    assert np.isfinite(fit.W).all()
    assert np.isfinite(fit.H).all()


def test_a_refusal_changes_nothing() -> None:
    """The input is as it was after it was refused."""
    matrix = spoiled(np.nan)
    before = matrix.tobytes()
    refused(ValueError, "NaN", factorize, matrix, 2)
    assert matrix.tobytes() == before


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("svd-centroid", {"tol": 0}, "tol=...\\) must be a number above 0"),
        ("svd-centroid", {"v": "x"}, "must be V, an SVD or None, not str"),
        ("nndsvda", {"tol": "a"}, "tol=...\\) must be a number above 0"),
        ("nndsvd", {"svd": 3}, "must be an SVD, as truncated_svd gives one, or None; not int"),
        ("nnsvd-lrc", {"gain": np.nan}, "gain=...\\) must be a finite number"),
        ("nnsvd-lrc", {"rounds": -1}, "rounds=...\\) must be a whole number of at least 0"),
    ],
)
def test_bad_settings_of_starts(name: str, given: Any, words: str) -> None:
    """A start's settings are checked when it is made."""
    with pytest.raises((ValueError, TypeError), match=words):
        pw.INITS[name](**given)


def test_hoyer_at_the_ends_of_the_range() -> None:
    """The sparsity is that of a vector of any size; what has none is refused."""
    x = np.array([[3.0, 0, 1, 2], [5, 1, 1, 1]])
    scales = np.array([[1e300], [1e-300]])
    for make in (np.asarray, sp.csr_array):
        np.testing.assert_allclose(pw.hoyer(make(x * scales), axis=1), pw.hoyer(x, axis=1), rtol=1e-12)
        np.testing.assert_allclose(pw.hoyer(make(x.T * scales.T), axis=0), pw.hoyer(x, axis=1), rtol=1e-12)
        assert pw.hoyer(make(x * 1e300)) == pytest.approx(pw.hoyer(x), rel=1e-12)
    for bad in ([np.inf, 1], [np.nan, 1], [], [[1], [1, 2]]):
        refused(ValueError, "finite|empty|one length", pw.hoyer, bad)
    refused(TypeError, "must hold numbers", pw.hoyer, "word")
    refused(ValueError, "axis must be", pw.hoyer, x, axis=5)


def test_dates_for_the_estimator() -> None:
    """Dates and spans of time are no numbers, though numpy would convert them."""
    for kind in ("M8[D]", "m8[D]"):
        refused(TypeError, "X holds dates or times", nmf, np.ones((3, 3), "i8").astype(kind), 2)


def test_long_and_far_names() -> None:
    """A name that is nowhere near is not guessed at, and a long one is not repeated whole."""
    with pytest.raises(ValueError, match="no algorithm 'kmeans'; choose one of als, "):
        pw.factorize(A, 2, algorithm="kmeans")
    with pytest.raises(ValueError, match="no initialisation 'xxx") as caught:
        pw.factorize(A, 2, init="x" * 10_000)
    assert len(str(caught.value)) < 400


def foreign(library: str, name: str) -> Any:
    """An object of a class of another library, as far as it is looked at."""
    return type(name, (), {"__module__": f"{library}.core"})()


@ALL
def test_objects_of_other_libraries(call: Callable[..., Any]) -> None:
    """What holds a matrix is refused with the way to it."""
    refused(TypeError, r"AnnData of anndata.*adata\.X", call, foreign("anndata", "AnnData"), 1)
    refused(TypeError, r"COO of sparse.*to_scipy_sparse\(\) first", call, foreign("sparse", "COO"), 1)
    refused(TypeError, r"LazyFrame of polars.*collect\(\) first", call, pl.LazyFrame({"a": [1.0]}), 1)


@pytest.mark.parametrize(
    "read", [read_matrix, lambda path: pw.write_matrix(path, A), pw.factorize(A, 2, stop=RULE).save]
)
def test_addresses_are_no_paths(read: Callable[..., Any]) -> None:
    """An address is refused as what it is."""
    refused(ValueError, r"s3://bucket/a\.npz is the address of something elsewhere", read, "s3://bucket/a.npz")


TEXTS = ["ship sail sea", "sea ship", "song tune", "tune song voice"]
SETTINGS: dict[str, tuple[Callable[[], Any], str]] = {
    "plan's nnz": (lambda: pw.plan(A, 2, nnz=-5), "nnz must be a whole number of at least 0, not -5"),
    "plan's dtype": (lambda: pw.plan(A, 2, dtype="x"), "dtype must be a type of numbers"),
    "restarts": (lambda: factorize(A, 2, restarts=10**30), "restarts must be at most 1,000,000"),
    "svd-centroid": (
        lambda: pw.INITS["svd-centroid"](rounds=0),
        r"\(rounds=...\) must be a whole number of at least 1",
    ),
    "sweeps": (lambda: pw.kl_sweeps(10**30), r"kl-sweeps\(sweeps=...\) must be at most 1,000,000"),
    "sweeps of hals": (lambda: pw.hals(sweeps=10**30), r"hals\(sweeps=...\) must be at most 1,000,000"),
    "svd-best": (lambda: pw.INITS["svd-best"](random_state="x"), r"\(random_state=...\) must be a whole number"),
    "Quadratic": (lambda: pw.Quadratic(lam="x"), r"Quadratic\(lam=...\) must be a finite number"),
    "Quadratic's α": (lambda: pw.Quadratic(1, alpha=2), r"Quadratic\(alpha=...\) must be"),
    "PerObservation": (lambda: pw.PerObservation(None), r"PerObservation\(lam=...\) must be"),
    "an SVD": (lambda: pw.truncated_svd(A, 2).truncate("x"), "serves ranks 1 to 2, not 'x'"),
    "stability's seed": (lambda: pw.stability(A, 2, seed=None), "seed must be a whole number of at least 0, not None"),
    "stability's runs": (lambda: pw.stability(A, 2, runs=10**30), "runs must be at most 1,000,000"),
    "further stop words": (lambda: pw.Weighting(further_stop_words={1}), "further_stop_words must be a tuple of words"),
    "a document": (lambda: pw.Document("1", None), r"Document\(text=...\) must be a text, not NoneType"),
    "texts": (lambda: pw.Weighting().fit(None), "The texts must be a list or an iterator of texts, not NoneType"),
    "labels": (lambda: model().clusters(labels=3), "The labels must be a list"),
    "terms of topics": (lambda: model().topics(n="x"), "n must be a whole number of at least 1, not 'x'"),
    "documents of topics": (lambda: model().topics(documents=-1), "documents must be a whole number of at least 0"),
    "terms of a text": (lambda: model().explain_text("ship", n=2.5), "n must be a whole number"),
    "a report's labels": (lambda: report(rows=3), "rows must be a list of labels, not int"),
    "a report's title": (lambda: report(title=3), "titles of a report must be texts"),
}


def model() -> pw.TopicModel:
    """Two topics in four texts."""
    return pw.TopicModel(2, stop=RULE, threads=1).fit(TEXTS)


def report(**given: Any) -> Any:
    """A report that must not be written."""
    return pw.write_report(pw.factorize(A, 2, stop=RULE), "never.html", **given)


@pytest.mark.parametrize("what", SETTINGS)
def test_settings_in_words(what: str) -> None:
    """A setting of the wrong kind or size is refused by name."""
    ask, words = SETTINGS[what]
    refused((ValueError, TypeError), words, ask)  # type: ignore[arg-type]


def test_numbers_of_other_kinds() -> None:
    """A seed in eight bits and a tolerance that is a fraction are numbers like others."""
    start = pw.INITS["svd-best"](random_state=np.int8(3))
    fit = factorize(A, 2, init=start, stop=pw.MaxIterations(2))
    assert np.array_equal(fit.W, factorize(A, 2, init=pw.INITS["svd-best"](random_state=3), stop=pw.MaxIterations(2)).W)
    with pytest.warns(ConvergenceWarning, match="tol=1e-09 is not met"):
        pw.NMF(2, tol=Fraction(1, 10**9), max_iter=1).fit(A)
