"""The nouns that every room shares: the data and the half-step, each with its law."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


class Data(Protocol):
    """A nonnegative matrix as the passes see it: rows in fixed blocks, and its transpose as a matrix of its own.

    Law: ``product`` of all blocks is A @ factor, ``T`` is the transpose of the same numbers, ``rows`` are A's rows.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nnz(self) -> int: ...
    @property
    def widens(self) -> bool:
        """Whether a column of a product has the same bits at any width of the factor, so that starts can share it."""
        ...

    @property
    def nbytes(self) -> int:
        """What one copy of the numbers takes, indices included."""
        ...

    @property
    def digest(self) -> str:
        """A hash of the numbers, by which a run knows its data again; the same for the same matrix and kind."""
        ...

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]: ...
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
    def split(self) -> int | None:
        """The axis along which the numbers come in parts, one after the other; None where all of them are at hand."""
        ...

    def parts(self, both: bool = False) -> Iterator[tuple[int, int, Data]]:
        """(lo, hi, the rows or columns lo:hi in memory) in order, each until the next is asked for.

        ``both`` says that a part is walked along its rows and along its columns.
        """
        ...

    def walk(
        self, task: Any, tall: Any, shared: Any, workers: Any, shares: Sequence[int] = (), both: bool = False
    ) -> Any:
        """A task for each part, wherever the parts are: see :class:`partwise.walks.Walks`."""
        ...

    def hold(self, factor: Any) -> Any:
        """A factor of the split axis, kept where its rows of A are."""
        ...

    def hand_out(self, factor: Any) -> Any:
        """A factor of these rows as the user gets it."""
        ...

    def product(self, lo: int, hi: int, factor: Array, out: Array) -> None:
        """out = A[lo:hi] @ factor, where all the numbers are at hand."""
        ...

    def compressed(self, factor: Array) -> tuple[Array, Array, Array] | None:
        """indptr, indices and values, where a product takes row by row all of this factor; else None."""
        ...

    def rows(self, lo: int, hi: int) -> Array:
        """A[lo:hi], dense."""
        ...

    def some(self, rows: Array, workers: Any) -> Any:
        """A[rows] for increasing ``rows``: a CSR array where A is sparse, else an array."""
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
        """What all of it takes."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    @abstractmethod
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array: ...

    @abstractmethod
    def map(self, function: Callable[[Array], Array]) -> Spread:
        """The function applied to the rows of each part."""

    @abstractmethod
    def sum(self, function: Callable[[Array], Any]) -> Any:
        """What the function finds on the rows of each part, added in a fixed order."""


class Rows(Protocol):
    """A half-step whose gram is fixed: fill ``out`` with the new rows; ``rhs`` and ``factor`` stay untouched."""

    def __call__(self, rhs: Array, factor: Array, out: Array) -> None: ...


class Update(ABC):
    """A half-step (gram, rhs, factor) -> factor.

    Law 1: row i of the result depends on ``gram``, ``rhs[i]`` and ``factor[i]`` and nothing else; the result is ≥ 0
    and has the shape and dtype of ``factor``; the inputs are left untouched.
    """

    cold: ClassVar[bool] = False
    """The result does not read ``factor``."""
    monotone: ClassVar[bool] = True
    """The row's objective ½ xGxᵀ − r·x never rises."""
    needs_convex: ClassVar[bool] = True
    """The gram must be positive semidefinite."""
    needs_nonnegative_gram: ClassVar[bool] = False
    """The gram must have no negative entry."""
    extrapolates: ClassVar[bool] = True
    """A point moved ahead and clipped is as good as any."""
    locks: ClassVar[bool] = False
    """An entry that is zero stays zero."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).items()))

    @abstractmethod
    def prepare(self, gram: Array) -> Rows:
        """Do once per half-step what depends on the float64 ``gram`` alone."""

    def __call__(self, gram: Array, rhs: Array, factor: Array) -> Array:
        out = np.empty_like(factor, order="C")
        rhs, factor = (np.require(given, requirements=["C", "W"]) for given in (rhs, factor))
        self.prepare(np.ascontiguousarray(gram, np.float64))(rhs, factor, out)
        return out

    def refuses(self, rank: int) -> str | None:
        """Why this half-step cannot work at a rank, or None."""
        return None

    def residual(self, gram: Array) -> Callable[[Array, Array], float] | None:
        """(rhs, factor) -> squared stationarity residual, where the constraint is more than x ≥ 0."""
        return None

    def exact(self) -> Update | None:
        """The cold update that solves this row problem to the end, where that is not nonnegative least squares."""
        return None


class DataUpdate(Update):
    """A half-step that must see the data. Its law: row i of the result depends on the fixed factor and A[i]."""

    cold = True

    @abstractmethod
    def solve(self, rows: Array, fixed: Array, out: Array) -> None:
        """Fill ``out`` from dense rows of A and the fixed factor."""

    def prepare(self, gram: Array) -> Rows:
        raise TypeError(f"{type(self).__name__} needs the data itself, not its Gram matrix.")


class NoMinimum(ValueError):
    """The penalised row problem is unbounded below, so an exact half-step has nothing to find."""
