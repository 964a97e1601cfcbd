"""k-means, small and seeded, for the starts."""

import numpy as np

from partwise.types import Array


def k_means(points: Array, count: int, rng: np.random.Generator, rounds: int = 100) -> Array:
    """The cluster of each row, by Lloyd's rounds from k-means++ seeds; no cluster is left empty.

    An empty cluster takes the point that is farthest from its centre. Of fewer points than clusters each is one.
    """
    count = min(count, len(points))
    centres = points[_seeds(points, count, rng)]
    sizes2 = np.einsum("ij,ij->i", points, points)
    labels = np.full(len(points), -1)
    for _ in range(rounds):
        distance = sizes2[:, None] - 2 * points @ centres.T + np.einsum("ij,ij->i", centres, centres)
        nearest = distance.argmin(axis=1)
        fill_empty(nearest, distance.min(axis=1), count)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        members = np.zeros((count, len(points)))
        members[labels, np.arange(len(points))] = 1
        centres = members @ points / members.sum(axis=1, keepdims=True)
    return labels


def _seeds(points: Array, count: int, rng: np.random.Generator) -> Array:
    """k-means++: each seed drawn with probability proportional to its squared distance from those before."""
    chosen = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < count:
        gap = points - points[chosen[-1]]
        nearest = np.minimum(nearest, np.einsum("ij,ij->i", gap, gap))
        chosen.append(next_seed(nearest, chosen, rng))
    return np.array(chosen)


def next_seed(nearest: Array, chosen: list[int], rng: np.random.Generator) -> int:
    """A point drawn by its squared distance from the seeds so far; where all coincide, any that is not a seed."""
    weights = np.maximum(nearest, 0)
    weights[chosen] = 0
    if not weights.sum() > 0:
        weights = np.isin(np.arange(len(weights)), chosen, invert=True) * 1.0
    weights = weights / weights.sum()
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def fill_empty(labels: Array, distance: Array, count: int) -> None:
    """Give every empty cluster the farthest point of a cluster that has more than one, while there is such a one."""
    sizes = np.bincount(labels, minlength=count)
    for empty in np.flatnonzero(sizes == 0):
        spare = sizes[labels] > 1
        if not spare.any():
            return
        taken = int(np.where(spare, distance, -np.inf).argmax())
        sizes[labels[taken]] -= 1
        labels[taken], sizes[empty] = empty, 1
        distance[taken] = -np.inf
