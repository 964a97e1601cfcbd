"""A dask array without a cluster: one part at a time is computed in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.blocks import Block, borders
from partwise.data.checks import digest_of
from partwise.data.dask import work
from partwise.types import Array, Data
from partwise.walks import Walks


class Chunks:
    """The blocks of an array in lines along the short axis; every pass computes them again, one line at a time."""

    def __init__(self, blocks: Sequence[Any], edges: Sequence[int], short: int, dtype: Any, long: int) -> None:
        self.blocks, self.edges, self.long = list(blocks), list(edges), long
        self.shape, self.dtype = (int(edges[-1]), short), np.dtype(dtype)
        self.found = [work.facts(self.part(index)) for index in range(len(self.blocks))]

    def part(self, index: int) -> work.Part:
        """One part, computed now."""
        from dask.base import compute

        return work.make_part(compute(*self.blocks[index]), self.long, self.edges[index], index, self.dtype.str)


class ChunkedData(Walks):
    """One side of a dask array."""

    def __init__(self, chunks: Chunks, turned: bool, transpose: ChunkedData | None = None) -> None:
        self._chunks, self._turned, self._transpose = chunks, turned, transpose
        self.shape: tuple[int, int] = chunks.shape[::-1] if turned else chunks.shape
        self.dtype = chunks.dtype
        self.split: int | None = 1 if turned else 0
        self.nnz: int = sum(found.nnz for found in chunks.found)
        self.widens = all(found.sparse for found in chunks.found)
        index = 4 if self.widens else 0
        self.nbytes: int = self.nnz * (self.dtype.itemsize + index) + (self.shape[0] + 1) * index

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal size, for what is done to a factor alone."""
        return borders(np.arange(self.shape[0] + 1) * (self.nnz / self.shape[0] + 8))

    @property
    def T(self) -> ChunkedData:
        """The other side of the same blocks."""
        if self._transpose is None:
            self._transpose = ChunkedData(self._chunks, not self._turned, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths."""
        if not self._turned:
            return np.concatenate([found.norms2 for found in self._chunks.found])
        shares = [found.others2 for found in self._chunks.found]
        return sum(shares[1:], shares[0])

    @property
    def digest(self) -> str:
        """A hash of the lengths of all rows and columns, which are at hand; the numbers are elsewhere."""
        return digest_of([self.row_norms2, self.T.row_norms2])

    @cached_property
    def norm2(self) -> float:
        """‖A‖_F²."""
        return float(self.row_norms2.sum())

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Data]]:
        """The parts in order, each computed when its turn comes."""
        for index, (lo, hi) in enumerate(pairwise(self._chunks.edges)):
            yield lo, hi, self._chunks.part(index).side(self._turned)

    def hand_out(self, factor: Any) -> Any:
        """A dask array in the blocks of the input; a factor of the short axis as it is."""
        if self._turned:
            return factor
        import dask.array as da

        return da.from_array(factor, chunks=(tuple(np.diff(self._chunks.edges).tolist()), factor.shape[1]))

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """Not here: a pass goes over the parts."""
        raise TypeError("A dask array is multiplied part by part.")

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, from the parts that have them."""
        found = []
        for index, (first, end) in enumerate(pairwise(self._chunks.edges)):
            if self._turned:
                found.append(self._chunks.part(index).side(True).rows(lo, hi))
            elif first < hi and lo < end:
                found.append(self._chunks.part(index).side(False).rows(max(lo, first) - first, min(hi, end) - first))
        return np.concatenate(found, axis=1 if self._turned else 0)
