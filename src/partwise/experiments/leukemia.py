"""Golub's leukaemia samples in clusters, by the consensus of many runs as Brunet et al. 2004 do it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.datasets import Expression
from partwise.experiments.experiment import Cell, Context, Record
from partwise.experiments.numbers import rounded
from partwise.study.stability import stability, tree_order
from partwise.types import Array

COLUMNS = (
    "k",
    "cophenetic correlation",
    "dispersion",
    "clusters",
    "samples astray, ALL/AML",
    "astray, ALL-B/ALL-T/AML",
)


def cluster_rows(
    context: Context, samples: Expression, ranks: Sequence[int], runs: int, algorithm: str
) -> list[Record]:
    """For each rank the stability, the clusters of the consensus, and the number of misplaced samples."""
    rows = []
    for rank in context.track("leukaemia", list(ranks)):
        agreement = stability(samples.values, rank, runs=runs, algorithm=algorithm, init="random")
        labels = consensus_clusters(agreement.consensus, rank)
        chosen = [int(i) for i in agreement.documents]
        classes, subtypes = ([names[i] for i in chosen] for names in (samples.classes, samples.subtypes))
        rows.append(
            {
                "rank": rank,
                "cophenetic": rounded(agreement.cophenetic, 5),
                "dispersion": rounded(agreement.dispersion, 4),
                "clusters": [_composition(labels == c, subtypes) for c in sorted(set(labels))],
                "wrong": misplaced(labels, classes),
                "wrong_subtypes": misplaced(labels, subtypes) if rank > 2 else None,
                "consensus": rounded(_ordered(agreement.consensus), 2),
            }
        )
    return rows


def table_row(group: Record) -> tuple[Cell, ...]:
    """A line under ``COLUMNS``."""
    held = "; ".join(group["clusters"])
    return group["rank"], group["cophenetic"], group["dispersion"], held, group["wrong"], group["wrong_subtypes"]


def consensus_clusters(consensus: Array, rank: int) -> Array:
    """The tree of the consensus by average linkage, cut into so many clusters."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    tree = linkage(squareform(1 - consensus, checks=False), "average")
    labels: Array = fcluster(tree, rank, "maxclust")
    return labels


def misplaced(labels: Array, classes: Sequence[str]) -> int:
    """The number of samples in a cluster whose most frequent class is another."""
    kept = 0
    for cluster in set(labels):
        own = [name for name, label in zip(classes, labels, strict=True) if label == cluster]
        kept += max(own.count(name) for name in set(own))
    return len(labels) - kept


def _composition(chosen: Array, classes: Sequence[str]) -> str:
    own = [name for name, yes in zip(classes, chosen, strict=True) if yes]
    return " + ".join(f"{own.count(name)} {name}" for name in sorted(set(own)))


def _ordered(consensus: Array) -> Array:
    """The consensus with its samples in the order of the tree."""
    order = tree_order(consensus)
    ordered: Array = consensus[np.ix_(order, order)]
    return ordered
