"""Retrieval on a judged collection: tf-idf vectors, LSI and NMF at several ranks, and their mean average precision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from partwise import datasets
from partwise.datasets import JudgedCollection
from partwise.experiments.corpora import MIN_DF, weighting
from partwise.experiments.experiment import Context, Record
from partwise.experiments.numbers import rounded
from partwise.experiments.ranking import average_precision, eleven_points, relevance
from partwise.factorize import factorize
from partwise.linalg.svd import SVD, truncated_svd
from partwise.result.factorization import Factorization
from partwise.text.search import cosines
from partwise.text.weighting import Weighting
from partwise.types import Array

LOADERS = {"medlars": datasets.load_medlars, "cisi": datasets.load_cisi}


@dataclass(frozen=True, eq=False)
class Judged:
    """Documents and judged queries in the same terms, and which document is relevant to which query."""

    A: sp.csr_array
    """terms × documents"""
    Q: sp.csr_array
    """terms × queries"""
    relevant: Array
    """queries × documents"""

    @classmethod
    def of(cls, collection: JudgedCollection, weighting: Weighting) -> Judged:
        """Titles and texts; queries without a judgement are left out."""
        vocabulary, documents = weighting.fit(f"{d.title}\n{d.text}" for d in collection.documents)
        judged = [q for q in collection.queries if q.id in collection.judgements]
        queries = vocabulary.transform(f"{q.title}\n{q.text}" for q in judged)
        relevant = [[d.id in collection.judgements[q.id] for d in collection.documents] for q in judged]
        return cls(documents, queries, np.array(relevant))


@dataclass(frozen=True, eq=False)
class RetrievalScore:
    """The scores of one method; ``by_query`` is the average precision of each query, the mean over seeds."""

    method: str
    rank: int | None
    points: Array
    """Interpolated precision at recall 0, 0.1, …, 1, the mean over queries and seeds."""
    by_query: Array
    by_seed: Array
    """The mean average precision of each seed."""

    @property
    def map(self) -> float:
        """Mean average precision."""
        return float(self.by_query.mean())

    @property
    def eleven(self) -> float:
        """11-point interpolated average precision."""
        return float(self.points.mean())


def vector_scores(A: sp.csr_array, Q: sp.csr_array) -> Array:
    """Cosines of queries and documents as they are, queries × documents."""
    lengths = np.outer(_lengths(Q), _lengths(A))
    dots = (Q.T @ A).toarray()
    scores: Array = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return scores


def lsi_scores(svd: SVD, Q: sp.csr_array) -> Array:
    """Cosines of Uᵀq and the rows of V S (Deerwester et al. 1990)."""
    return _cosines(np.eye(svd.rank), Q.T @ svd.u, svd.v * svd.s)


def nmf_scores(fit: Factorization, Q: sp.csr_array) -> Array:
    """Cosines of W h_q and W h_d, the query folded in by the exact half-step."""
    return _cosines(fit.w.T @ fit.w, fit.transform(Q).T, fit.h)


def measure(method: str, rank: int | None, scores: Iterable[Array], relevant: Array) -> RetrievalScore:
    """One method from its scores, one array (queries × documents) for each seed."""
    ranked = [
        [relevance(row, wanted) for row, wanted in zip(seed_scores, relevant, strict=True)] for seed_scores in scores
    ]
    precision = np.array([[average_precision(answer) for answer in answers] for answers in ranked])
    points = np.array([[eleven_points(answer) for answer in answers] for answers in ranked])
    return RetrievalScore(method, rank, points.mean(axis=(0, 1)), precision.mean(axis=0), precision.mean(axis=1))


def difference(first: RetrievalScore, second: RetrievalScore) -> tuple[float, float]:
    """The mean difference of the average precisions over queries, and its standard error."""
    gap = first.by_query - second.by_query
    return float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(len(gap)))


def query_precisions(context: Context, name: str, rank: int, weight: str, stem: str) -> list[Record]:
    """The documents ranked by the cosine of a query, as it is, with A, with the SVD's A_k and with WH."""
    judged = Judged.of(LOADERS[name](context.data), weighting(weight, stem, MIN_DF[name]))
    matrix, queries = judged.A, judged.Q.T
    rank = min(rank, min(matrix.shape))
    svd = truncated_svd(matrix, rank)
    fit = factorize(matrix, rank, algorithm="als-hals", init="random-acol")
    scores = {
        "words": _by_length((queries @ matrix).toarray(), _lengths(matrix)),
        "SVD": _by_length((queries @ (svd.u * svd.s)) @ svd.v.T, np.linalg.norm(svd.v * svd.s, axis=1)),
        "NMF": _by_length((queries @ fit.w) @ fit.h.T, _norms(fit.w, fit.h)),
    }
    return [
        {"data": name, "method": method, "rank": None if method == "words" else rank,
         "precision": rounded(measure(method, rank, [values], judged.relevant).map, 4)}
        for method, values in scores.items()
    ]  # fmt: skip


def _cosines(gram: Array, queries: Array, documents: Array) -> Array:
    return np.array([cosines(gram, query, documents) for query in queries])


def _lengths(columns: sp.csr_array) -> Array:
    lengths: Array = np.sqrt(np.asarray(columns.multiply(columns).sum(axis=0))).ravel()
    return lengths


def _by_length(scores: Array, lengths: Array) -> Array:
    return scores / np.where(lengths > 0, lengths, 1)


def _norms(w: Array, h: Array) -> Array:
    """‖W h_j‖ for each document."""
    norms: Array = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", h, w.T @ w, h), 0))
    return norms
