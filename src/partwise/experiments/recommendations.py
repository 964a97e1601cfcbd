"""MovieLens with unknown ratings as zero: recall and NDCG of held-out films among the first recommendations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.datasets import Ratings
from partwise.experiments.experiment import Context, Record
from partwise.experiments.numbers import rounded
from partwise.factorize import factorize
from partwise.linalg.svd import truncated_svd
from partwise.types import Array

LIKED = 4.0


def offers(context: Context, ratings: Ratings, ranks: Sequence[int], top: int, seeds: int, held: int) -> list[Record]:
    """Recall and NDCG at ``top`` of films with 4 stars or more among the held-out ones, mean over the splits."""
    results: dict[tuple[str, int | None], list[tuple[float, float]]] = {}
    for seed in context.track("films", range(seeds)):
        keep = split(ratings, held, seed)
        train = ratings.matrix(keep)
        liked = ratings.matrix(~keep & (ratings.stars >= LIKED)).toarray() > 0
        seen = train.toarray() > 0
        results.setdefault(("popularity", None), []).append(
            scored(np.repeat(seen.sum(1)[:, None], seen.shape[1], 1), seen, liked, top)
        )
        svd = truncated_svd(train, max(ranks))
        for rank in ranks:
            fit = factorize(train, rank, algorithm="als-hals", seed=seed)
            few = svd.truncate(rank)
            results.setdefault(("NMF", rank), []).append(scored(fit.w @ fit.h.T, seen, liked, top))
            results.setdefault(("SVD", rank), []).append(scored((few.u * few.s) @ few.v.T, seen, liked, top))
    return [
        {"method": method, "rank": rank, "recall": rounded(np.mean([r for r, _ in runs]), 4),
         "spread": rounded(np.std([r for r, _ in runs]), 3), "ndcg": rounded(np.mean([n for _, n in runs]), 4)}
        for (method, rank), runs in results.items()
    ]  # fmt: skip


def split(ratings: Ratings, held: int, seed: int) -> Array:
    """A mask of the ratings to train on; of each user ``held`` random ones, at most half, are held out."""
    rng = np.random.default_rng(seed)
    keep = np.ones(len(ratings.stars), bool)
    for user in range(ratings.shape[1]):
        own = np.flatnonzero(ratings.users == user)
        keep[rng.choice(own, min(held, len(own) // 2), replace=False)] = False
    return keep


def scored(scores: Array, seen: Array, liked: Array, top: int) -> tuple[float, float]:
    """(recall, NDCG), means over the users with a liked held-out film; films that a user has rated are not offered."""
    offered = np.argsort(np.where(seen, -np.inf, scores), axis=0, kind="stable")[::-1][:top]
    hits = np.take_along_axis(liked, offered, axis=0)
    wanted = liked.sum(axis=0)
    users = wanted > 0
    gains = 1 / np.log2(np.arange(2, top + 2))
    ideal = np.array([gains[: min(int(count), top)].sum() for count in wanted[users]])
    recall = hits[:, users].sum(axis=0) / np.minimum(wanted[users], top)
    return float(recall.mean()), float(((hits[:, users] * gains[:, None]).sum(axis=0) / ideal).mean())
