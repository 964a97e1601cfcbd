"""A matrix on disk behind the data protocol: one part in memory, the next one being read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.base import LocalData, PartedData
from partwise.data.dense import DenseData
from partwise.data.manifest import ORDERS, Stored
from partwise.data.sparse import SparseData
from partwise.types import Array


class DiskData(PartedData):
    """One side of a stored matrix; ``turned`` is the side whose rows are the short axis."""

    def __init__(self, stored: Stored, turned: bool, transpose: DiskData | None = None) -> None:
        self._stored, self._turned, self._transpose = stored, turned, transpose
        self.shape: tuple[int, int] = stored.shape[::-1] if turned else stored.shape
        self.split: int | None = 1 if turned else 0
        self.dtype = stored.dtype
        self.nnz = stored.nnz
        self.widens = stored.sparse
        index = 4 if stored.sparse else 0
        self._slots: list[list[_Slot]] = [] if transpose is None else transpose._slots
        self.nbytes = stored.nnz * (stored.dtype.itemsize + index) + (self.shape[0] + 1) * index

    @property
    def T(self) -> DiskData:
        """The other side of the same files."""
        if self._transpose is None:
            self._transpose = DiskData(self._stored, not self._turned, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths, which were summed when the matrix was written."""
        return self._stored.read(f"{ORDERS[self._turned]}.norms2.npy")

    @property
    def resident(self) -> int:
        """The bytes of two parts in both orders: one that is used and one that is read."""
        widths = {"values": self.dtype.itemsize, "indices": 4, "indptr": 4}
        largest: dict[str, int] = {}
        for name, (count, _) in self._stored.files.items():
            part, _, kind = name.partition(".")
            if part.isdigit():
                largest[kind] = max(largest.get(kind, 0), count * widths[kind.split(".")[1]])
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
        mine, other = (ORDERS[self._turned], ORDERS[not self._turned])
        if not self._stored.sparse:
            rows = DenseData(there["rows"])
            return rows.T if self._turned else rows
        part = SparseData(there[mine])
        if other in orders:
            part = SparseData(there[mine], SparseData(there[other], part))
        return part

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
        """The rows lo:hi of a part in one order, without reading the others."""
        names = self._stored.names(part, order if self._stored.sparse else "rows")
        if not self._stored.sparse:
            values = self._stored.view(names[0]).reshape(-1, self._stored.shape[1])
            return values[lo:hi] if order == "rows" else values[:, lo:hi].T
        indptr, indices, values = (self._stored.view(name) for name in names)
        here = slice(int(indptr[lo]), int(indptr[hi]))
        some = sp.csr_array((values[here], indices[here], indptr[lo : hi + 1] - indptr[lo]), shape=(hi - lo, width))
        dense: Array = some.toarray()
        return dense


class _Slot:
    """Memory for one part, used again for part after part; what it holds already is not read again."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._buffers: dict[str, Array] = {}
        self._there: dict[str, Any] = {}
        self.part: int | None = None

    def load(self, part: int, orders: tuple[str, ...] = ORDERS) -> dict[str, Any]:
        """Order -> the part as a CSR matrix or an array over these buffers."""
        if part != self.part:
            self.part, self._there = part, {}
        for order in orders if self._stored.sparse else ORDERS[:1]:
            if order not in self._there:
                self._there[order] = self._order(part, order)
        return self._there

    def _order(self, part: int, order: str) -> Any:
        arrays = [self._read(name) for name in self._stored.names(part, order)]
        length, short = self._stored.edges[part + 1] - self._stored.edges[part], self._stored.shape[1]
        if not self._stored.sparse:
            return arrays[0].reshape(length, short)
        indptr, indices, values = arrays
        return sp.csr_array((values, indices, indptr), shape=(length, short) if order == "rows" else (short, length))

    def _read(self, name: str) -> Array:
        kind = name.split(".", 1)[1]
        if kind not in self._buffers:
            largest = max(count for other, (count, _) in self._stored.files.items() if other.split(".", 1)[1] == kind)
            values = kind.endswith("values.npy")
            self._buffers[kind] = np.empty(largest, self._stored.dtype if values else np.int32)
        return self._stored.read(name, self._buffers[kind])


def open_matrix(path: str | os.PathLike[str], *, client: Any = None) -> Any:
    """A matrix that :func:`write_matrix` or ``partwise convert`` stored, to be factored without loading it.

    With a ``distributed.Client`` its parts are read by the workers, which must see the same folder, and stay there.
    """
    stored = Stored.at(path)
    if client is not None:
        from partwise.data.dask.parts import from_stored

        return from_stored(stored, client)
    return DiskData(stored, turned=stored.long == 1)
