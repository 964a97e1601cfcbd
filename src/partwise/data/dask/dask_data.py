"""What the two kinds of dask data share: one side of a matrix whose parts lie elsewhere."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from partwise.data.base import PartedData
from partwise.data.observed import WeightedParts
from partwise.types import Array


class DaskData(PartedData):
    """Shape, norms and transpose from the facts of the parts; ``turned`` is the side whose rows are the short axis."""

    def __init__(self, source: Any, turned: bool, transpose: Self | None = None) -> None:
        self._source, self._turned, self._transpose = source, turned, transpose
        self.shape: tuple[int, int] = source.shape[::-1] if turned else source.shape
        self.dtype: np.dtype[Any] = source.dtype
        self.split: int | None = 1 if turned else 0
        self.nnz = sum(facts.nnz for facts in source.facts)
        self.widens = all(facts.sparse for facts in source.facts)
        index = 4 if self.widens else 0
        self.nbytes = self.nnz * (self.dtype.itemsize + index) + (self.shape[0] + 1) * index

    @property
    def T(self) -> Self:
        """The other side of the same parts."""
        if self._transpose is None:
            self._transpose = type(self)(self._source, not self._turned, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths."""
        return self._fact("row_norms2")

    @cached_property
    def row_sums(self) -> Array:
        """Row sums."""
        return self._fact("row_sums")

    def _fact(self, name: str) -> Array:
        """Sums over rows, from those of the parts."""
        sums = [facts.sums[name] for facts in self._source.facts]
        if not self._turned:
            return np.concatenate([own for own, _ in sums])
        shares: list[Array] = [other for _, other in sums]
        return sum(shares[1:], shares[0])


class WeightedDaskData(WeightedParts, DaskData):
    """Data with weights or unknown entries."""

    def __init__(self, source: Any, turned: bool, transpose: Self | None = None) -> None:
        super().__init__(source, turned, transpose)
        self.outside, self.dense = source.facts[0].outside, source.facts[0].dense
        self._scale = None if transpose is None else transpose._scale
