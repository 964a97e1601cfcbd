"""A matrix on disk behind the data protocol: one part in memory, the next one being read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from partwise.data.base import LocalData, PartedData
from partwise.data.dense import DenseData
from partwise.data.manifest import FACTS, ORDERS, WEIGHTED_FACTS, Stored
from partwise.data.observed import Observed, WeightedParts
from partwise.data.sparse import SparseData
from partwise.types import Array


class DiskData(PartedData):
    """One side of a stored matrix; ``turned`` is the side whose rows are the short axis."""

    def __init__(self, stored: Stored, turned: bool, transpose: Self | None = None) -> None:
        self._stored, self._turned, self._transpose = stored, turned, transpose
        self.shape: tuple[int, int] = stored.sides[::-1] if turned else stored.sides
        self.split: int | None = 1 if turned else 0
        self.dtype = stored.dtype
        self.nnz = stored.nnz
        self.widens = stored.sparse
        index = 4 if stored.sparse else 0
        self._slots: list[list[_Slot]] = [] if transpose is None else transpose._slots
        self.nbytes = stored.nnz * (stored.dtype.itemsize + index) + (self.shape[0] + 1) * index

    @property
    def T(self) -> Self:
        """The other side of the same files."""
        if self._transpose is None:
            self._transpose = type(self)(self._stored, not self._turned, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths, which were summed when the matrix was written."""
        return self._fact("row_norms2")

    @cached_property
    def row_sums(self) -> Array:
        """Row sums, which a matrix of version 0.1 does not have."""
        there = f"{ORDERS[self._turned]}.{FACTS['row_sums']}.npy" in self._stored.files
        return self._fact("row_sums") if there else super().row_sums

    def _fact(self, name: str) -> Array:
        """Sums over rows from when the matrix was written."""
        return self._stored.read(f"{ORDERS[self._turned]}.{WEIGHTED_FACTS[name]}.npy")

    @property
    def resident(self) -> int:
        """The bytes of two parts in both orders: one that is used and one that is read."""
        widths = {"indices": 4, "indptr": 4}
        largest: dict[str, int] = {}
        for name, (count, _) in self._stored.files.items():
            part, _, kind = name.partition(".")
            if part.isdigit():
                bytes_each = widths.get(kind.split(".")[1].removeprefix("special-"), self.dtype.itemsize)
                largest[kind] = max(largest.get(kind, 0), count * bytes_each)
        return 2 * sum(largest.values())

    @property
    def digest(self) -> str:
        """A hash of what the manifest says, checksums included."""
        return self._stored.digest

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """The parts in order, in two sets of buffers by turns: while one is used the next is read into the other.

        While the last one is used the first one is read again, since another pass mostly follows; so a matrix of one
        or two parts is read once.
        """
        orders = ORDERS if both else ORDERS[self._turned :][:1]
        slots = self._take()
        try:
            with ThreadPoolExecutor(1, "partwise-read") as reader:
                ahead: Future[dict[str, Any]] = reader.submit(slots[0].load, 0, orders)
                for part, (lo, hi) in enumerate(pairwise(self._stored.edges)):
                    there = ahead.result()
                    following = (part + 1) % self._stored.parts
                    ahead = reader.submit(slots[(part + 1) % len(slots)].load, following, orders)
                    yield lo, hi, self._side(there, orders)
        finally:  # after the reader has ended
            self._slots.append(sorted(slots, key=lambda slot: slot.part != 0))

    def _take(self) -> list[_Slot]:
        """The buffers of an earlier pass, first the one that has the first part; new ones where they are in use."""
        try:
            return self._slots.pop()
        except IndexError:
            return [_Slot(self._stored) for _ in range(min(2, self._stored.parts))]

    def _side(self, there: dict[str, Any], orders: tuple[str, ...]) -> LocalData:
        return part_of(self._stored, there, ORDERS[self._turned], ORDERS[not self._turned] in orders)

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense; of the short side they are gathered from every part."""
        out = np.zeros((hi - lo, self.shape[1]), self.dtype)
        for part, (first, end) in enumerate(pairwise(self._stored.edges)):
            if self._turned:
                out[:, first:end] = self._slice(part, "columns", lo, hi, end - first)
            elif first < hi and lo < end:
                start, stop = max(lo, first), min(hi, end)
                out[start - lo : stop - lo] = self._slice(part, "rows", start - first, stop - first, self.shape[1])
        return out

    def _slice(self, part: int, order: str, lo: int, hi: int, width: int) -> Array:
        """The rows lo:hi of a part in one order, without reading the others; unknown entries are 0."""
        names = self._stored.names(part, order if self._stored.sparse else "rows")
        if not names:
            names = self._stored.special_names(part, order)[:3]
        if not self._stored.sparse:
            values = self._stored.view(names[0]).reshape(-1, self._stored.sides[1])
            return values[lo:hi] if order == "rows" else values[:, lo:hi].T
        indptr, indices, values = (self._stored.view(name) for name in names)
        here = slice(int(indptr[lo]), int(indptr[hi]))
        some = self._stored.checked((values[here], indices[here], indptr[lo : hi + 1] - indptr[lo]), (hi - lo, width))
        dense: Array = some.toarray()
        return dense


class WeightedDiskData(WeightedParts, DiskData):
    """One side of a stored matrix with weights or unknown entries."""

    def __init__(self, stored: Stored, turned: bool, transpose: Self | None = None) -> None:
        super().__init__(stored, turned, transpose)
        assert stored.known is not None
        self.outside, self.missing, self.widens = stored.known.outside, stored.known.missing, False
        self.dense = stored.known.base and not stored.sparse
        self._scale = None if transpose is None else transpose._scale


def part_of(stored: Stored, there: dict[str, Any], order: str, both: bool) -> LocalData:
    """The side of a part whose rows are in this order, with the other side where ``both`` is asked for."""
    other = ORDERS[order == ORDERS[0]]
    base: Any = there[order][0]
    if not stored.sparse:
        base = DenseData(base) if order == ORDERS[0] else DenseData(base).T
    elif base is not None:
        base = SparseData(base)
        if both:
            base = SparseData(there[order][0], SparseData(there[other][0], base))
    if stored.known is None:
        return base  # type: ignore[no-any-return]
    weights, values = there[order][1]
    part = Observed(weights, values, stored.known.outside, base)
    if both:
        others, numbers = there[other][1]
        turned = Observed(others, numbers, stored.known.outside, None if base is None else base.T, part)
        part = Observed(weights, values, stored.known.outside, base, turned)
    return part


class _Slot:
    """Memory for one part, used again for part after part; what it holds already is not read again."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._buffers: dict[str, Array] = {}
        self._there: dict[str, Any] = {}
        self.part: int | None = None

    def load(self, part: int, orders: tuple[str, ...] = ORDERS) -> dict[str, Any]:
        """Order -> the part over these buffers: (a CSR matrix or an array of rows, the special entries)."""
        if part != self.part:
            self.part, self._there = part, {}
        for order in orders:
            if order not in self._there:
                self._there[order] = self._base(part, order), self._special(part, order)
        return self._there

    def _shape(self, part: int, order: str) -> tuple[int, int]:
        length, short = self._stored.edges[part + 1] - self._stored.edges[part], self._stored.sides[1]
        return (length, short) if order == "rows" else (short, length)

    def _base(self, part: int, order: str) -> Any:
        """All entries in one order; an array is in one order alone and read once."""
        if not self._stored.sparse:
            other = self._there.get(ORDERS[order == ORDERS[0]])
            names = self._stored.names(part, "rows")
            return self._read(names[0]).reshape(self._shape(part, "rows")) if other is None else other[0]
        arrays = [self._read(name) for name in self._stored.names(part, order)]
        if not arrays:
            return None
        indptr, indices, values = arrays
        return self._stored.checked((values, indices, indptr), self._shape(part, order))

    def _special(self, part: int, order: str) -> tuple[sp.csr_array, Array] | None:
        """(δ, values) of the entries whose weight is not the usual one."""
        arrays = [self._read(name) for name in self._stored.special_names(part, order)]
        if not arrays:
            return None
        indptr, indices, values, weights = arrays
        return self._stored.checked((weights, indices, indptr), self._shape(part, order)), values

    def _read(self, name: str) -> Array:
        kind = name.split(".", 1)[1]
        if kind not in self._buffers:
            largest = max(count for other, (count, _) in self._stored.files.items() if other.split(".", 1)[1] == kind)
            numbers = kind.endswith(("values.npy", "weights.npy"))
            self._buffers[kind] = np.empty(largest, self._stored.dtype if numbers else np.int32)
        return self._stored.read(name, self._buffers[kind])


def open_matrix(path: str | os.PathLike[str], *, client: Any = None) -> Any:
    """A matrix that :func:`write_matrix` or ``partwise convert`` stored, to be factored without loading it.

    With a ``distributed.Client`` its parts are read by the workers, which must see the same folder, and stay there.
    """
    stored = Stored.at(path)
    if client is not None:
        from partwise.data.dask.parts import from_stored

        return from_stored(stored, client)
    kind = DiskData if stored.known is None else WeightedDiskData
    return kind(stored, turned=stored.long == 1)
