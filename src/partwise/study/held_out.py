"""Entries held out of a fit and predicted by it: stored entries, speckled holes, or a share of every count.

What is held out of an entry is a function of the seed, the fold and its place alone, so a fold is the same in memory,
on disk and on Dask, and a matrix in parts is split a part at a time, on the worker that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import betainc, ndtri

from partwise.data.observed import Observed
from partwise.data.passes import Tall, walk
from partwise.data.sparse import SparseData
from partwise.losses.base import Loss
from partwise.result.factorization import Factorization
from partwise.threads.pool import Workers
from partwise.types import Array

SHARE = 0.1
"""How much a fold holds out: of the known entries, of the entries of some columns, or of every count."""
MOST_HOLES = 2
"""The most holes in a sparse matrix, in units of its stored entries."""
PAIRS = 2**16
"""Pairs that are predicted at a time."""
BACKGROUND = 0.01
"""The share of the mean, or of the rank-1 model, in a prediction of counts, so that a word may come where the fit has
none."""

FIRST, SECOND, STEP = (np.uint64(c) for c in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15))


class HeldOut(NamedTuple):
    """What a fold holds out of a part: rows and columns in the part, the numbers, and their weights."""

    rows: Array
    columns: Array
    values: Array
    weights: Array


@dataclass(frozen=True)
class Fold:
    """What one fold fits, and the error of a fit on what it holds out."""

    matrix: Any
    score: Callable[[Factorization], float]


def fold(data: Any, loss: Loss, number: int, seed: int) -> Fold:
    """Fold ``number``: of counts a share of each, of other data entries that the fit does not know."""
    split: Any = SplitCounts if loss.counts and not data.weighted else Speckles
    rule = split(number, seed, data.shape, data.nnz, data.split == 1)
    train = rule(data, 0) if data.split is None else data.derived(rule)
    return Fold(train, rule.score(data, train, loss))


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


@dataclass(frozen=True)
class Rule:
    """How a fold splits a part: ``split`` gives what is left and what is held out; called, what is left alone."""

    number: int
    seed: int
    shape: tuple[int, int]
    """Of the whole matrix."""
    nnz: int
    turned: bool
    """Whether the rows of a part are columns of the matrix."""

    def split(self, part: Any, first: int) -> tuple[Any, HeldOut]:
        """(what is left of a part that begins at row ``first``, what is held out)."""
        raise NotImplementedError

    def __call__(self, part: Any, first: int) -> Any:
        return self.split(part, first)[0]

    def draw(self, rows: Array, columns: Array) -> Array:
        """A number in [0, 1) for each pair of a row of all and a column of a part."""
        pair = (rows, columns) if self.turned else (columns, rows)
        return uniform(self.seed, *pair)

    def sum_over(self, data: Any, terms: Any, model: Sequence[Array]) -> Any:
        """The sum of terms(held, fitted, rows, columns) over all that is held out, (W, H) as the model."""
        long, short = model[::-1] if self.turned else model
        side = data.T if self.turned else data
        places = np.arange(len(long))[:, None]
        with Workers(None) as workers:
            return walk(side, _Score(self, terms), [Tall(factor=long, rhs=places)], [short], workers).sums


@dataclass(frozen=True)
class _Score:
    """Terms of the error over what a part holds out."""

    rule: Rule
    terms: Any
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Any, tall: Sequence[Tall], shared: Sequence[Array], shares: object, workers: object
    ) -> tuple[list[Array], list[float]]:
        first = int(np.asarray(tall[0].rhs)[0, 0])
        held, factor, total = self.rule.split(part, first)[1], tall[0].factor, 0.0
        for at in range(0, len(held.rows), PAIRS):
            some = HeldOut(*(array[at : at + PAIRS] for array in held))
            fitted = np.einsum("ij,ij->i", factor[some.rows], shared[0][some.columns])
            total += self.terms(some._replace(rows=first + some.rows), fitted)
        return [], [total]


def _factors(fit: Factorization) -> tuple[Array, Array]:
    """W and H, tall, in float64, here."""
    return np.asarray(fit.w, np.float64), np.asarray(fit.h, np.float64)


@dataclass(frozen=True)
class Speckles(Rule):
    """Known entries without weight in the fit; the error on them is √(Σ v d(a, y) / Σ v d(a, mean))."""

    def holes(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """Places of the holes among these rows and columns: a tenth of the entries, zeros as often as others.

        They lie in as many columns of the matrix as may be for at most ``MOST_HOLES`` a stored entry.
        """
        (m, n), sizes = self.shape, (len(rows), len(columns))
        share = min(1.0, MOST_HOLES * self.nnz / (SHARE * m * n))
        lines, others = (rows, columns) if self.turned else (columns, rows)
        chosen = np.flatnonzero(within(uniform(self.seed, lines, np.full(len(lines), m)), self.number, share))
        pieces, step = [(chosen[:0], chosen[:0])], max(1, 2**21 // max(1, sizes[self.turned]))
        for at in range(0, len(chosen), step):
            some = chosen[at : at + step]
            inside = np.nonzero(within(uniform(self.seed, lines[some][:, None], others), self.number, SHARE))
            pieces.append((some[inside[0]], inside[1]))
        line, other = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
        return (line, other) if self.turned else (other, line)

    def split(self, part: Any, first: int) -> tuple[Observed, HeldOut]:
        if not part.weighted:
            part = Observed(sp.csr_array(part.shape, dtype=part.dtype), np.empty(0, part.dtype), 1.0, part)
        indptr, columns, values, extra = part.special
        rows = np.repeat(np.arange(part.shape[0]), np.diff(indptr))
        drawn = within(self.draw(first + rows, columns), self.number, SHARE)
        hidden = drawn & (extra + part.outside > 0)
        more_rows, more_columns = rows[:0], rows[:0]
        if part.base is not None:
            more_rows, more_columns = self.holes(first + np.arange(part.shape[0]), np.arange(part.shape[1]))
        if len(rows) and len(more_rows):
            usual = ~np.isin(more_rows * part.shape[1] + more_columns, rows * part.shape[1] + columns)
            more_rows, more_columns = more_rows[usual], more_columns[usual]
        more = _entries(part.base, more_rows, more_columns, self.turned) if len(more_rows) else values[:0]
        place = np.r_[rows, more_rows], np.r_[columns, more_columns]
        order = sp.csr_array((np.arange(len(place[0])), place), part.shape)
        deltas = np.r_[np.where(hidden, -part.outside, extra), np.full(len(more), -part.outside)].astype(part.dtype)
        special = sp.csr_array((deltas[order.data], order.indices, order.indptr), part.shape)
        train = Observed(special, np.r_[values, more][order.data], part.outside, part.base)
        weights = np.r_[extra[hidden] + part.outside, np.full(len(more), part.outside)]
        asked = np.r_[rows[hidden], more_rows], np.r_[columns[hidden], more_columns]
        return train, HeldOut(*asked, np.r_[values[hidden], more].astype(np.float64), weights.astype(np.float64))

    def score(self, data: Any, train: Any, loss: Loss) -> Callable[[Factorization], float]:
        """The error of a fit; where nothing is known of a row or column, the mean stands."""
        mean, (m, n) = train.mean, self.shape
        cold = train.row_counts == 0, train.T.row_counts == 0
        if self.turned:
            cold = cold[::-1]
        terms = _EntryLoss(loss, mean, *cold)
        baseline = self.sum_over(data, terms, (np.full((m, 1), mean), np.ones((n, 1))))
        return lambda fit: float(np.sqrt(self.sum_over(data, terms, _factors(fit)) / baseline))


@dataclass(frozen=True)
class _EntryLoss:
    """Σ v d(a, y)."""

    loss: Loss
    mean: float
    cold_rows: Array
    cold_columns: Array

    def __call__(self, held: HeldOut, fitted: Array) -> float:
        fitted = np.where(self.cold_rows[held.rows] | self.cold_columns[held.columns], self.mean, fitted)
        if self.loss.counts:
            fitted = (1 - BACKGROUND) * fitted + BACKGROUND * self.mean
        return float(held.weights @ self.loss.entrywise(held.values, fitted))


def _entries(base: Any, rows: Array, columns: Array, by_rows: bool) -> Array:
    """Entries of a matrix in memory, a row or a column at a time."""
    lines, others, side = (rows, columns, base) if by_rows else (columns, rows, base.T)
    values, order = np.empty(len(rows), base.dtype), np.argsort(lines, kind="stable")
    cuts = np.searchsorted(lines[order], np.arange(side.shape[0] + 1))
    for j in np.flatnonzero(np.diff(cuts)):
        places = order[cuts[j] : cuts[j + 1]]
        values[places] = side.rows(j, j + 1)[0][others[places]]
    return values


@dataclass(frozen=True)
class SplitCounts(Rule):
    """B ~ Bin(a, ε) of every count a is held out, A − B is fitted: independent where A is Poisson.

    (Neufeld, Gao, Popp, Battle and Witten 2023.) The error is √(D(B | εWH/(1 − ε)) / D(B | the rank-1 model)).
    """

    def split(self, part: Any, first: int) -> tuple[SparseData, HeldOut]:
        indptr, columns, counts = part.entries(0, part.shape[0])
        rows = np.repeat(np.arange(part.shape[0]), np.diff(indptr))
        self._refuse_fractions(counts, first + rows, columns)
        numbers = (self.draw(first + rows, columns) - self.number * SHARE) % 1.0
        drawn = binomials(numbers, counts.astype(np.float64))
        rest = sp.csr_array((counts - drawn.astype(counts.dtype), columns, indptr), shape=part.shape)
        out = np.flatnonzero(drawn)
        held = HeldOut(rows[out], columns[out], drawn[out], drawn[out])
        return SparseData.from_scipy(rest, part.dtype), held

    def _refuse_fractions(self, counts: Array, rows: Array, columns: Array) -> None:
        odd = np.flatnonzero(counts != np.floor(counts))
        if len(odd):
            p = int(odd[0])
            row, column = (columns[p], rows[p]) if self.turned else (rows[p], columns[p])
            raise ValueError(
                f"Counts are split to hold some out, so they must be whole numbers; the entry at row {int(row)}, "
                f'column {int(column)} is {counts[p]:g}. Use by="stability", or the squared loss.'
            )

    def score(self, data: Any, train: Any, loss: Loss) -> Callable[[Factorization], float]:
        """The deviance of a fit; what stands in a row or column of which nothing is left is not asked."""
        ratio = SHARE / (1 - SHARE)
        left = train.row_sums, train.T.row_sums
        whole = float(left[0].sum())
        terms = _CountLoss(ratio, whole, *(left[::-1] if self.turned else left))

        def deviance(w: Array, h: Array) -> float:
            fitted = (1 - BACKGROUND) * (w.sum(axis=0) @ h.sum(axis=0)) + BACKGROUND * whole
            return float(self.sum_over(data, terms, (w, h)) + ratio * fitted)

        baseline = deviance(left[0][:, None], left[1][:, None] / whole)
        return lambda fit: float(np.sqrt(deviance(*_factors(fit)) / baseline))


@dataclass(frozen=True)
class _CountLoss:
    """Σ b log(b/y) − b, y the fitted counts with a little of the rank-1 model."""

    ratio: float
    whole: float
    left_rows: Array
    left_columns: Array

    def __call__(self, held: HeldOut, fitted: Array) -> float:
        usual = self.left_rows[held.rows] * self.left_columns[held.columns] / self.whole
        known = usual > 0
        expected = self.ratio * ((1 - BACKGROUND) * fitted[known] + BACKGROUND * usual[known])
        values = held.values[known]
        return float((values * np.log(values / expected)).sum() - values.sum())


def binomials(numbers: Array, counts: Array) -> Array:
    """The least b with P(Bin(a, ε) ≤ b) > u, for numbers u in [0, 1) and counts a: binomial where u is uniform.

    From the normal approximation, up or down until it is that one.
    """
    spread = np.sqrt(counts * SHARE * (1 - SHARE))
    drawn: Array = np.clip(np.floor(counts * SHARE + spread * ndtri(np.maximum(numbers, 1e-16))), 0, counts)
    for step in (-1, 1):
        going = np.arange(len(counts))
        while len(going):
            below = _up_to(drawn[going] + min(step, 0), counts[going])
            going = going[below > numbers[going] if step < 0 else below <= numbers[going]]
            drawn[going] += step
    return drawn


def _up_to(successes: Array, counts: Array) -> Array:
    """P(Bin(a, ε) ≤ b)."""
    chances: Array = betainc(np.maximum(counts - successes, 1e-300), np.maximum(successes + 1, 1e-300), 1 - SHARE)
    chances[successes < 0], chances[successes >= counts] = 0, 1
    return chances
