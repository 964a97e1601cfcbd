"""What all kinds of data share: everything that follows from the two protocols, and adapters for a user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse, vstack

from partwise.data.entry_checks import digest_of
from partwise.data.passes import Tall, Task, Walked, total
from partwise.threads.pool import Block, Workers, even_borders
from partwise.types import Array, FactorRows, Local, Part, Walkable


class Matrix:
    """What follows from shape, dtype, rows and squared row lengths for every kind."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    split: int | None = None
    widens: bool = False
    weighted: bool = False
    both_orders: tuple[Array, Array] | None = None

    @property
    def T(self) -> Any:
        """The transpose, of the same kind."""
        raise NotImplementedError

    @cached_property
    def nnz(self) -> int:
        """The number of entries stored."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def nbytes(self) -> int:
        """The bytes of one copy of the numbers."""
        return self.nnz * self.dtype.itemsize

    @cached_property
    def resident(self) -> int:
        """The bytes in this process while a run reads the matrix."""
        return self.nbytes

    def forget_transpose(self) -> None:
        """Let the other side go, which every kind keeps by this name: two that hold each other wait for a gc."""
        vars(self)["_transpose"] = None

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths in float64, a block at a time."""
        blocks = (self.rows(lo, hi).astype(np.float64, copy=False) for lo, hi in self.blocks)
        norms = [np.einsum("ij,ij->i", rows, rows) for rows in blocks]
        return norms[0] if len(norms) == 1 else np.concatenate(norms)

    @cached_property
    def norm2(self) -> float:
        """‖A‖_F²."""
        return float(self.row_norms2.sum())

    @cached_property
    def row_sums(self) -> Array:
        """Row sums in float64, in one pass over the parts."""
        if self.split == 1:
            return np.asarray(sum(part.row_sums for _, _, part in self.parts()))
        return np.concatenate([part.row_sums for _, _, part in self.parts()])

    @property
    def for_starts(self) -> Any:
        """The matrix as a start may read it; None where only a start that reads nothing will do."""
        return self

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What a loss has computed of the data once and for all."""
        return {}

    @cached_property
    def digest(self) -> str:
        """A hash of the lengths of all rows and columns."""
        return digest_of([self.row_norms2, self.T.row_norms2])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Row blocks of equal size."""
        return even_borders(self.shape[0], self.nnz / self.shape[0] + 8)

    def rows(self, lo: int, hi: int) -> Array:
        """A[lo:hi], dense."""
        raise NotImplementedError

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Any]]:
        """(lo, hi, part) in order, each valid until the next is asked for."""
        raise NotImplementedError

    def for_many_products(self, columns: int) -> Any:
        """The same matrix, as it is best for several products with factors of so many columns."""
        return self

    def row_wise(self) -> Any:
        """The same matrix, whose products give a row the same bits wherever it stands."""
        return self

    def hold(self, factor: Array) -> Any:
        """A factor of these rows, kept where the rows are: here."""
        return factor

    def hand_out(self, factor: FactorRows) -> Any:
        """A factor of these rows as the user gets it."""
        return factor


class LocalData(Matrix):
    """A matrix in memory."""

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """out = A[lo:hi] @ factor."""
        raise NotImplementedError

    def clipped_product(self, factor: Array) -> Callable[..., None] | None:
        """No such kernel unless a kind has one (see :class:`partwise.types.Part`)."""
        return None

    @cached_property
    def row_sums(self) -> Array:
        """Row sums in float64, a block at a time."""
        return np.concatenate([self.rows(lo, hi).sum(axis=1, dtype=np.float64) for lo, hi in self.blocks])

    def entries(self, lo: int, hi: int) -> tuple[Array, Array, Array]:
        """The entries above 0 of dense rows."""
        rows = csr_array(self.rows(lo, hi))
        return rows.indptr, rows.indices, rows.data

    def some(self, rows: Array, workers: Workers) -> Any:
        """A[rows]."""
        pieces = [np.empty((0, self.shape[1]), self.dtype), *(self.rows(int(i), int(i) + 1) for i in rows)]
        return np.concatenate(pieces)

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Any]]:
        """All of it."""
        yield 0, self.shape[0], self


class PartedData(Matrix):
    """A matrix that comes in parts one after the other in this process; factors are plain arrays here."""

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """(lo, hi, part) in order, each valid until the next is asked for."""
        raise NotImplementedError

    def walk(
        self,
        task: Task,
        tall: Sequence[Tall],
        shared: Sequence[Array],
        workers: Workers,
        shares: Sequence[int] = (),
        both: bool = False,
    ) -> Walked:
        """A task for each part, one after the other."""
        long, short = self.shape[:: -1 if self.split == 1 else 1]
        added = [np.zeros((short, width), self.dtype) for width in shares]
        whole: list[Array] = []
        sums: list[Any] = []
        for lo, hi, part in self.parts(both):
            rows, terms = task(part, [arrays.at(lo, hi) for arrays in tall], shared, added, workers)
            sums += terms
            if hi - lo == long:
                whole = rows
                break
            whole = whole or [np.empty((long, width), self.dtype) for width in task.widths]
            for all_rows, some in zip(whole, rows, strict=True):
                all_rows[lo:hi] = some
        return Walked(whole, total(sums), added)

    def some(self, rows: Array, workers: Workers) -> Any:
        """A[rows]: a CSR array where A is sparse, else an array."""
        chosen = np.zeros((self.shape[0], 1), bool)
        chosen[rows] = True
        if self.split == 1:
            return self.walk(_ChosenRows(axis=1), [], [chosen], workers).sums[0].whole
        return self.walk(_ChosenRows(axis=0), [Tall(factor=chosen)], [], workers).sums[0].whole

    def rows(self, lo: int, hi: int) -> Array:
        """Some rows, dense, gathered from the parts that have them."""
        if self.split == 1:
            return np.concatenate([np.array(part.rows(lo, hi)) for _, _, part in self.parts()], axis=1)
        pieces = [
            np.array(part.rows(max(lo, first) - first, min(hi, end) - first))
            for first, end, part in self.parts()
            if first < hi and lo < end
        ]
        return np.concatenate(pieces)

    def derived(self, change: Callable[[Any, int], Any]) -> Any:
        """The matrix whose parts are change(part, first row), rows along the long axis, made anew in every pass."""
        from partwise.data.derived import DerivedData  # which is a matrix in parts itself

        return DerivedData.of(self, change)


@dataclass(frozen=True)
class _ChosenRows:
    """The chosen rows of a part."""

    axis: int
    widths: tuple[int, ...] = ()

    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Any, workers: Workers
    ) -> tuple[list[Array], list[Any]]:
        chosen: Any = shared[0] if self.axis else tall[0].factor
        return [], [[Pieces((part.some(np.flatnonzero(chosen), workers),), self.axis)]]


@dataclass(frozen=True)
class Pieces:
    """Pieces of a matrix; their sum is one behind the other along the axis."""

    pieces: tuple[Any, ...]
    axis: int

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces(self.pieces + other.pieces, self.axis)

    @property
    def whole(self) -> Any:
        """All of them as one matrix."""
        if not issparse(self.pieces[0]):
            return np.concatenate(self.pieces, self.axis)
        return csr_array((vstack, hstack)[self.axis](self.pieces))


class OwnData(LocalData):
    """A user's own object that keeps the law of :class:`partwise.types.Local`."""

    def __init__(self, matrix: Local, transpose: OwnData | None = None) -> None:
        self._matrix, self._transpose = matrix, transpose
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = np.dtype(matrix.dtype)
        for name in ("nnz", "nbytes", "resident", "digest", "widens", "blocks", "row_norms2", "some"):
            if hasattr(matrix, name):
                vars(self)[name] = getattr(matrix, name)
        self.product, self.rows = matrix.product, matrix.rows  # type: ignore[method-assign]

    @cached_property
    def digest(self) -> str:
        """A hash of all row lengths and of the products with two columns of random numbers."""
        factor, out = (
            np.random.default_rng(0).random((self.shape[1], 2)).astype(self.dtype),
            np.empty((self.shape[0], 2)),
        )
        for lo, hi in self.blocks:
            rows = np.empty((hi - lo, 2), self.dtype)
            self.product(lo, hi, factor, rows)
            out[lo:hi] = rows
        return digest_of([self.row_norms2, out])

    @property
    def T(self) -> OwnData:
        """The transpose, asked for once."""
        if self._transpose is None:
            self._transpose = OwnData(self._matrix.T, self)
        return self._transpose


class OwnParts(PartedData):
    """A user's own object that keeps the law of :class:`partwise.types.Walkable`."""

    def __init__(
        self, matrix: Walkable, as_part: Callable[[Any], LocalData], transpose: OwnParts | None = None
    ) -> None:
        self._matrix, self._as_part, self._transpose = matrix, as_part, transpose
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        self.dtype = np.dtype(matrix.dtype)
        self.split = matrix.split
        for name in ("nnz", "nbytes", "resident", "digest", "row_norms2"):
            if hasattr(matrix, name):
                vars(self)[name] = getattr(matrix, name)

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, LocalData]]:
        """The object's own parts, each checked as any matrix is."""
        for lo, hi, part in self._matrix.parts():
            yield lo, hi, self._as_part(part)

    @property
    def T(self) -> OwnParts:
        """The other side, asked for once."""
        if self._transpose is None:
            self._transpose = OwnParts(self._matrix.T, self._as_part, self)
        return self._transpose

    @cached_property
    def row_norms2(self) -> Array:
        """Squared row lengths, in one pass over the parts."""
        if self.split == 0:
            return np.concatenate([part.row_norms2 for _, _, part in self.parts()])
        norms = np.zeros(self.shape[0])
        for _, _, part in self.parts():
            norms += part.row_norms2
        return norms
