"""What may be a nonnegative matrix, and the sentences for what may not."""

import hashlib
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from partwise.types import Array

UNKNOWN = 'missing="nan"'


def check_shape(shape: tuple[int, ...], name: str = "The matrix") -> None:
    """Two dimensions, none of them empty; dask calls a size that it does not know NaN."""
    if len(shape) != 2:
        hint = " Use reshape(-1, 1) for a single column." if len(shape) == 1 else ""
        raise ValueError(f"{name} must have two dimensions, not {len(shape)}.{hint}")
    if any(map(math.isnan, shape)):
        raise ValueError("The dask array has blocks of unknown size; call its compute_chunk_sizes() first.")
    if 0 in shape:
        raise ValueError(f"{name} is empty: {shape[0]} × {shape[1]}.")


def float_type(dtype: Any, name: str = "The matrix") -> np.dtype[Any]:
    """The precision to work in: float32 for float32 and half floats, float64 for every other real type."""
    kind = np.dtype(dtype).kind
    if kind == "c":
        raise TypeError(f"{name} holds complex numbers; a nonnegative matrix is real.")
    if kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, not {dtype}.")
    return np.dtype(np.float32 if np.dtype(dtype).newbyteorder("=") in (np.float16, np.float32) else np.float64)


def concatenated(blocks: Sequence[Any], axis: int = 0) -> Array:
    """Dense blocks beside each other, with their masks where they have any."""
    arrays = [np.asanyarray(block) for block in blocks]
    whole: Array = (np.ma if any(map(np.ma.isMaskedArray, arrays)) else np).concatenate(arrays, axis)
    return whole


def refuse_masked(array: Any, name: str = "The matrix") -> None:
    """Refuse an array with masked entries."""
    if np.ma.isMaskedArray(array) and np.ma.is_masked(array):
        raise ValueError(f"{name} has masked entries; {UNKNOWN} takes them as unknown, matrix.filled(0) as 0.")


def dense_array(matrix: Any, name: str = "The matrix") -> Array:
    """A checked array, a view of the caller's where it can be one."""
    refuse_masked(matrix, name)
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise ValueError(f"{name} must have rows of one length.") from None
    if array.dtype == object:
        array = as_numbers(array, name)
    check_shape(array.shape, name)
    with np.errstate(over="ignore"):  # what a long double cannot give to a double is infinite, and refused as that
        array = array.astype(float_type(array.dtype, name), copy=False)
    if not (array.min() >= 0 and np.isfinite(array.max())):
        for i, row in enumerate(array):
            refuse_bad_entry(row, lambda j, i=i: (i, j), name)
    return array


def as_numbers(array: Array, name: str) -> Array:
    """An array of objects as floats; None and pandas' NA are NaN."""
    if pandas := sys.modules.get("pandas"):
        flat = [None if entry is pandas.NA else entry for entry in array.flat]
        array = np.fromiter(flat, object, array.size).reshape(array.shape)
    if any(isinstance(entry, complex) for entry in array.flat):
        raise TypeError(f"{name} holds complex numbers; a nonnegative matrix is real.")
    if any(isinstance(entry, (str, bytes)) for entry in array.flat):
        raise TypeError(f"{name} must hold numbers, not text.")
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} holds a whole number too large for a float.") from None
    except (TypeError, ValueError):
        kind = next((type(entry).__name__ for entry in array.flat if not _is_number(entry)), "such")
        raise TypeError(f"{name} must hold numbers, not {kind} objects.") from None


def _is_number(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return entry is None
    return True


def digest_of(arrays: Iterable[Array]) -> str:
    """A hash of the bytes of arrays, one after the other."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


def refuse_bad_entry(values: Array, position: Any, name: str = "The matrix") -> None:
    """Raise for the first value that is not a finite number ≥ 0; ``position`` maps its index to (row, column)."""
    bad = ~((values >= 0) & np.isfinite(values))
    if not bad.any():
        return
    p = int(bad.argmax())
    value, (i, j) = values[p], position(p)
    if np.isnan(value):
        what = f"NaN; {UNKNOWN} takes such entries as unknown" if name == "The matrix" else "NaN"
    elif np.isinf(value):
        what = "infinite"
    else:
        what = f"negative ({value:g})"
    raise _bad_entry(name, i, j, what)


def _bad_entry(name: str, row: int, column: int, what: str) -> ValueError:
    """The sentence for an entry, which keeps what it is made of, also on its way from a worker."""
    error = ValueError(f"{name} must be nonnegative and finite; the entry at row {row}, column {column} is {what}.")
    vars(error)["entry"] = name, row, column, what
    return error


@contextmanager
def placed_in_whole(first: int, long: int) -> Iterator[None]:
    """Give a bad entry of a part its place in the matrix: the part's rows begin at ``first`` on the axis ``long``."""
    try:
        yield
    except ValueError as error:
        if "entry" not in vars(error):
            raise
        name, row, column, what = vars(error)["entry"]
        raise _bad_entry(name, *((first + row, column) if long == 0 else (column, first + row)), what) from None
