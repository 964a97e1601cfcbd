"""Queries against documents in the span of a factorisation: mean average precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from partwise import datasets
from partwise.experiments.collections import MIN_DF, weighting
from partwise.experiments.numbers import rounded
from partwise.experiments.types import Context
from partwise.solve import factorize
from partwise.svd import truncated_svd
from partwise.types import Array

LOADERS = {"medlars": datasets.load_medlars, "cisi": datasets.load_cisi}


def precisions(context: Context, name: str, rank: int, weight: str) -> list[dict[str, Any]]:
    """The documents ranked by the cosine of a query with A, with the SVD's A_k and with WH."""
    collection = LOADERS[name](context.data)
    texts = [f"{document.title}\n{document.text}" for document in collection.documents]
    vocabulary, matrix = weighting(weight, MIN_DF[name]).fit(texts)
    rank = min(rank, min(matrix.shape))
    queries = vocabulary.transform([f"{query.title}\n{query.text}" for query in collection.queries])
    places = {document.id: place for place, document in enumerate(collection.documents)}
    judged = {
        q: [places[id] for id in collection.judgements[query.id]]
        for q, query in enumerate(collection.queries)
        if query.id in collection.judgements
    }
    svd = truncated_svd(matrix, rank)
    fit = factorize(matrix, rank, algorithm="als-hals", init="random-acol")
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=0)).ravel())
    scores = {
        "words": _cosines(np.asarray((queries.T @ matrix).todense()), lengths),
        "SVD": _cosines((queries.T @ (svd.u * svd.s)) @ svd.v.T, np.linalg.norm(svd.v * svd.s, axis=1)),
        "NMF": _cosines((queries.T @ fit.w) @ fit.h.T, _norms(fit.w, fit.h)),
    }
    return [
        {"data": name, "method": method, "rank": None if method == "words" else rank,
         "precision": rounded(np.mean([average_precision(found[q], relevant) for q, relevant in judged.items()]), 4)}
        for method, found in scores.items()
    ]  # fmt: skip


def _cosines(scores: Array, lengths: Array) -> Array:
    return scores / np.where(lengths > 0, lengths, 1)


def _norms(w: Array, h: Array) -> Array:
    """‖W h_j‖ for each document."""
    norms: Array = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", h, w.T @ w, h), 0))
    return norms


def average_precision(scores: Array, relevant: list[int]) -> float:
    """The mean of the precision at the place of every relevant document."""
    order = np.argsort(-scores, kind="stable")
    places = np.sort(np.flatnonzero(np.isin(order, relevant))) + 1
    return float(np.mean(np.arange(1, len(places) + 1) / places)) if len(places) else 0.0
