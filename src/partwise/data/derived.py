"""A matrix in parts whose parts are made from those of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from partwise.data.base import LocalData
from partwise.data.dask import on_worker
from partwise.data.dask.dask_data import DaskData, WeightedDaskData


class Derivation:
    """A matrix, rows along its long axis, and what becomes of each part; their facts take one pass."""

    def __init__(self, data: Any, change: Callable[[Any, int], Any]) -> None:
        self.data, self.change = data, change
        self.shape, self.dtype = data.shape, data.dtype
        self.facts = [on_worker.facts(on_worker.Part(part)) for _, _, part in self.parts()]

    def parts(self) -> Iterator[tuple[int, int, Any]]:
        """The new parts, each valid until the next is asked for."""
        for lo, hi, part in self.data.parts(True):
            yield lo, hi, self.change(part, lo)


class DerivedData(DaskData):
    """One side of it."""

    _source: Derivation

    @classmethod
    def of(cls, data: Any, change: Callable[[Any, int], Any]) -> DerivedData:
        """Data of which every part is changed when its turn comes."""
        source = Derivation(data.T if data.split == 1 else data, change)
        kind = DerivedData if source.facts[0].outside is None else WeightedDerivedData
        return kind(source, turned=data.split == 1)

    @property
    def resident(self) -> int:
        """Twice that of the matrix it comes from."""
        return 2 * int(self._source.data.resident)

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """The parts in order, each changed when its turn comes."""
        for lo, hi, part in self._source.parts():
            yield lo, hi, part.T if self._turned else part


class WeightedDerivedData(WeightedDaskData, DerivedData):
    """The same with weights or unknown entries."""
