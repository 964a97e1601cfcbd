"""A dask array without a cluster: one part at a time is computed in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.data.base import LocalData
from partwise.data.dask import on_worker
from partwise.data.dask.dask_data import DaskData, WeightedDaskData
from partwise.data.unknown import Knowledge
from partwise.types import Array


class Chunks:
    """The blocks of an array in lines along the short axis; every pass computes them again, one line at a time."""

    def __init__(
        self,
        blocks: Sequence[Any],
        edges: Sequence[int],
        short: int,
        dtype: Any,
        long: int,
        known: Knowledge,
        weights: Sequence[Any] | None,
    ) -> None:
        self.blocks, self.edges, self.long = list(blocks), list(edges), long
        self.known, self.weights = known, weights
        self.shape, self.dtype = (int(edges[-1]), short), np.dtype(dtype)
        self.facts = [on_worker.facts(self.part(index)) for index in range(len(self.blocks))]

    def part(self, index: int) -> on_worker.Part:
        """One part, computed now."""
        from dask.base import compute

        weights = None if self.weights is None else compute(*self.weights[index])
        place = (self.long, self.edges[index], index, self.dtype.str)
        return on_worker.make_part(compute(*self.blocks[index]), *place, self.known, weights)


class ChunkedData(DaskData):
    """One side of a dask array."""

    _source: Chunks

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """The parts in order, each computed when its turn comes."""
        for index, (lo, hi) in enumerate(pairwise(self._source.edges)):
            yield lo, hi, self._source.part(index).side(self._turned)

    def hand_out(self, factor: Any) -> Any:
        """A dask array in the blocks of the input; a factor of the short axis as it is."""
        if self._turned:
            return factor
        import dask.array as da

        return da.from_array(factor, chunks=(tuple(np.diff(self._source.edges).tolist()), factor.shape[1]))

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, from the parts that have them."""
        pieces = []
        for index, (first, end) in enumerate(pairwise(self._source.edges)):
            if self._turned:
                pieces.append(self._source.part(index).side(True).rows(lo, hi))
            elif first < hi and lo < end:
                pieces.append(self._source.part(index).side(False).rows(max(lo, first) - first, min(hi, end) - first))
        return np.concatenate(pieces, axis=1 if self._turned else 0)


class WeightedChunkedData(WeightedDaskData, ChunkedData):
    """The same with weights or unknown entries."""
