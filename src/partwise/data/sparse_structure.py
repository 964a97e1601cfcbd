"""Whether the index arrays of a scipy sparse matrix fit its shape: compiled code that follows them does not ask."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from partwise.types import Array

NAME = "The sparse matrix"
AXES = ("row", "column")
FARTHEST = np.iinfo(np.int32).max
"""The farthest diagonal whose number scipy keeps as it is."""


def check_structure(matrix: Any, name: str = NAME) -> None:
    """Refuse a sparse matrix whose index arrays do not fit together or lead out of its shape, in one pass over them."""
    check = CHECKS.get(matrix.format)
    if check is not None and len(matrix.shape) == 2:
        check(matrix, name)


def check_pointers(pointers: Any, lines: int, stored: int, axis: int, name: str = NAME) -> None:
    """Refuse the array that says where each row (``axis`` 0) or column begins where it does not count up."""
    check_whole(pointers, "indptr", name)
    line = AXES[axis]
    if len(pointers) != lines + 1:
        raise _malformed(name, f"indptr has {len(pointers):,} entries for {lines:,} {line}s, not {lines + 1:,}")
    if pointers[0] != 0:
        raise _malformed(name, f"indptr begins with {pointers[0]}, not 0")
    falls = pointers[1:] < pointers[:-1]
    if falls.any():
        raise _malformed(name, f"indptr decreases at {line} {int(falls.argmax())}")
    if pointers[-1] > stored:
        raise _malformed(name, f"indptr ends with {pointers[-1]:,}, but {stored:,} entries are stored")


def check_whole(array: Any, what: str, name: str = NAME) -> None:
    """Refuse indices that are not one line of whole numbers."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        kind = getattr(array, "dtype", type(array).__name__)
        raise _malformed(name, f"{what} must be a line of whole numbers, not {kind}")


def _compressed(matrix: Any, name: str, axis: int, block: tuple[int, int] = (1, 1)) -> None:
    """CSR (``axis`` 0), CSC (1), and BSR, whose lines are rows of blocks."""
    pointers, indices = matrix.indptr, matrix.indices
    lines, across = (size // step for size, step in zip(matrix.shape, block, strict=True))
    if axis == 1:
        lines, across = across, lines
    check_whole(indices, "indices", name)
    if np.ndim(matrix.data) not in (1, 3) or len(indices) != len(matrix.data):
        raise _malformed(name, f"there are {len(indices):,} indices for {np.size(matrix.data):,} values")
    check_pointers(pointers, lines, len(indices), axis, name)
    used = indices[: int(pointers[-1])]
    if (p := _outside(used, across)) is not None:
        line = int(np.searchsorted(pointers, p, "right")) - 1
        raise _stray(name, axis, line, used[p], across, "block " if block != (1, 1) else "")


def _blocked(matrix: Any, name: str) -> None:
    height, width = matrix.data.shape[1:] if np.ndim(matrix.data) == 3 else (0, 0)
    if not height or not width or matrix.shape[0] % height or matrix.shape[1] % width:
        raise _malformed(name, "its blocks do not divide its shape")
    _compressed(matrix, name, 0, (height, width))


def _triplets(matrix: Any, name: str) -> None:
    if len(matrix.coords) != 2 or np.ndim(matrix.data) != 1:
        raise _malformed(name, "it must have a row, a column and a value for each entry")
    rows, columns = matrix.coords
    _coordinates(rows, columns, len(matrix.data), matrix.shape, name)


def _coordinates(rows: Any, columns: Any, count: int, shape: tuple[int, int], name: str) -> None:
    for indices, what in ((rows, "row"), (columns, "column")):
        check_whole(indices, f"{what} indices", name)
    if not len(rows) == len(columns) == count:
        raise _malformed(name, f"there are {len(rows):,} rows and {len(columns):,} columns for {count:,} values")
    if (p := _outside(rows, shape[0])) is not None:
        raise _stray(name, 1, int(columns[p]), rows[p], shape[0])
    if (p := _outside(columns, shape[1])) is not None:
        raise _stray(name, 0, int(rows[p]), columns[p], shape[1])


def _diagonals(matrix: Any, name: str) -> None:
    offsets = matrix.offsets
    check_whole(offsets, "offsets", name)
    if np.ndim(matrix.data) != 2 or len(matrix.data) != len(offsets):
        raise _malformed(name, f"there are {len(matrix.data):,} diagonals for {len(offsets):,} offsets")
    if len(offsets) and not -FARTHEST < int(offsets.min()) <= int(offsets.max()) < FARTHEST:
        raise _malformed(name, "it has a diagonal far outside its shape")


def _lists(matrix: Any, name: str) -> None:
    rows, values = matrix.rows, matrix.data
    sizes = [len(row) for row in rows]
    if len(rows) != matrix.shape[0] or sizes != [len(row) for row in values]:
        raise _malformed(name, "its lists of columns and of values are not of the same lengths")
    columns = _array(list(chain.from_iterable(rows)))
    lines = np.repeat(np.arange(len(rows)), sizes)
    _coordinates(lines, columns, len(columns), matrix.shape, name)


def _keys(matrix: Any, name: str) -> None:
    rows, columns = zip(*matrix.keys(), strict=True) if len(matrix.keys()) else ((), ())
    _coordinates(_array(rows), _array(columns), len(rows), matrix.shape, name)


CHECKS: dict[str, Callable[[Any, str], None]] = {
    "csr": lambda matrix, name: _compressed(matrix, name, 0),
    "csc": lambda matrix, name: _compressed(matrix, name, 1),
    "bsr": _blocked,
    "coo": _triplets,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}


def _array(numbers: Any) -> Array:
    return np.array(numbers) if len(numbers) else np.empty(0, np.intp)


def _outside(indices: Array, size: int) -> int | None:
    """The place of the first index below 0 or from ``size`` on; as unsigned numbers both are too large."""
    if not len(indices):
        return None
    unsigned = indices.view(np.dtype(indices.dtype.str.replace("i", "u")))
    return int((unsigned >= size).argmax()) if int(unsigned.max()) >= size else None


def _stray(name: str, axis: int, line: int, index: Any, across: int, unit: str = "") -> ValueError:
    along, other = AXES[axis], AXES[1 - axis]
    return _malformed(name, f"{unit}{along} {line} has a {unit}{other} index {index} outside its {across:,} {other}s")


def _malformed(name: str, what: str) -> ValueError:
    return ValueError(f"{name} is malformed: {what}; rebuild it, e.g. from its COO triplets.")
