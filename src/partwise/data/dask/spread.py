"""A factor that stays on the workers, with the recipe by which ``recovery`` makes it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from partwise.data.dask import on_worker
from partwise.data.dask.waiting import gathered
from partwise.types import Array, Spread

EVERY = 5
"""Iterations between two copies of a factor on other workers."""


@dataclass(frozen=True)
class Sent:
    """Rows that this process sent out, and can send again."""

    array: Array
    depth: int = 0


@dataclass(frozen=True)
class Made:
    """A pass that made the rows: its task, and the recipes of the factors that it read."""

    task: Any
    tall: tuple[Any, ...]
    shared: tuple[Array, ...]
    turned: bool
    shares: tuple[int, ...]
    place: int
    depth: int


@dataclass
class Copied:
    """Rows that have a copy on another worker; ``before`` is how to make them until the next copy exists."""

    futures: list[Any]
    before: Any
    depth: int = 0


@dataclass(frozen=True)
class Mapped:
    """A function on the rows of another factor."""

    function: Any
    source: Any
    depth: int


@dataclass(frozen=True)
class Same:
    """One small array for every part, such as a linear penalty; it needs nobody to hold it."""

    array: Array
    parts: int
    depth: int = 0

    @property
    def futures(self) -> list[Any]:
        """The array itself, for each part."""
        return [self.array] * self.parts

    @property
    def recipe(self) -> Same:
        """It is its own recipe."""
        return self


class Scattered(Spread):
    """Rows in parts on workers; ``recipe`` makes them again bit for bit."""

    def __init__(self, matrix: Any, futures: Sequence[Any], width: int, recipe: Any) -> None:
        self.matrix, self.futures, self.recipe = matrix, list(futures), recipe
        self.shape = (matrix.edges[-1], width)
        self.dtype = matrix.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        parts = self.matrix.safely(lambda: gathered(self.matrix.client, self.futures), [self])
        return np.concatenate(parts).astype(dtype or self.dtype, copy=False)

    def map(self, function: Callable[[Array], Array]) -> Scattered:
        futures = self.matrix.safely(lambda: self._map(function), [self])
        return Scattered(self.matrix, futures, self.shape[1], Mapped(function, self.recipe, self.recipe.depth + 1))

    def _map(self, function: Callable[[Array], Any]) -> list[Any]:
        client = self.matrix.client
        futures: list[Any] = client.map(on_worker.applied, self.futures, function=function, pure=False, retries=2)
        gathered(client, client.map(np.shape, futures, pure=False))
        return futures

    def sum(self, function: Callable[[Array], Any]) -> Any:
        def summed() -> Any:
            client = self.matrix.client
            values = client.map(on_worker.applied, self.futures, function=function, pure=False, retries=2)
            return on_worker.own(gathered(client, tree(client, values)))

        return self.matrix.safely(summed, [self])

    def slices(self) -> list[tuple[int, int]]:
        """The rows of each part."""
        return list(pairwise(self.matrix.edges))


def tree(client: Any, futures: Sequence[Any]) -> Any:
    """The sum of all, on the workers, neighbours first: the order depends on the number of parts alone."""
    level = list(futures)
    while len(level) > 1:
        pairs = len(level) // 2
        above = client.map(on_worker.added, level[: 2 * pairs : 2], level[1 : 2 * pairs : 2], pure=False, retries=2)
        level = above + level[2 * pairs :]
    return level[0]
