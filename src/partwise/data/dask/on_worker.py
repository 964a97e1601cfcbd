"""What runs where a part lies: making it, checking it, and a task on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.base import LocalData
from partwise.data.dense import DenseData
from partwise.data.disk import _Slot, part_of
from partwise.data.entry_checks import concatenated, placed_in_whole, refuse_bad_entry, refuse_masked
from partwise.data.manifest import Stored
from partwise.data.observed import ROW_FACTS, Observed
from partwise.data.passes import Tall, add, total
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.data.unknown import Knowledge
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array

COMPLETE = Knowledge()


@dataclass(frozen=True)
class Part:
    """Some rows of the long axis, in both orders; it says its size, so that Dask does not move it lightly."""

    data: Any

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self.data, Observed):
            base = None if self.data.base is None else Part(self.data.base)
            return _known_part, (*self.data.special, self.data.shape, self.data.outside, base)
        if isinstance(self.data, SparseData):
            return _sparse_part, (*self.data.arrays, self.data.shape)
        return _dense_part, (self.data.rows(0, self.data.shape[0]),)

    def __sizeof__(self) -> int:
        return int(2 * self.data.nbytes)

    def side(self, turned: bool) -> LocalData:
        """As rows of the long axis, or as columns."""
        data: LocalData = self.data.T if turned else self.data
        return data


@dataclass(frozen=True)
class Facts:
    """What is known of a part before the run starts."""

    nnz: int
    sparse: bool
    sums: dict[str, tuple[Array, Array]]
    """What is summed over its rows, by name, and its share of the same on the other axis."""
    outside: float | None
    """Where entries have weights, that of all but the special ones."""
    dense: bool


def make_part(
    lines: Sequence[Sequence[Any]],
    long: int,
    first: int,
    block: int,
    dtype: str,
    known: Knowledge = COMPLETE,
    weights: Sequence[Sequence[Any]] | None = None,
) -> Part:
    """Lines of blocks along the short axis put together and checked; rows run along the long axis."""
    whole = _joined(lines, long, f"Block {block} of the matrix", dtype)
    if known:
        name = f"Block {block} of the weights"
        with placed_in_whole(first, long):
            return _whole(known.entries(whole, None if weights is None else _joined(weights, long, name, dtype)))
    sparse = sp.issparse(whole)
    _check(whole, sparse, long, first, block)
    data: Any = SparseData.from_scipy(whole, np.dtype(dtype)) if sparse else DenseData(np.ascontiguousarray(whole))
    return _whole(data)


def _joined(lines: Sequence[Sequence[Any]], long: int, name: str, dtype: str) -> Any:
    """Lines of blocks beside each other, as rows along the long axis."""
    pieces = [piece for line in lines for piece in line]
    if any(sp.issparse(piece) for piece in pieces):
        for piece in pieces:
            if sp.issparse(piece):
                check_structure(piece, name)
        across, along = (sp.hstack, sp.vstack) if long == 0 else (sp.vstack, sp.hstack)
        rows = [across([sp.csr_array(piece) for piece in line]) for line in lines]
        whole: Any = sp.csr_array(rows[0] if len(rows) == 1 else along(rows))
    else:
        whole = concatenated([concatenated(line, 1 - long) for line in lines], long)
    return (whole if long == 0 else whole.T).astype(dtype, copy=False)


def _known_part(
    indptr: Array, indices: Array, values: Array, weights: Array, shape: tuple[int, int], outside: float, base: Any
) -> Part:
    special = sp.csr_array((_own(weights), _own(indices), _own(indptr)), shape=shape)
    return _whole(Observed(special, _own(values), outside, None if base is None else base.data))


def _sparse_part(indptr: Array, indices: Array, values: Array, shape: tuple[int, int]) -> Part:
    return _whole(SparseData(sp.csr_array((_own(values), _own(indices), _own(indptr)), shape=shape)))


def _dense_part(rows: Array) -> Part:
    return _whole(DenseData(_own(rows)))


def _whole(data: Any) -> Part:
    """With its transpose, which is made here and now."""
    assert data.T.shape[0] == data.shape[1]
    return Part(data)


def _check(rows: Any, sparse: bool, long: int, first: int, block: int) -> None:
    """Refuse a bad entry, with its place in the whole matrix."""
    refuse_masked(rows, f"Block {block} of the matrix")
    if sparse:
        rows = rows.tocoo()
    values = rows.data if sparse else rows.ravel()

    def place(p: int) -> tuple[int, int]:
        i, j = (int(rows.row[p]), int(rows.col[p])) if sparse else divmod(p, rows.shape[1])
        return (first + i, j) if long == 0 else (j, first + i)

    refuse_bad_entry(values, place, f"Block {block} of the matrix")


def load_part(folder: str, part: int) -> Part:
    """A part of a matrix on shared storage, read by the worker that will hold it."""
    stored = _stored(folder)
    return _whole(part_of(stored, _Slot(stored).load(part), "rows", both=True))


@lru_cache(maxsize=4)
def _stored(folder: str) -> Stored:
    return Stored.at(folder)


def changed(part: Part, change: Any, first: int) -> Part:
    """What becomes of a part that begins at row ``first``."""
    return _whole(change(part.data, first))


def facts(part: Part) -> Facts:
    """What the whole needs to know of a part."""
    data, weighted = part.data, part.data.weighted
    sums = {name: (getattr(data, name), getattr(data.T, name)) for name in (ROW_FACTS if weighted else ROW_FACTS[:2])}
    return Facts(
        data.nnz, isinstance(data, SparseData), sums, data.outside if weighted else None, weighted and data.dense
    )


def run(
    part: Part,
    *rows: Array | None,
    task: Any,
    shared: Sequence[Array],
    turned: bool,
    shares: Sequence[int],
    threads: int,
) -> tuple[list[Array], Any]:
    """A task on a part: (its new rows, (its sums, its shares)), as it would be made in one process."""
    data = part.side(turned)
    short = data.shape[0] if turned else data.shape[1]
    added = [np.zeros((short, width), data.dtype) for width in shares]
    writable = [_own(array) for array in shared]
    with Workers(threads) as workers, single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        arrays = [None if array is None else _own(array) for array in rows]
        width = len(Tall._fields)
        tall = [Tall(*arrays[at : at + width]) for at in range(0, len(arrays), width)]
        new, sums = task(data, tall, writable, added, workers)
    return new, [total(sums), added]


def _own(array: Array) -> Array:
    """An array that may have come over the wire, where it can be read-only or start at any byte, as one of our own.

    The kernels are compiled for writable, aligned arrays, and NumPy multiplies an unaligned one by way of a copy in
    another order: other bits.
    """
    return np.require(array, requirements=["C", "W", "A"])


def rows_of(result: tuple[list[Array], Any], place: int) -> Array:
    """One of the arrays of new rows."""
    return result[0][place]


def sums_of(result: tuple[list[Array], Any]) -> Any:
    """What is summed."""
    return result[1]


def added(one: Any, other: Any) -> Any:
    """The sums of two neighbours."""
    return add(one, other)


def own(sums: Any) -> Any:
    """Nested sums that came over the wire, each array as one of our own."""
    if isinstance(sums, (tuple, list)):
        return [own(term) for term in sums]
    return _own(sums) if isinstance(sums, np.ndarray) else sums


def some_rows(part: Part, turned: bool, lo: int, hi: int) -> Array:
    """Rows of one side of a part, dense."""
    return np.array(part.side(turned).rows(lo, hi))


def applied(rows: Array, function: Any) -> Any:
    """A function on the rows of a part."""
    with single_threaded_blas():
        return function(_own(rows))


def copied(rows: Array) -> Array:
    """The same rows under another key, on another worker."""
    return rows
