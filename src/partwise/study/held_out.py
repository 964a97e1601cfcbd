"""Entries held out of a fit and predicted by it: stored entries, speckled holes, or a share of every count."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.observed import Observed
from partwise.losses.base import Loss
from partwise.result.factorization import Factorization
from partwise.types import Array, Data

SHARE = 0.1
"""How much a fold holds out: of the known entries, of the entries of some columns, or of every count."""
MOST_HOLES = 2
"""The most holes in a sparse matrix, in units of its stored entries."""
GROUP = 256
"""Columns whose counts are split by one generator."""
PAIRS = 2**16
"""Pairs that are predicted at a time."""
BACKGROUND = 0.01
"""The share of the rank-1 model in a prediction of counts, so that a word may come where the fit has none."""

FIRST, SECOND, STEP = (np.uint64(c) for c in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15))


@dataclass(frozen=True)
class Fold:
    """What one fold fits, and the error of a fit on what it holds out."""

    matrix: Any
    score: Callable[[Factorization], float]


def fold(data: Any, loss: Loss, number: int, seed: int) -> Fold:
    """Fold ``number``: of counts a share of each, of other data entries that the fit does not know."""
    if data.split is not None:
        raise ValueError("Held-out entries need the matrix in memory, as an array or a scipy sparse matrix.")
    if loss.counts and not data.weighted:
        return _split_counts(data, number, seed)
    return _hide(data, loss, number, seed)


def uniform(seed: int, columns: Array, rows: Array) -> Array:
    """A number in [0, 1) for each pair, a function of the seed and the pair alone (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        state = _mixed(_mixed(np.uint64(seed % 2**63) * STEP + columns.astype(np.uint64)) + rows.astype(np.uint64))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(state: Array) -> Array:
    state = (state + STEP).astype(np.uint64)
    state = (state ^ (state >> np.uint64(30))) * FIRST
    state = (state ^ (state >> np.uint64(27))) * SECOND
    mixed: Array = state ^ (state >> np.uint64(31))
    return mixed


def within(values: Array, number: int, share: float) -> Array:
    """Whether numbers in [0, 1) lie in window ``number`` of this length; windows go round, and few of them meet."""
    inside: Array = (values - number * share) % 1.0 < share
    return inside


def holes(data: Data, number: int, seed: int) -> tuple[Array, Array]:
    """(rows, columns) of the holes: a tenth of the entries, zeros as often as others, of as many columns as may be."""
    m, n = data.shape
    share = min(1.0, MOST_HOLES * data.nnz / (SHARE * m * n))
    columns = np.flatnonzero(within(uniform(seed, np.arange(n), np.full(n, m)), number, share))
    pieces, rows, step = [], np.arange(m), max(1, 2**21 // m)
    for at in range(0, len(columns), step):
        some = columns[at : at + step]
        places = np.nonzero(within(uniform(seed, some[:, None], rows), number, SHARE))
        pieces.append((places[1], some[places[0]]))
    return np.concatenate([p[0] for p in pieces] or [rows[:0]]), np.concatenate([p[1] for p in pieces] or [columns])


def _hide(data: Any, loss: Loss, number: int, seed: int) -> Fold:
    """Known entries without weight in the fit; the error on them is √(Σ v d(a, y) / Σ v d(a, mean))."""
    if not data.weighted:
        data = Observed(sp.csr_array(data.shape, dtype=data.dtype), np.empty(0, data.dtype), 1.0, data)
    indptr, columns, values, extra = data.special
    rows = np.repeat(np.arange(data.shape[0]), np.diff(indptr))
    hidden = within(uniform(seed, columns, rows), number, SHARE) & (extra + data.outside > 0)
    more_rows, more_columns = (
        (np.empty(0, int), np.empty(0, int)) if data.base is None else holes(data.base, number, seed)
    )
    if len(rows) and len(more_rows):
        usual = ~np.isin(more_rows * data.shape[1] + more_columns, rows * data.shape[1] + columns)
        more_rows, more_columns = more_rows[usual], more_columns[usual]
    more = _entries(data.base, more_rows, more_columns) if len(more_rows) else values[:0]
    order = sp.csr_array(
        (np.arange(len(rows) + len(more_rows)), (np.r_[rows, more_rows], np.r_[columns, more_columns])), data.shape
    )
    place = order.data
    deltas = np.r_[np.where(hidden, -data.outside, extra), np.full(len(more), -data.outside)].astype(data.dtype)
    special = sp.csr_array((deltas[place], order.indices, order.indptr), data.shape)
    train = Observed(special, np.r_[values, more][place], data.outside, data.base)
    asked = np.r_[rows[hidden], more_rows], np.r_[columns[hidden], more_columns]
    truth = np.r_[values[hidden], more].astype(np.float64)
    weight = np.r_[extra[hidden] + data.outside, np.full(len(more), data.outside)].astype(np.float64)

    mean = train.mean
    baseline = float(weight @ loss.entrywise(truth, np.full(len(truth), mean)))

    def score(fit: Factorization) -> float:
        fitted = predictions(fit, *asked)
        if loss.counts:
            fitted = (1 - BACKGROUND) * fitted + BACKGROUND * mean
        return float(np.sqrt(weight @ loss.entrywise(truth, fitted) / baseline))

    return Fold(train, score)


def _entries(base: Any, rows: Array, columns: Array) -> Array:
    """Entries of a matrix in memory."""
    values = np.empty(len(rows), base.dtype)
    order = np.argsort(columns, kind="stable")
    cuts = np.searchsorted(columns[order], np.arange(base.shape[1] + 1))
    for j in np.flatnonzero(np.diff(cuts)):
        places = order[cuts[j] : cuts[j + 1]]
        values[places] = base.T.rows(j, j + 1)[0][rows[places]]
    return values


def _split_counts(data: Any, number: int, seed: int) -> Fold:
    """B ~ Bin(a, ε) of every count a is held out, A − B is fitted: independent where A is Poisson.

    (Neufeld, Gao, Popp, Battle and Witten 2023.) The error is √(D(B | εWH/(1 − ε)) / D(B | the rank-1 model)).
    """
    turned, n = data.T, data.shape[1]
    indptr, rows, counts = turned.entries(0, n)
    _refuse_fractions(counts, rows, indptr)
    drawn = np.empty(len(counts))
    for lo in range(0, n, GROUP):
        some = slice(indptr[lo], indptr[min(lo + GROUP, n)])
        drawn[some] = np.random.default_rng([seed, number, lo]).binomial(counts[some].astype(np.int64), SHARE)
    columns = np.repeat(np.arange(n), np.diff(indptr))
    rest = sp.csr_array((counts - drawn.astype(counts.dtype), rows, indptr), shape=(n, data.shape[0])).T
    out = np.flatnonzero(drawn)
    rows, columns, held = rows[out], columns[out], drawn[out]
    ratio = SHARE / (1 - SHARE)
    left = np.asarray(rest.sum(axis=1)).ravel(), np.asarray(rest.sum(axis=0)).ravel()
    usual = ratio * left[0][rows] * left[1][columns] / left[0].sum()
    whole = ratio * left[0].sum()
    known = (left[0][rows] > 0) & (left[1][columns] > 0)
    usual, rows, columns, held = usual[known], rows[known], columns[known], held[known]
    baseline = (held * np.log(held / usual)).sum() - held.sum() + whole

    def score(fit: Factorization) -> float:
        mixed = (1 - BACKGROUND) * ratio * predictions(fit, rows, columns) + BACKGROUND * usual
        sums = np.asarray(fit.w, np.float64).sum(axis=0) @ np.asarray(fit.h, np.float64).sum(axis=0)
        divergence = (held * np.log(held / mixed)).sum() - held.sum()
        divergence += (1 - BACKGROUND) * ratio * sums + BACKGROUND * whole
        return float(np.sqrt(divergence / baseline))

    return Fold(rest, score)


def _refuse_fractions(counts: Array, rows: Array, indptr: Array) -> None:
    odd = np.flatnonzero(counts != np.floor(counts))
    if len(odd):
        p = int(odd[0])
        column = int(np.searchsorted(indptr, p, "right")) - 1
        raise ValueError(
            f"Counts are split to hold some out, so they must be whole numbers; the entry at row {int(rows[p])}, "
            f'column {column} is {counts[p]:g}. Use by="stability", or the squared loss.'
        )


def predictions(fit: Factorization, rows: Array, columns: Array) -> Array:
    """(WH) at pairs in float64, some at a time; where nothing was known of a row or column, the mean."""
    values = np.empty(len(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for at in range(0, len(rows), PAIRS):
            some = slice(at, at + PAIRS)
            values[some] = fit.predict(rows[some], columns[some])
    return values
