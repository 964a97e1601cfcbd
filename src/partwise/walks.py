"""A pass over data wherever they are: the same task for each part, its rows kept, its sums added in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.sparse import csr_array, hstack, issparse, vstack

from partwise.blocks import Workers
from partwise.types import Array, Data, Spread

T = TypeVar("T")
Rows = Sequence[Array | None]


class Task(Protocol):
    """What is done to one part. Law: it depends on the part, the rows that belong to it and ``shared`` alone.

    It gives new rows for the part, one array for each entry of ``widths``, and a list of what is summed over all
    parts (nested tuples of arrays and numbers, in the order of the blocks), and adds to ``shares``, which are as long
    as the other axis.
    """

    @property
    def widths(self) -> Sequence[int]: ...
    def __call__(
        self, part: Data, rows: Rows, shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]: ...


@dataclass(frozen=True)
class Walked:
    """What a pass gave: new factors as long as the parts' axis, the sums, and the shares added up."""

    rows: list[Any]
    sums: Any
    shares: list[Array]


class Walks:
    """Data whose parts come one after the other in this process; factors are plain arrays here."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    split: int | None

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Data]]:
        """(lo, hi, part) in order."""
        raise NotImplementedError

    def walk(
        self,
        task: Task,
        tall: Rows,
        shared: Sequence[Array],
        workers: Workers,
        shares: Sequence[int] = (),
        both: bool = False,
    ) -> Walked:
        """One pass: ``tall`` go by rows to their parts, ``shared`` go to every part, ``shares`` are widths of sums."""
        long, short = self.shape[:: -1 if self.split == 1 else 1]
        kept = [np.zeros((short, width), self.dtype) for width in shares]
        rows: list[Array] = []
        sums: list[Any] = []
        for lo, hi, part in self.parts(both):
            made, found = task(part, [None if a is None else a[lo:hi] for a in tall], shared, kept, workers)
            sums += found
            if hi - lo == long:
                rows = made
                break
            rows = rows or [np.empty((long, width), self.dtype) for width in task.widths]
            for whole, some in zip(rows, made, strict=True):
                whole[lo:hi] = some
        return Walked(rows, total(sums), kept)

    def some(self, rows: Array, workers: Workers) -> Any:
        """The rows of these numbers, in this order of theirs: a CSR array where A is sparse, else an array."""
        chosen = np.zeros((self.shape[0], 1), bool)
        chosen[rows] = True
        if self.split == 1:
            return self.walk(_Some(axis=1), [], [chosen], workers).sums[0].whole
        return self.walk(_Some(axis=0), [chosen], [], workers).sums[0].whole

    def compressed(self, factor: Array) -> tuple[Array, Array, Array] | None:
        """The arrays of compressed rows, where there are such."""
        return None

    def hold(self, factor: Array) -> Array:
        """A factor of these rows, kept where the rows are."""
        return factor

    def hand_out(self, factor: Any) -> Any:
        """A factor of these rows as the user gets it."""
        return factor


@dataclass(frozen=True)
class _Some:
    """The chosen rows of a part."""

    axis: int
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Data, rows: Rows, shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        chosen: Any = shared[0] if self.axis else rows[0]
        return [], [[Pile((part.some(np.flatnonzero(chosen), workers),), self.axis)]]


@dataclass(frozen=True)
class Pile:
    """Pieces of a matrix; their sum is one behind the other along the axis."""

    pieces: tuple[Any, ...]
    axis: int

    def __add__(self, other: Pile) -> Pile:
        return Pile(self.pieces + other.pieces, self.axis)

    @property
    def whole(self) -> Any:
        """All of it."""
        if not issparse(self.pieces[0]):
            return np.concatenate(self.pieces, self.axis)
        return csr_array((vstack, hstack)[self.axis](self.pieces))


def add(one: Any, other: Any) -> Any:
    """Nested sums, place by place; nothing and nothing is nothing."""
    if one is None:
        return None
    if isinstance(one, (tuple, list)):
        return [add(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


def total(found: Sequence[Any]) -> Any:
    """All of them added, in their order."""
    if not found:
        return None
    whole = found[0]
    for some in found[1:]:
        whole = add(whole, some)
    return whole


def each(function: Callable[[Array], Array], factor: Any) -> Any:
    """A factor with the function applied to its rows, a part at a time where it is spread."""
    return factor.map(function) if isinstance(factor, Spread) else function(factor)


def over(function: Callable[[Array], T], factor: Any) -> T:
    """What the function finds on rows, added up over the parts where the factor is spread."""
    return factor.sum(function) if isinstance(factor, Spread) else function(factor)
