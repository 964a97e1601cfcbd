"""Parts of dask arrays: on a cluster where there is a client, else computed one by one in this process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from partwise.data.dask import on_worker
from partwise.data.dask.chunked import ChunkedData, Chunks, WeightedChunkedData
from partwise.data.dask.cluster import Cluster, ClusterData, WeightedClusterData
from partwise.data.dask.spread import tree
from partwise.data.dask.waiting import current_client, gathered
from partwise.data.entry_checks import check_shape, float_type
from partwise.data.manifest import Stored
from partwise.data.unknown import Knowledge

LARGEST_BLOCK = 2**32
FEW, SMALL = 32, 2**20


def from_dask(array: Any, known: Knowledge = on_worker.COMPLETE, weights: Any = None) -> ChunkedData | ClusterData:
    """A dask array of dense or scipy sparse blocks, on the current Client's workers where there is one.

    ``weights`` is a dask array too, cut into the same blocks here.
    """
    if not hasattr(array, "chunks"):
        raise TypeError(
            "A dask data frame must be made an array first: frame.to_dask_array(lengths=True), with numeric columns."
        )
    check_shape(array.shape)
    dtype = float_type(array.dtype)
    long = _long_axis(array)
    sizes = array.chunks[long]
    largest = max(sizes) * array.shape[1 - long] * dtype.itemsize
    if largest > LARGEST_BLOCK and isinstance(array._meta, np.ndarray):
        raise ValueError(
            f"A block that spans axis {1 - long} would take {largest / 2**30:.1f} GB; "
            f"rechunk the dask array into smaller blocks along axis {long}, or, where its blocks are sparse, say so "
            "when it is made: meta=scipy.sparse.csr_matrix((0, 0))."
        )
    client = current_client()
    _refuse_elsewhere(array, client)
    groups = _groups(sizes, SMALL / (array.shape[1 - long] * dtype.itemsize), 1 if client is None else FEW)
    edges = [0, *np.cumsum([sum(sizes[line] for line in group) for group in groups]).tolist()]
    blocks, others = _lines(array, long, groups), None
    if weights is not None:
        if not hasattr(weights, "chunks"):
            raise ValueError("The weights of a dask array must be a dask array too: dask.array.from_array(weights).")
        others = _lines(weights.rechunk(array.chunks), long, groups)
    if client is None:
        chunks = Chunks(blocks, edges, array.shape[1 - long], dtype, long, known, others)
        return (WeightedChunkedData if known else ChunkedData)(chunks, turned=long == 1)
    from dask.delayed import delayed

    make = delayed(on_worker.make_part, pure=False)
    parts = client.compute(
        [
            make(line, long, edges[b], b, dtype.str, known, None if others is None else others[b])
            for b, line in enumerate(blocks)
        ]
    )
    cluster = Cluster(client, parts, edges, array.shape[1 - long], dtype)
    return (WeightedClusterData if known else ClusterData)(cluster, turned=long == 1)


def _refuse_elsewhere(array: Any, client: Any) -> None:
    """Refuse an array that lies on the workers of another client than the current one: Dask cannot compute it here."""
    owners = (getattr(task, "client", client) for task in dict(array.dask).values())  # a Future has one
    if any(owner is not client for owner in owners):
        raise ValueError(
            "The dask array lies on the workers of a client that is not the current one; make the call within "
            "`with client.as_current():`, where client is its own one."
        )


def _groups(sizes: Sequence[int], enough: float, least: int) -> list[range]:
    """Which lines of blocks make a part: many small ones are joined, as a task costs more than the work in them.

    A part has ``enough`` rows, or so many that there are ``least`` parts. Up to ``FEW`` lines are a part each.
    """
    enough = min(enough, sum(sizes) / least) if len(sizes) > FEW else 0
    groups, first, rows = [], 0, 0
    for line, size in enumerate(sizes):
        rows += size
        if rows >= enough or line == len(sizes) - 1:
            groups.append(range(first, line + 1))
            first, rows = line + 1, 0
    return groups


def _lines(array: Any, long: int, groups: Sequence[range]) -> list[list[list[Any]]]:
    """For each part, its lines of blocks along the short axis."""
    grid = array.to_delayed()
    lines = [list(line) for line in (grid if long == 0 else grid.T)]
    return [[lines[line] for line in group] for group in groups]


def from_stored(stored: Stored, client: Any) -> ClusterData:
    """A matrix on storage that every worker can read: each reads its own parts."""
    parts = placed(client, partial(on_worker.load_part, str(stored.folder.absolute())), range(stored.parts), retries=2)
    cluster = Cluster(client, parts, stored.edges, stored.sides[1], stored.dtype)
    return (ClusterData if stored.known is None else WeightedClusterData)(cluster, turned=stored.long == 1)


def from_blocks(
    client: Any, blocks: Sequence[Any], edges: Sequence[int], short: int, dtype: np.dtype[Any]
) -> ClusterData:
    """Futures of blocks of consecutive columns, which become parts of a type of numbers where they are."""
    parts = [
        client.submit(on_worker.make_part, [[block]], 1, edges[number], number, dtype.str, pure=False)
        for number, block in enumerate(blocks)
    ]
    return ClusterData(Cluster(client, parts, edges, short, dtype), turned=True)


def placed(client: Any, function: Any, items: Sequence[Any], *shared: Any, retries: int = 0) -> list[Any]:
    """Futures of the function on each item, neighbours on one worker as far as they go, and made again elsewhere."""
    addresses, options = sorted(client.nthreads()), {"allow_other_workers": True, "pure": False, "retries": retries}
    return [
        client.submit(function, item, *shared, workers=[addresses[place * len(addresses) // len(items)]], **options)
        for place, item in enumerate(items)
    ]


def summed(client: Any, futures: Sequence[Any]) -> Any:
    """The sum of what the futures hold, added on the workers in pairs of neighbours."""
    return on_worker.own(gathered(client, tree(client, futures)))


def dask_outline(array: Any) -> tuple[tuple[int, int], np.dtype[Any], int, int, int, int]:
    """(shape, precision, entries, bytes in this process, copies, rows that lie scattered over the blocks).

    On a cluster no bytes are here, else one part in both orders.
    """
    dtype, long = float_type(array.dtype), _long_axis(array)
    m, n = (int(side) for side in array.shape)
    part = int(max(array.chunks[long])) * int(array.shape[1 - long]) * dtype.itemsize
    return (m, n), dtype, m * n, 0 if current_client() is not None else 2 * part, 0, int(array.shape[1 - long])


def _long_axis(array: Any) -> int:
    """The axis that is cut; where both or none are, the longer one."""
    cut = [len(sizes) > 1 for sizes in array.chunks]
    if cut[0] != cut[1]:
        return int(cut[1])
    return int(array.shape[1] >= array.shape[0])
