"""What the two kinds of dask data share: one side of a matrix whose parts lie elsewhere."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from partwise.blocks import Block, borders
from partwise.data.checks import digest_of
from partwise.types import Array
from partwise.walks import Walks


class Side(Walks):
    """Shape, norms and transpose from the facts of the parts; ``turned`` is the side whose rows are the short axis."""

    def __init__(self, source: Any, turned: bool, transpose: Self | None = None) -> None:
        self._source, self._turned, self._transpose = source, turned, transpose
        self.shape: tuple[int, int] = source.shape[::-1] if turned else source.shape
        self.dtype: np.dtype[Any] = source.dtype
        self.split: int | None = 1 if turned else 0
        self.nnz: int = sum(found.nnz for found in source.found)
        self.widens = all(found.sparse for found in source.found)
        index = 4 if self.widens else 0
        self.nbytes: int = self.nnz * (self.dtype.itemsize + index) + (self.shape[0] + 1) * index

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal size, for what is done to a factor alone."""
        return borders(np.arange(self.shape[0] + 1) * (self.nnz / self.shape[0] + 8))

    @property
    def T(self) -> Self:
        """The other side of the same parts."""
        if self._transpose is None:
            self._transpose = type(self)(self._source, not self._turned, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths."""
        if not self._turned:
            return np.concatenate([found.norms2 for found in self._source.found])
        shares: list[Array] = [found.others2 for found in self._source.found]
        return sum(shares[1:], shares[0])

    @property
    def digest(self) -> str:
        """A hash of the lengths of all rows and columns, which are at hand; the numbers are elsewhere."""
        return digest_of([self.row_norms2, self.T.row_norms2])

    @cached_property
    def norm2(self) -> float:
        """‖A‖_F²."""
        return float(self.row_norms2.sum())
