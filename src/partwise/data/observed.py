"""Matrices with weights or unknown entries: v_ij = ω₀ + δ_ij, δ sparse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from partwise import kernels
from partwise.data.base import LocalData, OwnParts
from partwise.data.dense import DenseData
from partwise.data.entry_checks import digest_of
from partwise.data.sparse import SparseData
from partwise.threads.pool import Block, borders
from partwise.types import Array

ROW_FACTS = ("row_norms2", "row_sums", "row_weights", "row_counts", "row_logs")
"""What is summed over the entries of each row, so that it can be added up over parts."""
OWN = 8
"""The work of an entry in its row's own gram, in entries that go into a product alone."""


class Weighted:
    """What follows from the sums over rows, wherever the entries are."""

    weighted = True
    row_sums: Any
    row_weights: Any
    dense: bool
    """Whether all entries are stored beside the special ones, as an array."""
    missing: str | None = None
    """How unknown entries were given, "nan" or "zeros", where it was not by weights alone."""
    _scale: float | None = None

    @property
    def mean(self) -> float:
        """The weighted mean of the entries."""
        return float(self.row_sums.sum() / max(self.row_weights.sum(), np.finfo(np.float64).tiny))

    @property
    def scale(self) -> float:
        """The mean that penalties by observation are relative to: this matrix's own, or that of a fit."""
        return self.mean if self._scale is None else self._scale

    def scaled_as(self, mean: float) -> Self:
        """The same entries, with penalties relative to the mean of a fit."""
        same: Any = copy(self)
        same._transpose, same._scale = None, mean
        return same  # type: ignore[no-any-return]

    @property
    def for_starts(self) -> Any:
        """The matrix as a start may read it: unknown entries of a dense one filled with their row's mean."""
        if not self.dense:
            return None
        weights = self.row_weights
        level = np.divide(self.row_sums, weights, out=np.zeros(len(weights)), where=weights > 0)
        return self.filled(level, 0)

    def filled(self, level: Array, axis: int) -> Any:
        """The matrix in parts, each with the mean of its row (axis 0) or column for an unknown entry."""
        parts: Any = _Filled(self, level, axis)
        return OwnParts(parts, lambda part: part)


@dataclass(frozen=True, eq=False)
class _Filled:
    """Data in parts whose unknown entries are filled."""

    data: Any
    level: Array
    axis: int

    def __post_init__(self) -> None:
        for name in ("shape", "dtype", "split"):
            object.__setattr__(self, name, getattr(self.data, name))

    @property
    def T(self) -> _Filled:
        """The other side."""
        return _Filled(self.data.T, self.level, 1 - self.axis)

    def parts(self) -> Iterator[tuple[int, int, Any]]:
        """The parts in order, filled."""
        for lo, hi, part in self.data.parts():
            yield lo, hi, part.filled(self.level[lo:hi] if self.data.split == self.axis else self.level, self.axis)


class WeightedParts(Weighted):
    """The same for a matrix in parts, which keep their sums over rows by name."""

    _fact: Callable[[str], Array]
    """Sums over rows by their name; each kind of parts has its own."""

    @cached_property
    def row_weights(self) -> Array:
        """Σ_j v_ij."""
        return self._fact("row_weights")

    @cached_property
    def row_counts(self) -> Array:
        """How many entries of each row are known."""
        return self._fact("row_counts")

    @cached_property
    def row_logs(self) -> Array:
        """Σ_j v_ij a_ij log v_ij."""
        return self._fact("row_logs")


class Observed(Weighted, LocalData):
    """A matrix in memory whose entries have weights; an entry of weight 0 is unknown.

    The weight of entry (i, j) is ``outside`` + δ_ij. The entries where δ is not 0 are kept as CSR arrays, with A's
    numbers there; ``base`` is all of A, its unknown entries 0, and is read where ``outside`` is above 0.
    """

    def __init__(
        self, special: sp.csr_array, values: Array, outside: float, base: Any, transpose: Observed | None = None
    ) -> None:
        self._special, self._values, self.outside, self.base = special, values, outside, base
        self._transpose = transpose
        self._scale = None if transpose is None else transpose._scale
        self.shape: tuple[int, int] = special.shape
        self.dtype: np.dtype[Any] = values.dtype
        self.nnz = int(special.nnz if base is None else base.nnz)
        self.nbytes = special.nnz * (2 * self.dtype.itemsize + 4) + 4 * (self.shape[0] + 1)
        self.nbytes += 0 if base is None else base.nbytes

    @property
    def resident(self) -> int:
        """The entries by rows and by columns; a dense base is held once."""
        return 2 * self.nbytes - (self.base.nbytes if self.dense else 0)

    @property
    def special(self) -> tuple[Array, Array, Array, Array]:
        """(indptr, indices, values, δ) of the entries whose weight is not the usual one."""
        return self._special.indptr, self._special.indices, self._values, self._special.data

    @property
    def T(self) -> Observed:
        """The transpose, made once."""
        if self._transpose is None:
            weights, values = _turned(self._special, self._values)
            base = None if self.base is None else self.base.T
            self._transpose = Observed(weights, values, self.outside, base, self)
        return self._transpose

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal work."""
        each = 8 + (0 if self.base is None else self.base.nnz / self.shape[0])
        return borders(OWN * self._special.indptr.astype(np.int64) + np.arange(self.shape[0] + 1) * each)

    def _summed(self, terms: Array, base: Callable[[Any], Array]) -> Array:
        """Σ_j (a function of the entry and its weight), from the special entries and all of the base."""
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self._special.indptr))
        sums: Array = np.bincount(rows, weights=terms, minlength=self.shape[0])
        return sums if self.base is None else sums + self.outside * base(self.base)

    @cached_property
    def row_norms2(self) -> Array:
        """Σ_j v_ij a_ij²."""
        return self._summed(self._special.data * self._values.astype(np.float64) ** 2, lambda base: base.row_norms2)

    @cached_property
    def row_sums(self) -> Array:
        """Σ_j v_ij a_ij."""
        return self._summed(self._special.data * self._values.astype(np.float64), lambda base: base.row_sums)

    @cached_property
    def row_weights(self) -> Array:
        """Σ_j v_ij: how many observations a row has, in units of weight."""
        every = np.full(self.shape[0], float(self.shape[1]))
        return self._summed(self._special.data.astype(np.float64), lambda base: every)

    @cached_property
    def row_counts(self) -> Array:
        """How many entries of each row are known."""
        indptr = self._special.indptr
        known = np.concatenate([[0], np.cumsum(self._weights > 0)])
        counts: Array = known[indptr[1:]] - known[indptr[:-1]]
        return counts if self.base is None else counts + self.shape[1] - np.diff(indptr)

    @cached_property
    def row_logs(self) -> Array:
        """Σ_j v_ij a_ij log v_ij."""
        weights, values = self._weights.astype(np.float64), self._values.astype(np.float64)
        logs = np.log(weights, out=np.zeros(len(weights)), where=weights > 0)
        usual = np.log(self.outside) if self.outside > 0 else 0.0
        return self._summed((weights * logs - self.outside * usual) * values, lambda base: usual * base.row_sums)

    @property
    def _weights(self) -> Array:
        """v of the special entries."""
        weights: Array = self._special.data + self.dtype.type(self.outside)
        return weights

    @property
    def digest(self) -> str:
        """A hash of the numbers and the weights."""
        arrays = [*self.special, np.array([self.outside])]
        return digest_of(arrays) if self.base is None else digest_of(arrays) + self.base.digest

    @cached_property
    def _thin(self) -> tuple[Array, sp.csr_array, Array] | None:
        """(which, weights, values) of the rows of which less is known than unknown, by their known entries.

        Taking most of a sum away from itself would leave rounding, so these rows are summed by what is known.
        """
        unknown = self.shape[1] - self.row_counts
        which = unknown > self.row_counts
        if self.base is None or not which.any():
            return None
        lines, columns, weights, values = [], [], [], []
        for i in np.flatnonzero(which):
            own = slice(self._special.indptr[i], self._special.indptr[i + 1])
            v = np.full(self.shape[1], self.outside, self.dtype)
            v[self._special.indices[own]] = self._weights[own]
            known = np.flatnonzero(v > 0)
            lines.append(np.full(len(known), i))
            columns.append(known)
            weights.append(v[known])
            values.append(self.base.rows(i, i + 1)[0, known])
        place = np.concatenate(lines), np.concatenate(columns)
        thin = sp.csr_array((np.concatenate(weights), place), shape=self.shape)
        return which, thin, np.concatenate(values).astype(self.dtype)

    def systems(self, lo: int, hi: int, fixed: Array, gram: Array | None) -> Array:
        """(Σ_j v a f, Σ_j v f fᵀ) of each row, packed; ``gram`` is fixedᵀ fixed, where the base is read."""
        rank = fixed.shape[1]
        systems = np.zeros((hi - lo, kernels.row_systems.width(rank)))
        if self.base is not None and gram is not None:
            product = np.empty((hi - lo, rank), self.dtype)
            self.base.product(lo, hi, fixed, product)
            systems[:, :rank] = self.outside * product.astype(np.float64, copy=False)
            systems[:, rank:] = self.outside * gram[kernels.row_systems.triangle(rank)]
        indptr, indices, values, weights = self.special
        kernels.row_systems.weighted_systems(indptr[lo : hi + 1], indices, values, weights, fixed, systems)
        if self._thin is not None:
            which, thin, values = self._thin
            systems[which[lo:hi]] = 0
            kernels.row_systems.weighted_systems(
                thin.indptr[lo : hi + 1], thin.indices, values, thin.data, fixed, systems
            )
        return systems

    def weight_sums(self, lo: int, hi: int, fixed: Array, sums: Array) -> Array:
        """Σ_j v_ij f_j of each row, rows × k; ``sums`` is fixedᵀ1."""
        wide = fixed.astype(np.float64, copy=False)
        rows: Array = self._special[lo:hi].astype(np.float64) @ wide
        if self.base is None:
            return rows
        rows += self.outside * sums
        if self._thin is not None:
            which, thin, _ = self._thin
            rows[which[lo:hi]] = (thin[lo:hi].astype(np.float64) @ wide)[which[lo:hi]]
        return rows

    @cached_property
    def counts(self) -> SparseData:
        """v_ij a_ij, where it is not 0."""
        if self._transpose is not None and "counts" in vars(self._transpose):
            return self._transpose.counts.T
        special = (self._special.data * self._values, self._special.indices, self._special.indptr)
        whole = sp.csr_array(special, shape=self.shape)
        if self.base is not None:
            base = sp.csr_array(self.base.some(np.arange(self.shape[0]), None))
            whole = sp.csr_array(self.dtype.type(self.outside) * base + whole)
        whole.data[whole.data < 0] = 0  # rounding of ω₀a + δa where v is 0
        return SparseData.from_scipy(whole, self.dtype)

    def entries(self, lo: int, hi: int) -> tuple[Array, Array, Array]:
        """(indptr, indices, v·a) where that is above 0."""
        return self.counts.entries(lo, hi)

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """Σ_j v_ij a_ij f_j."""
        self.counts.product(lo, hi, factor, out)

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, unknown entries 0."""
        if self.base is not None:
            rows: Array = self.base.rows(lo, hi)
            return rows
        special = self._special[lo:hi]
        values = self._values[self._special.indptr[lo] : self._special.indptr[hi]]
        return np.asarray(sp.csr_array((values, special.indices, special.indptr), shape=special.shape).toarray())

    def row_wise(self) -> Observed:
        if self.base is None:
            return self
        twin = copy(self)
        twin.base = self.base.row_wise()
        return twin

    @property
    def dense(self) -> bool:  # type: ignore[override]
        """Whether the base is an array."""
        return isinstance(self.base, DenseData)

    def filled(self, level: Array, axis: int) -> DenseData:
        """An array with the mean of its row (axis 0) or column for an unknown entry."""
        filled = np.array(self.base.rows(0, self.shape[0]))
        holes = self._special.tocoo()
        places = holes.row[self._weights <= 0], holes.col[self._weights <= 0]
        filled[places] = level[places[axis]]
        return DenseData(filled)


def _turned(weights: sp.csr_array, values: Array) -> tuple[sp.csr_array, Array]:
    """Weights and values by columns; stored zeros stay."""
    order = sp.csr_array((np.arange(weights.nnz), weights.indices, weights.indptr), shape=weights.shape).tocsc()
    place = order.data.astype(np.int64)
    parts = (weights.data[place], order.indices, order.indptr)
    return sp.csr_array(parts, shape=weights.shape[::-1]), values[place]
