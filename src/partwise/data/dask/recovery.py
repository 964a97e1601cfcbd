"""What a cluster does when workers are lost: factors that they held are made again, or taken from copies."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from partwise.data.dask import on_worker
from partwise.data.dask.spread import Copied, Made, Mapped, Same, Scattered, Sent
from partwise.data.dask.waiting import AGAIN, RESTARTED, Lost, losses, wait_for_a_worker
from partwise.types import Array

T = TypeVar("T")
TRIES = 8
UNSTEADY = f"The Dask cluster lost workers in each of {TRIES} tries of one pass{AGAIN}"


class Recovery(ABC):
    """The parts of a matrix on a cluster whose workers may be lost."""

    client: Any
    parts: list[Any]
    homes: list[list[str]]
    disturbed = False
    """Whether workers have been lost since the last copies."""

    @abstractmethod
    def send(self, array: Array) -> list[Any]:
        """Rows of a factor from here to the workers."""

    @abstractmethod
    def mains(
        self, task: Any, tall: Sequence[Any], shared: Sequence[Array], turned: bool, shares: Sequence[int], label: str
    ) -> list[Any]:
        """The tasks that make the rows and the sums of each part."""

    def places(self) -> list[list[str]]:
        """Where each part lies, so that its tasks go there and it is not carried about; anywhere, where it is lost."""
        anywhere = sorted(self.client.nthreads())
        return [list(holders)[:1] or anywhere for holders in self._holders(self.parts)]

    def safely(self, action: Callable[[], T], factors: Sequence[Scattered]) -> T:
        """The action, repeated where workers were lost in the middle, after the factors it reads are made again."""
        for left in reversed(range(TRIES)):
            try:
                if left < TRIES - 1:
                    self._mend(factors)
                return action()
            except losses():
                if not left:
                    raise Lost(UNSTEADY) from None
                time.sleep(0.1)
        raise AssertionError

    def _mend(self, factors: Sequence[Scattered]) -> None:
        """Make factors again after a loss."""
        wait_for_a_worker(self.client)
        if any(part.cancelled() for part in self.parts):
            raise Lost(RESTARTED)
        self.disturbed = True
        self.homes = self.places()
        memo: dict[int, list[Any]] = {}
        for factor in factors:
            factor.futures = self._again(factor.recipe, memo)

    def _holders(self, futures: Sequence[Any]) -> list[Any]:
        """The workers that have each of these; none where it is lost."""
        try:
            holders = self.client.who_has(futures)
        except losses():
            return [()] * len(futures)
        return [holders.get(future.key, ()) for future in futures]

    def _again(self, recipe: Any, memo: dict[int, list[Any]]) -> list[Any]:
        """Futures for a factor from the nearest copy that is left."""
        if id(recipe) not in memo:
            memo[id(recipe)] = self._remade(recipe, memo)
        return memo[id(recipe)]

    def _remade(self, recipe: Any, memo: dict[int, list[Any]]) -> list[Any]:
        if isinstance(recipe, Sent):
            return self.send(recipe.array)
        if isinstance(recipe, Same):
            return recipe.futures
        if isinstance(recipe, Mapped):
            source = self._again(recipe.source, memo)
            return list(self.client.map(on_worker.applied, source, function=recipe.function, pure=False, retries=2))
        if isinstance(recipe, Copied):
            if all(self._holders(recipe.futures)):
                return recipe.futures
            if recipe.before is None:
                raise Lost(f"Workers that held a part of a factor and its copy were lost at about the same time{AGAIN}")
            return self._again(recipe.before, memo)
        tall = [None if source is None else self._again(source, memo) for source in recipe.tall]
        mains = self.mains(recipe.task, tall, recipe.shared, recipe.turned, recipe.shares, "made again")
        return list(self.client.map(on_worker.rows_of, mains, place=recipe.place, pure=False))

    def copy(self, factors: Sequence[Scattered]) -> None:
        """Every part of these factors on a second worker; a single worker has nowhere to copy to."""
        addresses = sorted(self.client.nthreads())
        if len(addresses) < 2:
            return
        for factor in factors:
            copies = []
            for future, holders in zip(factor.futures, self._holders(factor.futures), strict=True):
                there = next(iter(holders), addresses[0])
                after = addresses[(addresses.index(there) + 1) % len(addresses)] if there in addresses else addresses[0]
                copies.append(
                    self.client.submit(on_worker.copied, future, workers=[after], allow_other_workers=True, pure=False)
                )
            factor.recipe = Copied(copies, factor.recipe)
        self._forget(factors)
        self.disturbed = False

    def _forget(self, factors: Sequence[Scattered]) -> None:
        """What was needed until these copies exist is needed no longer once there are newer ones."""
        for factor in factors:
            for older in _copies(factor.recipe.before):
                older.before = None


def _copies(recipe: Any) -> Iterator[Copied]:
    """The copies on which a recipe stands."""
    if isinstance(recipe, Copied):
        yield recipe
    elif isinstance(recipe, Mapped):
        yield from _copies(recipe.source)
    elif isinstance(recipe, Made):
        for source in recipe.tall:
            yield from _copies(source)
