"""Matrices of every kind behind one protocol; ``as_data`` is the only place that asks what kind it is."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.checks import check_shape, dense_array, float_type
from partwise.data.dense import DenseData
from partwise.data.disk import DiskData, open_matrix
from partwise.data.sparse import SparseData
from partwise.data.writing import write_matrix
from partwise.structure import check_structure
from partwise.types import Array, Data
from partwise.walks import Walks

__all__ = ["DenseData", "DiskData", "SparseData", "as_data", "as_factor", "open_matrix", "write_matrix"]


def as_data(matrix: Any, *, zero: bool = False) -> Data:
    """A nonnegative matrix as :class:`Data`; anything that is not one is refused in a sentence.

    Takes numpy arrays in any order and real dtype, read-only and memory-mapped ones too, data frames with numeric
    columns, every scipy sparse format, which is never made dense, and dask arrays of dense or sparse blocks. The
    caller's data are not changed. Integers and booleans become float64; float32 stays float32. An all-zero matrix is
    refused unless ``zero`` says it may be one.
    """
    if isinstance(matrix, Walks):
        found: Any = matrix
        return _sized(found, zero)
    if type(matrix).__module__.startswith("dask."):
        from partwise.data.dask import from_dask

        return _sized(from_dask(matrix), zero)
    frame = getattr(matrix, "sparse", None)
    if frame is not None and hasattr(frame, "to_coo") and np.ndim(matrix) == 2 and 0 not in matrix.shape:
        matrix = frame.to_coo()
    if sp.issparse(matrix):
        check_shape(matrix.shape)
        data: Data = SparseData.from_scipy(matrix, float_type(matrix.dtype))
    else:
        data = DenseData(dense_array(matrix))
    return _sized(data, zero)


def _sized(data: Data, zero: bool) -> Data:
    """Data that are not zero, with squares in the range of numbers."""
    range_ = np.finfo(data.dtype)
    if float(range_.tiny) <= data.norm2 <= float(range_.max):
        return data
    if data.nnz == 0 or not any(data.rows(i, i + 1).any() for i in range(data.shape[0])):
        if zero:
            return data
        raise ValueError("The matrix is all zero, so there is nothing to factor.")
    raise ValueError("The entries are so large or so small that their squares leave the range of numbers; rescale.")


def as_factor(value: Any, name: str, shape: tuple[int, int]) -> Array:
    """A given W or H as a nonnegative array of the shape that is needed."""
    if sp.issparse(value):
        check_structure(value, name)
        value = value.toarray()
    array = dense_array(value, name)
    if array.shape != shape:
        raise ValueError(f"{name} must be {shape[0]} × {shape[1]} here, not {array.shape[0]} × {array.shape[1]}.")
    return array
