"""Mean average precision of queries against documents approximated by a factorisation."""

from __future__ import annotations

import numpy as np

from partwise import datasets
from partwise.experiments.corpora import MIN_DF, weighting
from partwise.experiments.experiment import Context, Record
from partwise.experiments.numbers import rounded
from partwise.experiments.ranking import average_precision, relevance
from partwise.experiments.retrieval import Judged
from partwise.factorize import factorize
from partwise.linalg.svd import truncated_svd
from partwise.types import Array

LOADERS = {"medlars": datasets.load_medlars, "cisi": datasets.load_cisi}


def query_precisions(context: Context, name: str, rank: int, weight: str) -> list[Record]:
    """The documents ranked by the cosine of a query, as it is, with A, with the SVD's A_k and with WH."""
    judged = Judged.of(LOADERS[name](context.data), weighting(weight, MIN_DF[name]))
    matrix, queries = judged.A, judged.Q.T
    rank = min(rank, min(matrix.shape))
    svd = truncated_svd(matrix, rank)
    fit = factorize(matrix, rank, algorithm="als-hals", init="random-acol")
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=0)).ravel())
    scores = {
        "words": _cosines(np.asarray((queries @ matrix).todense()), lengths),
        "SVD": _cosines((queries @ (svd.u * svd.s)) @ svd.v.T, np.linalg.norm(svd.v * svd.s, axis=1)),
        "NMF": _cosines((queries @ fit.w) @ fit.h.T, _norms(fit.w, fit.h)),
    }
    return [
        {"data": name, "method": method, "rank": None if method == "words" else rank,
         "precision": rounded(_mean_precision(values, judged.relevant), 4)}
        for method, values in scores.items()
    ]  # fmt: skip


def _mean_precision(scores: Array, relevant: Array) -> float:
    pairs = zip(scores, relevant, strict=True)
    return float(np.mean([average_precision(relevance(row, wanted)) for row, wanted in pairs]))


def _cosines(scores: Array, lengths: Array) -> Array:
    return scores / np.where(lengths > 0, lengths, 1)


def _norms(w: Array, h: Array) -> Array:
    """‖W h_j‖ for each document."""
    norms: Array = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", h, w.T @ w, h), 0))
    return norms
