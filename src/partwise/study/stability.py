"""Stability: topics matched across runs from different starts, and the consensus clustering of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.arguments import MOST_RUNS, whole_number
from partwise.data.unknown import observed
from partwise.engine.call import as_problem
from partwise.engine.default_stop import default_stop
from partwise.engine.restarts import race
from partwise.engine.run import Run
from partwise.engine.stopping import Reason, Rule, rule_list
from partwise.factorize import certified
from partwise.inits.base import Init, declared
from partwise.inits.table import name_of
from partwise.linalg.matching import matched_cosines, unit_columns
from partwise.losses.table import algorithm_for
from partwise.result.factorization import Factorization
from partwise.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DOCUMENTS = 1000


@dataclass(frozen=True, eq=False)
class Stability:
    """The agreement of several runs. Topics are columns of W of unit length, so rescaling W and H changes nothing."""

    best: Factorization = field(repr=False)
    """The best of the runs."""
    reliability: Array
    """For each topic of the best run, the mean cosine with the topic it is matched to in every other run."""
    documents: Array = field(repr=False)
    """The documents in the consensus: all that are not zero, or a seeded sample of them."""
    consensus: Array = field(repr=False)
    """The share of the runs in which two documents have the same strongest topic."""
    cophenetic: float
    """The cophenetic correlation of the consensus (Brunet et al. 2004); 1 is a clean clustering."""
    dispersion: float
    """The mean of 4 (c − ½)² over the consensus (Kim and Park 2007); 1 is full agreement."""
    runs: int

    def plot(self) -> Figure:
        """The consensus, documents in the order of their clustering, beside the reliability of each topic."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
        order = tree_order(self.consensus)
        left.imshow(self.consensus[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
        left.set(title=f"consensus of {self.runs} runs", xticks=[], yticks=[], xlabel=f"{len(order)} columns of A")
        right.barh(np.arange(len(self.reliability)), self.reliability, color="tab:blue")
        right.invert_yaxis()
        right.yaxis.get_major_locator().set_params(integer=True)
        right.set(title="reliability", ylabel="component", xlabel="mean cosine with the matched component", xlim=(0, 1))
        return figure


def stability(
    matrix: Any,
    rank: int,
    *,
    runs: int = 10,
    algorithm: str | Algorithm | None = None,
    loss: str | None = None,
    missing: str | None = None,
    weights: Any = None,
    unstored: float | None = None,
    init: Any = None,
    stop: Rule | Sequence[Rule] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Stability:
    """Factor a matrix from ``runs`` seeds, each until it converges, and measure the agreement of the runs.

    ``missing``, ``weights`` and ``unstored`` are those of :func:`factorize`.
    """
    check_runs(runs)
    whole_number("seed", seed, 0)
    chosen = algorithm_for(algorithm, loss)
    matrix = observed(matrix, missing=missing, weights=weights, unstored=unstored)
    problem = as_problem(matrix, rank, chosen, init, threads, restarts=runs)
    check_seeded(problem.init)
    rules: tuple[Rule, ...] = rule_list(stop) if stop is not None else (default_stop(problem.algorithm),)
    results: dict[int, tuple[Array, Array]] = {}

    def keep_topics(run: Run) -> None:
        w, h = np.asarray(run.iterate.w), np.asarray(run.iterate.h)
        results[run.seed] = unit_columns(w), strongest_topics(w, h)

    with problem.workers:
        winner, table = race(problem, range(seed, seed + int(runs)), rules, "best", None, finished=keep_topics)
        if winner.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt
        best = certified(winner, table)
    others = [w for number, (w, _) in results.items() if number != winner.seed]
    labels = np.array([strongest for _, strongest in results.values()])
    documents = _sample(labels, seed)
    consensus = np.mean([strongest[:, None] == strongest for strongest in labels[:, documents]], axis=0)
    return Stability(
        best=best,
        reliability=np.mean([matched_cosines(results[winner.seed][0], w) for w in others], axis=0),
        documents=documents,
        consensus=consensus,
        cophenetic=cophenetic_correlation(consensus),
        dispersion=float(np.mean(4 * (consensus - 0.5) ** 2)),
        runs=int(runs),
    )


def check_seeded(init: Init) -> None:
    """Refuse a start that is the same for every seed: its runs agree by construction."""
    if not declared(init).seeded:
        raise ValueError(
            f"The start {name_of(init)!r} is the same for every seed, so its runs say nothing about stability; "
            "use random-acol, random or svd-centroid."
        )


def check_runs(runs: object) -> None:
    """Refuse fewer than two runs, and more than will ever end."""
    whole_number("runs", runs, 2, most=MOST_RUNS)


def strongest_topics(w: Array, h: Array) -> Array:
    """The topic with the most weight in each document, in the unit-length scale of W; −1 for a document with none."""
    weights = h * np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    labels: Array = np.where(weights.any(axis=1), weights.argmax(axis=1), -1)
    return labels


def cophenetic_correlation(consensus: Array) -> float:
    """The correlation of 1 − consensus with the distances in its average-linkage tree; 1 where nothing differs."""
    from scipy.cluster.hierarchy import cophenet, linkage
    from scipy.spatial.distance import squareform

    distance = squareform(1 - consensus, checks=False)
    if len(distance) == 0 or np.ptp(distance) == 0:
        return 1.0
    return float(cophenet(linkage(distance, "average"), distance)[0])


def tree_order(consensus: Array) -> Array:
    """The order of the documents in the average-linkage tree of the consensus."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(consensus) < 2:
        return np.arange(len(consensus))
    order: Array = leaves_list(linkage(squareform(1 - consensus, checks=False), "average"))
    return order


def _sample(labels: Array, seed: int) -> Array:
    """The documents that have a topic in every run, at most 1,000 of them."""
    known = np.flatnonzero((labels >= 0).all(axis=0))
    if len(known) <= MOST_DOCUMENTS:
        return known
    return np.sort(np.random.default_rng(seed).choice(known, MOST_DOCUMENTS, replace=False))
