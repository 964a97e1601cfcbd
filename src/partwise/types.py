"""The nouns that every room shares, each with its law: data, factors, updates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


class Local(Protocol):
    """A nonnegative matrix in memory: what ``as_data`` takes from a user's own class.

    Law: ``product`` over consecutive ranges of rows is A @ factor, ``rows`` are A's rows, dense, and ``T`` is the
    transpose of the same numbers as another such object. What else the engine asks for follows from these; an object
    that has ``blocks``, ``row_norms2``, ``nnz``, ``nbytes``, ``resident``, ``digest``, ``widens`` or ``some`` is asked
    itself.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def T(self) -> Local: ...
    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """out = A[lo:hi] @ factor."""
        ...

    def rows(self, lo: int, hi: int) -> Array:
        """A[lo:hi], dense."""
        ...


class Part(Protocol):
    """A matrix in memory as a pass sees it: all of the data, or a part of them along one axis."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def widens(self) -> bool: ...
    @property
    def blocks(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def row_norms2(self) -> Array: ...
    @property
    def row_sums(self) -> Array: ...
    @property
    def T(self) -> Part: ...
    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """out = A[lo:hi] @ factor."""
        ...

    def clipped_product(self, factor: Array) -> Callable[..., None] | None:
        """(lo, hi, square, old, measured, out, inner, dots) -> rows max(0, A[lo:hi] · factor · square) and their sums.

        None where there is no kernel that makes them without the right-hand side of a whole block.
        """
        ...

    def rows(self, lo: int, hi: int) -> Array:
        """A[lo:hi], dense."""
        ...

    def entries(self, lo: int, hi: int) -> tuple[Array, Array, Array]:
        """(indptr, indices, values) of the entries above 0 in A[lo:hi]; ``indptr`` points into the other two."""
        ...

    def some(self, rows: Array, workers: Any) -> Any:
        """A[rows]: a CSR array where A is sparse, else an array."""
        ...


class Walkable(Protocol):
    """A nonnegative matrix that comes in parts along one axis: what else ``as_data`` takes from a user's own class.

    Law: ``parts`` gives (lo, hi, matrix) in order, the rows lo:hi where ``split`` is 0 and the columns where it is 1,
    without gaps, as often as it is asked; a part may be any matrix that ``as_data`` takes and need not outlive the
    next one. ``T`` is the other side of the same parts.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def T(self) -> Walkable: ...
    @property
    def split(self) -> int | None:
        """The axis along which the parts run."""
        ...

    def parts(self) -> Iterator[tuple[int, int, Any]]:
        """The parts in order."""
        ...


class Data(Protocol):
    """A nonnegative matrix as the engine and the starts see it; ``as_data`` makes it."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nnz(self) -> int: ...
    @property
    def nbytes(self) -> int:
        """The bytes of one copy of the numbers, indices included."""
        ...

    @property
    def resident(self) -> int:
        """The bytes in this process while a run reads the matrix, as it was given and as it is walked."""
        ...

    @property
    def digest(self) -> str:
        """A hash of the numbers: the same for the same matrix and kind."""
        ...

    @property
    def widens(self) -> bool:
        """Whether a column of a product has the same bits at any width of the factor, so that starts can share it."""
        ...

    @property
    def split(self) -> int | None:
        """The axis along which the numbers come in parts; None where the matrix is in memory."""
        ...

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """Ranges of rows that a pass takes one by one; they depend on the data alone."""
        ...

    @property
    def T(self) -> Data: ...
    @property
    def row_norms2(self) -> Array:
        """The squared length of each row, in float64."""
        ...

    @property
    def norm2(self) -> float:
        """‖A‖_F², in float64."""
        ...

    @property
    def row_sums(self) -> Array:
        """The sum of each row, in float64."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether entries have weights of their own, or are unknown."""
        ...

    @property
    def both_orders(self) -> tuple[Array, Array] | None:
        """Copies of all numbers by rows and by columns, where they can be had so; asked for of small data alone."""
        ...

    @property
    def for_starts(self) -> Any:
        """The matrix as a start may read it; None where only a start that reads nothing will do."""
        ...

    @property
    def memo(self) -> dict[str, Any]:
        """What a loss has computed of the data once and for all."""
        ...

    def rows(self, lo: int, hi: int) -> Array:
        """A[lo:hi], dense."""
        ...

    def some(self, rows: Array, workers: Any) -> Any:
        """A[rows] for increasing ``rows``: a CSR array where A is sparse, else an array."""
        ...

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Any]]:
        """(lo, hi, the rows or columns lo:hi in memory) in order, each valid until the next is asked for."""
        ...

    def for_many_products(self, columns: int) -> Data:
        """The same matrix, as it is best for several products with factors of so many columns."""
        ...

    def row_wise(self) -> Data:
        """The same matrix, whose products give a row the same bits wherever it stands."""
        ...

    def hold(self, factor: Array) -> Any:
        """A factor of these rows, kept where its rows of A are."""
        ...

    def hand_out(self, factor: Any) -> Any:
        """A factor of these rows as the user gets it."""
        ...


class Spread(ABC):
    """A tall factor that lies in parts where its rows of A lie; ``np.asarray`` brings all of it here."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    ndim: ClassVar[int] = 2

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """The bytes of all of it."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    @abstractmethod
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array: ...

    @abstractmethod
    def map(self, function: Callable[[Array], Array]) -> Spread:
        """The function applied to the rows of each part."""

    @abstractmethod
    def sum(self, function: Callable[[Array], Any]) -> Any:
        """The results of the function on the rows of each part, added in a fixed order."""


FactorRows: TypeAlias = Array | Spread
"""The rows of a tall factor (rows × k): an array here, or one that lies in parts on workers."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A tall factor, and what is known of it."""

    rows: FactorRows
    gram: Array
    """rowsᵀ rows, in float64."""
    rhs: FactorRows | None = None
    """A · rows, or Aᵀ · rows, where a pass has left it: the right-hand side of the other factor's half-step."""

    def with_rhs(self, rhs: FactorRows | None = None) -> Factor:
        """The factor with another right-hand side, or with none."""
        return self if rhs is self.rhs else Factor(self.rows, self.gram, rhs)


class Rows(Protocol):
    """A half-step whose gram is fixed: fill ``out`` with the new rows; ``rhs`` and ``factor`` stay untouched."""

    def __call__(self, rhs: Array, factor: Array, out: Array) -> None: ...


@dataclass(frozen=True, eq=False)
class Systems:
    """Rows whose quadratic problems ½ xG_ix − r_i·x are their own (see ``kernels/row_systems``)."""

    packed: Array
    """(r_i, the upper triangle of G_i) of each row."""
    linear: Array
    """What is taken off every r_i, 1 × k or rows × k."""
    ridge: Array
    """What is added to the diagonal of each G_i."""
    free: Array
    """Whether each component may move."""


@dataclass(frozen=True, eq=False)
class SharedGram:
    """Rows whose grams differ from one by a few entries each: G_i = G + Σ_j δ_j f_j f_jᵀ (``kernels/shared_gram``)."""

    entries: tuple[Array, Array, Array, Array]
    """indptr, indices, a and δ of the entries of these rows."""
    fixed: Array
    gram: Array
    right: Array
    """The right-hand sides without the entries: r_i = right_i + Σ_j δ_j a_j f_j."""
    linear: Array
    """What is taken off every r_i, 1 × k or rows × k."""
    ridge: Array
    """What is added to the diagonal of each G_i."""


class Update(ABC):
    """A half-step (gram, rhs, factor) -> factor.

    Law 1: row i of the result depends on ``gram``, ``rhs[i]`` and ``factor[i]`` and nothing else; the result is ≥ 0
    and has the shape and dtype of ``factor``; the inputs are left untouched.

    Rows that ``prepare`` returns may have an attribute ``square``: then they are max(0, rhs · square), and sparse data
    make them without ever holding the right-hand side.
    """

    cold: ClassVar[bool] = False
    """The result does not read ``factor``."""
    monotone: ClassVar[bool] = True
    """The row's objective ½ xGxᵀ − r·x never rises."""
    needs_convex: ClassVar[bool] = True
    """The gram must be positive semidefinite."""
    needs_nonnegative_gram: ClassVar[bool] = False
    """The gram must have no negative entry."""
    linear: ClassVar[bool] = True
    """A linear penalty, which can make entries of ``rhs`` negative, is minimised like the rest of the objective."""
    quadratic: ClassVar[bool] = True
    """A quadratic penalty, which is added to the gram, is minimised like the rest of the objective."""
    zero_floor: ClassVar[float] = 0.0
    """Above 0 an entry that is zero stays zero, and this fraction of the row's mean stands for zero at a start."""
    ahead_floor: ClassVar[float] = 0.0
    """The fraction of an entry that momentum leaves of it where it would carry it below zero."""
    constraint: str = ""
    """What the rows hold besides x ≥ 0, in words; momentum and a polish would undo it."""
    fixed: tuple[int, ...] = ()
    """The components that stay as they are."""
    own_systems: ClassVar[bool] = False
    """Rows can have grams of their own, as weights and unknown entries give them (``solve_systems``)."""
    shared_gram: ClassVar[bool] = False
    """The same without forming those grams, where they differ from one by a few entries (``solve_shared``)."""
    needs_memory: ClassVar[bool] = False
    """All entries of a row must be at hand at once, for the rows of both factors."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).items()))

    @abstractmethod
    def prepare(self, gram: Array) -> Rows:
        """Do once per half-step what depends on the float64 ``gram`` alone."""

    def __call__(self, gram: Array, rhs: Array, factor: Array) -> Array:
        out = np.empty_like(factor, order="C")
        rhs, factor = (
            array if array.flags.carray else np.require(array, requirements=["C", "W", "A"]) for array in (rhs, factor)
        )
        self.prepare(np.ascontiguousarray(gram, np.float64))(rhs, factor, out)
        return out

    @property
    def plain_sweeps(self) -> tuple[int, float] | None:
        """(the most sweeps, the gain that settles a row) where the half-step is coordinate sweeps and nothing else.

        On small dense data they are made in one kernel with all that surrounds them.
        """
        return None

    def solve_systems(self, rows: Any, before: Array, out: Array) -> None:
        """Fill ``out`` from a :class:`Systems`, where the half-step takes rows with grams of their own."""
        raise TypeError(f"{type(self).__name__} takes one gram for all rows.")

    def solve_shared(self, rows: SharedGram, before: Array, out: Array, gains: Array) -> None:
        """Fill ``out``, and ``gains`` with 2 r_i·x − xG_ix, where the half-step need not form the grams."""
        raise TypeError(f"{type(self).__name__} forms the gram of every row.")

    def refuses(self, rank: int) -> str | None:
        """Why this half-step cannot work at a rank, or None."""
        return None

    def residual(self, gram: Array) -> Callable[[Array, Array], float] | None:
        """(rhs, factor) -> squared stationarity residual, where the constraint is more than x ≥ 0."""
        return None

    def single(self) -> Update:
        """One pass of it, for a stream, where the next batch goes on."""
        return self

    def exact(self) -> Update | None:
        """The cold update that solves this row problem to the end, where that is not nonnegative least squares."""
        return None


@dataclass(frozen=True, eq=False)
class EntryRows:
    """Some rows of a half-step that sees the entries of A, with all that it may read."""

    entries: Any
    """(indptr, indices, values) of the entries above 0; None where the rows lie scattered over parts."""
    fixed: Any
    sums: Array
    """What one unit of each component adds to the fitted sum of a row, 1 × k or rows × k: fixedᵀ1 with penalties."""
    totals: Array
    """The sum of each row of A."""
    before: Array
    logs: Array
    """Gains (Σ a log(a/y), the entries with y = 0) at the new rows,"""
    logs_before: Array
    """and the same at the rows as they were, where the half-step comes by it."""


class EntryUpdate(Update):
    """A half-step of another loss than the squared one, which sees the entries of its rows of A.

    Law 1′: row i of the result depends on A[i], the fixed factor, its column sums and ``before[i]``; it is ≥ 0 and has
    the shape and dtype of ``before``.
    """

    quadratic: ClassVar[bool] = False
    needs_memory: ClassVar[bool] = True
    ahead_floor = 1e-3  # a row of zeros would fit its entries with 0

    def prepare(self, gram: Array) -> Rows:
        raise TypeError(f"{type(self).__name__} needs the entries of the data, not a Gram matrix.")

    @abstractmethod
    def solve(self, rows: EntryRows, out: Array) -> None:
        """Fill ``out`` from the entries of the rows."""

    def solve_systems(self, rows: EntryRows, systems: Array, out: Array) -> None:
        """Fill ``out`` from the sums (c, M) over the entries of each row, which may lie scattered over parts of A."""
        raise TypeError(f"{type(self).__name__} needs all entries of a row at once.")


class NoMinimum(ValueError):
    """The penalised row problem is unbounded below, so an exact half-step has nothing to find."""
