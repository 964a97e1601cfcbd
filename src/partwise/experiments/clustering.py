"""Clustering against labels: the strongest topic of NMF, and k-means on the SVD's coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from partwise.datasets import TOP_TEN, Article
from partwise.inits.clustering import k_means
from partwise.linalg.svd import SVD
from partwise.result.factorization import Factorization
from partwise.study.stability import strongest_topics
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


def _spread(points: Array, labels: Array) -> float:
    """The squared distances from the cluster's centres, Σ‖x‖² − Σ_c ‖Σ_c x‖² / n_c."""
    sums = np.zeros((labels.max() + 1, points.shape[1]))
    np.add.at(sums, labels, points)
    sizes = np.bincount(labels)
    return float((points**2).sum() - ((sums**2).sum(axis=1) / np.maximum(sizes, 1)).sum())
