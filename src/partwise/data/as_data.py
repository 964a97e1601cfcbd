"""``as_data``: any matrix as data of the engine; the only place that asks what kind it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from inspect import getattr_static
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from partwise.arguments import is_whole, whole_number
from partwise.data.base import LocalData, Matrix, OwnData, OwnParts
from partwise.data.dense import DenseData
from partwise.data.entry_checks import check_shape, dense_array, float_type
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.types import Array, Data


def as_data(matrix: Any, *, zero: bool = False) -> Data:
    """A nonnegative matrix as :class:`Data`; anything that is not one is refused in a sentence.

    Takes numpy arrays in any order and real dtype, read-only and memory-mapped ones too, data frames with numeric
    columns, every scipy sparse format, which is never made dense, dask arrays of dense or sparse blocks, and objects
    of a user's own that keep the law of :class:`partwise.types.Local` or :class:`partwise.types.Walkable`. The caller's
    data are not changed. Integers and booleans become float64; float32 stays float32. An all-zero matrix is refused
    unless ``zero`` says it may be one.
    """
    data: Any
    if isinstance(matrix, Matrix):
        data = matrix
    elif is_dask(matrix):
        from partwise.data.dask.parts import from_dask  # imported late: only clusters need it

        data = from_dask(matrix)
    elif sp.issparse(matrix := from_frame(matrix)):
        check_shape(matrix.shape)
        data = SparseData.from_scipy(matrix, float_type(matrix.dtype))
    elif is_own(matrix):
        check_shape(matrix.shape)
        if float_type(matrix.dtype) != matrix.dtype:
            raise TypeError(f"Data of your own must be float32 or float64, not {matrix.dtype}.")
        data = OwnData(matrix) if _has(matrix, "product", "rows") else OwnParts(matrix, _as_part)
    else:
        refuse_foreign(matrix)
        data = DenseData(dense_array(matrix))
    return _in_range(data, zero)


FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def at_a_glance(matrix: Any) -> Data | None:
    """An array of floats in which nothing is wrong; None for all else, at which :func:`as_data` looks more closely.

    A small batch of a stream takes less time than the questions that its kind answers. A sum of squares that is finite
    has no entry that is not.
    """
    plain = type(matrix) is np.ndarray and matrix.dtype in FLOATS and matrix.ndim == 2 and matrix.size > 0
    if not plain or not matrix.min() >= 0:
        return None
    data: Any = DenseData(matrix)
    return data if _has_squares_in_range(data) else None


FOREIGN = {
    ("anndata", "AnnData"): "give its matrix adata.X to NMF, and to all others adata.X.T, with a sample a column",
    ("polars", "LazyFrame"): "call its collect() first",
    ("sparse", "COO"): "call its to_scipy_sparse() first",
    ("sparse", "GCXS"): "call its to_scipy_sparse() first",
}
"""Classes that hold a matrix and are none for numpy: (library, name) -> how to get at it."""


def refuse_foreign(matrix: Any) -> None:
    """Refuse an object that numpy would take for one value, with the way to its matrix."""
    library, name = type(matrix).__module__.partition(".")[0], type(matrix).__name__
    if advice := FOREIGN.get((library, name)):
        raise TypeError(f"This is a {name} of {library}, which is not read as a matrix; {advice}.")


def _as_part(matrix: Any) -> LocalData:
    """A part of a user's own data, which may be all zero."""
    part: Any = as_data(matrix, zero=True)
    return cast(LocalData, part)


def is_dask(matrix: Any) -> bool:
    """Whether a matrix is one of Dask's."""
    return type(matrix).__module__.startswith("dask.")


def in_memory(factor: Any) -> Array:
    """A factor as an array of this process, also one that a cluster holds."""
    if not is_dask(factor):
        return np.asarray(factor)
    from partwise.data.dask.waiting import brought_home  # imported late: only clusters need it

    return brought_home(factor)


def is_own(matrix: Any) -> bool:
    """Whether a matrix is a user's own object with the members of one of the two protocols, none of which is called."""
    if isinstance(matrix, np.ndarray) or sp.issparse(matrix):
        return False
    return _has(matrix, "product", "rows") or _has(matrix, "split", "parts")


def _has(matrix: Any, *members: str) -> bool:
    return all(getattr_static(matrix, name, None) is not None for name in ("shape", "dtype", "T", *members))


def is_kept_elsewhere(matrix: Any) -> bool:
    """Whether a matrix is data of the engine, of a user, or of Dask, which no other library can look into."""
    return isinstance(matrix, Matrix) or is_dask(matrix) or is_own(matrix)


def from_frame(matrix: Any) -> Any:
    """The sparse matrix of a data frame with sparse columns; anything else as it is."""
    frame = getattr(matrix, "sparse", None)
    if frame is not None and hasattr(frame, "to_coo") and np.ndim(matrix) == 2 and 0 not in matrix.shape:
        return frame.to_coo()
    return matrix


def _in_range(data: Data, zero: bool) -> Data:
    """Data that are not zero, with squares in the range of numbers."""
    if data.weighted and not zero and not data.row_counts.any():  # type: ignore[attr-defined]
        raise ValueError("All entries are unknown, so there is nothing to factor.")
    if _has_squares_in_range(data):
        return data
    if data.nnz == 0 or not any(data.rows(i, i + 1).any() for i in range(data.shape[0])):
        if zero:
            return data
        known = "All entries that are known are 0" if data.weighted else "The matrix is all zero"
        raise ValueError(f"{known}, so there is nothing to factor.")
    raise ValueError("The entries are so large or so small that their squares leave the range of numbers; rescale.")


def _has_squares_in_range(data: Data) -> bool:
    least, most = _range_of(data.dtype)
    return least <= data.norm2 <= most


@cache
def _range_of(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The least and the largest number of full precision."""
    range_ = np.finfo(dtype)
    return float(range_.tiny), float(range_.max)


@dataclass(frozen=True)
class Outline:
    """The sizes of data before anything is made of them."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    nnz: int
    resident: int
    """The bytes in this process as the matrix was given, or a part at a time."""
    copies: int = 0
    """The bytes that ``as_data`` adds: a sparse matrix is walked by rows and by columns."""
    scattered: int = 0
    """How many rows of one factor lie scattered over the parts of A."""
    data: Any = None
    """The data themselves, where they are there already."""


def outline(matrix: Any, nnz: int | None = None, dtype: Any = np.float64) -> Outline:
    """What ``as_data`` would make of a matrix, or of a shape (m, n) with ``nnz`` entries, dense where not given."""
    nnz, dtype = None if nnz is None else whole_number("nnz", nnz, 0), _as_dtype(dtype)
    if isinstance(matrix, Matrix) or is_own(matrix):
        data: Any = as_data(matrix)
        scattered = 0 if data.split is None else data.shape[1 - data.split]
        return Outline(data.shape, data.dtype, data.nnz, data.resident, 0, scattered, data)
    if is_dask(matrix):
        from partwise.data.dask.parts import dask_outline  # imported late: only clusters need it

        return Outline(*dask_outline(matrix))
    if sp.issparse(matrix):
        check_structure(matrix)
    if (not hasattr(matrix, "shape") and not _is_shape(matrix)) or hasattr(matrix, "iloc"):
        return outline(from_frame(matrix) if hasattr(getattr(matrix, "sparse", None), "to_coo") else np.asarray(matrix))
    if hasattr(matrix, "shape"):
        check_shape(matrix.shape)
        m, n = (int(side) for side in matrix.shape)
        stored = np.dtype(getattr(matrix, "dtype", dtype))
        nnz = int(matrix.nnz) if sp.issparse(matrix) else None
        as_needed = stored in (np.float32, np.float64) and getattr(matrix, "format", "csr") in ("csr", "csc")
    else:
        (m, n), stored, as_needed = matrix, dtype, True
    kind = float_type(stored)
    if nnz is None:
        floating = stored in (np.float32, np.float64)
        return Outline((m, n), kind, m * n, m * n * stored.itemsize, 0 if floating else m * n * kind.itemsize)
    one = nnz * (kind.itemsize + 4) + 4 * (m + 1)
    return Outline((m, n), kind, nnz, one, one + 4 * (n - m) + (0 if as_needed else one))


def _as_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
        return kind
    except TypeError:
        raise TypeError(f"dtype must be a type of numbers such as float32, not {dtype!r}.") from None


def _is_shape(matrix: Any) -> bool:
    """Whether two whole numbers stand for a matrix that is not there yet."""
    return isinstance(matrix, tuple) and len(matrix) == 2 and all(is_whole(side) and side >= 1 for side in matrix)


def as_factor(value: Any, name: str, shape: tuple[int, int]) -> Array:
    """A given W or H as a nonnegative array of the shape that is needed."""
    if sp.issparse(value):
        check_structure(value, name)
        value = value.toarray()
    array = dense_array(value, name)
    if array.shape != shape:
        raise ValueError(f"{name} must be {shape[0]} × {shape[1]} here, not {array.shape[0]} × {array.shape[1]}.")
    return array
