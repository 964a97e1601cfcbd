"""Clustering against labels: the strongest topic of NMF, and k-means on the SVD's coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from partwise.datasets import TOP_TEN, Article
from partwise.experiments.experiment import Context, Record
from partwise.experiments.numbers import rounded
from partwise.factorize import factorize
from partwise.inits.clustering import k_means
from partwise.linalg.svd import SVD, truncated_svd
from partwise.result.factorization import Factorization
from partwise.study.stability import strongest_topics
from partwise.text.clusters import label_scores
from partwise.text.weighting import Weighting
from partwise.types import Array


def single_label(articles: Iterable[Article], least: int = 20) -> tuple[list[str], list[str]]:
    """(texts, labels) of the articles that have one topic, of the ten, with at least ``least`` such articles."""
    alone = [article for article in articles if len(article.topics) == 1 and article.topics[0] in TOP_TEN]
    many = Counter(article.topics[0] for article in alone)
    kept = [article for article in alone if many[article.topics[0]] >= least]
    return [article.text for article in kept], [article.topics[0] for article in kept]


def nmf_clusters(fit: Factorization) -> Array:
    """The strongest topic of each document, the columns of W at length 1; −1 where a document has none."""
    return strongest_topics(fit.w, fit.h)


def svd_clusters(svd: SVD, count: int, seed: int, starts: int = 10) -> Array:
    """k-means of the documents' directions in the SVD's space, the best of several starts."""
    points = svd.v * svd.s
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points = np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0)
    rng = np.random.default_rng(seed)
    tries = [k_means(points, count, rng) for _ in range(starts)]
    return min(tries, key=lambda labels: _spread(points, labels))


def agreement_with_labels(
    context: Context, articles: Iterable[Article], weighting: Weighting, least: int
) -> list[Record]:
    """NMF and the SVD on the articles with one category, as many clusters as categories, means of three seeds."""
    texts, labels = single_label(articles, least)
    _, matrix = weighting.fit(texts)
    count = len(set(labels))
    svd = truncated_svd(matrix, count)
    methods: dict[str, Callable[[int], Array]] = {
        "NMF": lambda seed: nmf_clusters(factorize(matrix, count, algorithm="als-hals", seed=seed)),
        "SVD": lambda seed: svd_clusters(svd, count, seed),
    }
    rows = []
    for name, clusters in context.track("articles in clusters", list(methods.items())):
        scores = [label_scores(clusters(seed), labels) for seed in range(3)]
        means = np.mean([(score.purity, score.nmi, score.ari) for score in scores if score is not None], axis=0)
        purity, nmi, ari = rounded(means, 4)
        rows.append({"method": name, "rank": count, "documents": len(labels), "purity": purity, "nmi": nmi, "ari": ari})
    return rows


def _spread(points: Array, labels: Array) -> float:
    """The squared distances from the cluster's centres, Σ‖x‖² − Σ_c ‖Σ_c x‖² / n_c."""
    sums = np.zeros((labels.max() + 1, points.shape[1]))
    np.add.at(sums, labels, points)
    sizes = np.bincount(labels)
    return float((points**2).sum() - ((sums**2).sum(axis=1) / np.maximum(sizes, 1)).sum())
