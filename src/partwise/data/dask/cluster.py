"""A matrix whose parts lie on the workers of a cluster: tasks go to the parts, only k-wide arrays travel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np

from partwise.data.base import LocalData
from partwise.data.dask import on_worker, waiting
from partwise.data.dask.dask_data import DaskData, WeightedDaskData
from partwise.data.dask.recovery import Recovery
from partwise.data.dask.spread import EVERY, Made, Same, Scattered, Sent, tree
from partwise.data.dask.waiting import RESTARTED, Lost, gathered, lasting_client, losses
from partwise.data.passes import Tall, Task, Walked
from partwise.threads.pool import Workers
from partwise.types import Array


class Cluster(Recovery):
    """The parts of one matrix on a cluster, rows along the long axis."""

    def __init__(self, client: Any, parts: Sequence[Any], edges: Sequence[int], short: int, dtype: Any) -> None:
        self._client, self.parts, self.edges = client, list(parts), list(edges)
        self.shape, self.dtype = (int(edges[-1]), short), np.dtype(dtype)
        try:
            self.facts: list[on_worker.Facts] = gathered(client, client.map(on_worker.facts, self.parts, pure=False))
        except losses():
            raise Lost(RESTARTED) from None
        self._threads = max(1, sum(client.nthreads().values()) // len(self.parts))
        self.disturbed = False
        self.homes = self.places()

    @property
    def client(self) -> Any:
        """The client that the parts lie with; one that was closed can do nothing any more."""
        if self._client.status in ("closing", "closed"):
            raise Lost(RESTARTED)
        return self._client

    def send(self, array: Array) -> list[Any]:
        """Rows of a factor from here to the workers."""
        pieces = [np.ascontiguousarray(array[lo:hi]) for lo, hi in pairwise(self.edges)]
        futures: list[Any] = self.client.scatter(pieces, hash=False, timeout=waiting.LOOK)
        return futures

    def walk(
        self, task: Task, tall: Sequence[Tall], shared: Sequence[Any], turned: bool, shares: Sequence[int], label: str
    ) -> Walked:
        """A task for each part, named by ``label``; its rows stay there, sums and shares come here through a tree."""
        held = [self._placed(array) for arrays in tall for array in arrays]
        shared = [np.asarray(array) for array in shared]

        def once() -> tuple[list[list[Any]], Any]:
            futures = [None if rows is None else rows.futures for rows in held]
            mains = self.mains(task, futures, shared, turned, shares, label)
            rows = [self.client.map(on_worker.rows_of, mains, place=p, pure=False) for p in range(len(task.widths))]
            root = tree(self.client, self.client.map(on_worker.sums_of, mains, pure=False))
            return rows, on_worker.own(gathered(self.client, root))

        rows, (sums, added) = self.safely(once, [factor for factor in held if isinstance(factor, Scattered)])
        recipes = tuple(None if factor is None else factor.recipe for factor in held)
        depth = 1 + max((recipe.depth for recipe in recipes if recipe is not None), default=0)
        factors = [
            Scattered(self, futures, width, Made(task, recipes, tuple(shared), turned, tuple(shares), place, depth))
            for place, (futures, width) in enumerate(zip(rows, task.widths, strict=True))
        ]
        if factors and (depth >= EVERY or (self.disturbed and depth > 1)):
            self.copy(factors)
        return Walked(factors, sums, added)

    def _placed(self, array: Any) -> Scattered | Same | None:
        """A tall array on the workers; one that is the same for every part as it is."""
        if not isinstance(array, np.ndarray):
            placed: Scattered | None = array
            return placed
        return Same(array, len(self.parts)) if array.ndim == 1 else self.hold(array)

    def mains(
        self, task: Any, tall: Sequence[Any], shared: Sequence[Array], turned: bool, shares: Sequence[int], label: str
    ) -> list[Any]:
        """The tasks that make the rows and the sums of each part."""
        # Sent as data and not as part of the tasks: once it is let go, the scheduler forgets how the rows were made.
        sent: Any = self.client.scatter([list(shared)], hash=False, timeout=waiting.LOOK)[0] if shared else []
        none = [None] * len(self.parts)
        rows = [none if futures is None else futures for futures in tall]
        options = {"task": task, "shared": sent, "turned": turned, "shares": list(shares), "threads": self._threads}
        options |= {"pure": False, "retries": 2, "allow_other_workers": True}
        name = f"{label}-{uuid4().hex}"  # the dashboard shows what is before the dash
        return [
            self.client.submit(on_worker.run, *arguments, workers=home, key=f"{name}-{part}", **options)
            for part, (home, *arguments) in enumerate(zip(self.homes, self.parts, *rows, strict=True))
        ]

    def hold(self, array: Array) -> Scattered:
        """A factor of the long axis, sent to the workers."""
        futures = self.safely(lambda: self.send(array), [])
        return Scattered(self, futures, array.shape[1], Sent(array))


class ClusterData(DaskData):
    """One side of a matrix on a cluster."""

    _source: Cluster

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """The parts one by one, brought here: for what is no task."""
        for future, (lo, hi) in zip(self._source.parts, pairwise(self._source.edges), strict=True):
            yield lo, hi, gathered(self._source.client, future).side(self._turned)

    def walk(
        self,
        task: Any,
        tall: Sequence[Any],
        shared: Sequence[Array],
        workers: Workers,
        shares: Sequence[int] = (),
        both: bool = False,
    ) -> Walked:
        """A task for each part, on the worker that has it."""
        return self._source.walk(task, tall, shared, self._turned, shares, workers.label)

    def hold(self, factor: Any) -> Any:
        """Sent to the workers, where these rows are the long axis."""
        return factor if self._turned else self._source.hold(factor)

    def hand_out(self, factor: Any) -> Any:
        """A dask array over the rows on the workers; a factor of the short axis as it is.

        Dask computes with the default client; where that is another one, the rows are brought here first.
        """
        if not isinstance(factor, Scattered):
            return factor
        import dask.array as da
        from dask.delayed import delayed

        if self._source.client is not lasting_client():
            return da.from_array(np.asarray(factor), chunks=(tuple(np.diff(self._source.edges)), factor.shape[1]))
        pieces = [
            da.from_delayed(delayed(future), (hi - lo, factor.shape[1]), factor.dtype)
            for future, (lo, hi) in zip(factor.futures, factor.slices(), strict=True)
        ]
        return da.concatenate(pieces)

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, from the parts that have them."""
        cluster, client = self._source, self._source.client
        if self._turned:
            asked = client.map(on_worker.some_rows, cluster.parts, turned=True, lo=lo, hi=hi, pure=False)
            return np.concatenate(gathered(client, asked), axis=1)
        asked = [
            client.submit(on_worker.some_rows, part, False, max(lo, first) - first, min(hi, end) - first, pure=False)
            for part, (first, end) in zip(cluster.parts, pairwise(cluster.edges), strict=True)
            if first < hi and lo < end
        ]
        return np.concatenate(gathered(client, asked))

    def derived(self, change: Any) -> Any:
        """The matrix of changed parts, made once where the parts lie."""
        cluster = self._source
        parts = [
            cluster.client.submit(on_worker.changed, part, change, first, workers=home, pure=False, retries=2)
            for part, first, home in zip(cluster.parts, cluster.edges, cluster.homes, strict=False)
        ]
        other = Cluster(cluster.client, parts, cluster.edges, cluster.shape[1], cluster.dtype)
        weighted = other.facts[0].outside is not None
        return (WeightedClusterData if weighted else ClusterData)(other, turned=self._turned)


class WeightedClusterData(WeightedDaskData, ClusterData):
    """The same with weights or unknown entries."""
