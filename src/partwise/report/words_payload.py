"""The weighted words of the documents on a page, A by columns, in about three bytes an entry and without a loss.

An entry of A is a_td = l(tf) s_d g_t in single precision: a document has few distinct levels l(tf) s_d, one for each
count in it, and g_t, the global weight of the term, is on the page already. So an entry is the term's place, two bytes,
and the number of its level, one byte.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from partwise.report.encoding import Payload, packed
from partwise.text.topic_model import TopicModel
from partwise.types import Array

BUDGET = 3_200_000
"""Bytes for the entries before base64; with more, every document keeps its strongest words."""
GAP = 1e-5
"""Levels of two counts differ by more than this, two entries of one level by rounding alone."""


def words_payload(model: TopicModel, chosen: Array) -> Payload:
    """The columns ``chosen`` of A, exact to the bit where all entries fit in the budget, and whether they did."""
    matrix = model.collection.in_memory()
    columns = sp.csc_array(matrix if len(chosen) == matrix.shape[1] else matrix[:, chosen])
    columns.sort_indices()
    weights = model.vocabulary.global_weights
    lengths = model.collection.lengths
    place = "u2" if columns.shape[0] <= 2**16 else "u4"
    coded = levels(columns, weights)
    each = int(place[1]) + (4 if coded is None else 1)
    whole = columns.nnz * each <= BUDGET
    if not whole:
        columns = strongest_entries(columns, BUDGET // each)
        coded = levels(columns, weights)
    values = {"values": packed(columns.data, "f4")} if coded is None else coded
    return {
        "counts": packed(np.diff(columns.indptr), "u4"),
        "places": packed(columns.indices, place),
        **values,
        "lengths": None if lengths is None else packed(lengths[chosen], "f8"),
        "whole": whole,
    }


def levels(columns: sp.csc_array, weights: Array) -> Payload | None:
    """Entries as float32(level × weight of the term): the number of each one's level, levels by document.

    An entry v says that its level lies between (v − u/2) / g and (v + u/2) / g, u the unit in its last place; the
    middle of what all entries of a level allow gives each of them back. None where one is not given back, or where a
    document has more than 256 levels.
    """
    if not columns.nnz:
        return None
    entries = columns.data.astype(np.float64)
    own = weights[columns.indices]
    documents = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
    ratios = np.divide(entries, own, out=np.zeros(len(own)), where=own > 0)
    order = np.lexsort((ratios, documents))
    ranked, owner = ratios[order], documents[order]
    first = np.concatenate([[True], (np.diff(owner) > 0) | (ranked[1:] > ranked[:-1] * (1 + GAP))])
    starts = np.flatnonzero(first)
    half = np.spacing(columns.data).astype(np.float64)[order] / 2
    low = np.maximum.reduceat((entries[order] - half) / own[order], starts)
    high = np.minimum.reduceat((entries[order] + half) / own[order], starts)
    level = (low + high) / 2
    of_entry = np.empty(len(order), np.int64)
    of_entry[order] = np.cumsum(first) - 1
    per_document = np.bincount(owner[starts], minlength=columns.shape[1])
    numbers = of_entry - (np.cumsum(per_document) - per_document)[documents]
    if numbers.max() > 255 or not np.array_equal((level[of_entry] * own).astype(np.float32), columns.data):
        return None
    return {
        "level": packed(numbers, "u1"),
        "levels": packed(level, "f8"),
        "per_document": packed(per_document, "u2"),
    }


def strongest_entries(columns: sp.csc_array, most: int) -> sp.csc_array:
    """At most ``most`` entries: every document's strongest, as many of each as fit."""
    counts = np.diff(columns.indptr)
    cap = next((c for c in range(int(counts.max()), 0, -1) if np.minimum(counts, c).sum() <= most), 1)
    documents = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((columns.indices, -columns.data, documents))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - columns.indptr[documents[order]]
    kept = rank < cap
    starts = np.concatenate([[0], np.cumsum(np.minimum(counts, cap))])
    return sp.csc_array((columns.data[kept], columns.indices[kept], starts), shape=columns.shape)
