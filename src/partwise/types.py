"""The nouns that every room shares: the half-step with its law, the step, and what is measured at a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
        self.prepare(np.asarray(gram, np.float64))(rhs, factor, out)
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


@dataclass(frozen=True)
class Optimality:
    """How far a pair is from a stationary point, and the zeros that should not be zero."""

    residual: float | None
    """The KKT residual r; None where it is not defined."""
    locked_w: int
    locked_h: int
    bounded: bool
    """Whether the penalised row problems have a minimum."""


@dataclass(frozen=True)
class Check:
    """The stationarity check at a pair, with the two products that it took."""

    optimality: Optimality
    rhs_w: Any
    """A H, as rows of W."""
    rhs_h: Any
    """AᵀW, as rows of H."""


@dataclass(frozen=True)
class StartCost:
    """What a start took: seconds, and the bytes of W⁽⁰⁾ as it came, sparse or dense."""

    seconds: float
    nbytes: int


@dataclass(frozen=True)
class Momentum:
    """The extrapolation's memory, part of a step so that a run can be taken up again."""

    beta: float
    ceiling: float
    w: Array
    """The point ahead of W, from which the next H is made."""
    gram_w: Array
    h: Array
    """H before it was moved ahead."""
    rhs: Array | None = None
    """Aᵀ times the point ahead of W, where the pass that made it left it."""


@dataclass(frozen=True, eq=False)
class Step:
    """The pair after an iteration; its arrays are never written again. ``error`` is ‖A − WH‖_F / ‖A‖_F."""

    iteration: int
    seconds: float
    error: float
    objective: float
    """‖A − WH‖² with the penalties, which is what the algorithm minimises."""
    w: Array = field(repr=False)
    h: Array = field(repr=False)
    gram_w: Array = field(repr=False)
    gram_h: Array = field(repr=False)
    measure: Callable[[Step], Check] = field(repr=False)
    previous_w: Array | None = field(default=None, repr=False)
    previous_error: float | None = None
    angles: Array | None = field(default=None, repr=False)
    """How far each topic turned since the previous iteration, in degrees; columns as they stand."""
    momentum: Momentum | None = field(default=None, repr=False)
    reseeded: tuple[int, ...] = ()
    """The columns of A that have replaced dead topics so far."""
    reported: Step | None = field(default=None, repr=False)
    """The step as it was reported, where dead topics have been given a new start since."""
    start: StartCost | None = None
    """What W⁽⁰⁾ took, at iteration 0."""
    ready: bool = False
    """Whether H is already the half-step from W, so that the next iteration need not make it again."""
    onward_w: Array | None = field(default=None, repr=False)
    """A h, where the pass that made H left it."""
    onward_h: Array | None = field(default=None, repr=False)
    """AᵀW, where the pass that made W left it."""

    @cached_property
    def check(self) -> Check:
        """The stationarity check at this pair; it costs two products with A, one of which the next step reuses."""
        return self.measure(self)

    @property
    def optimality(self) -> Optimality:
        """What the stationarity check found."""
        return self.check.optimality

    @property
    def checked(self) -> bool:
        """Whether the stationarity check has been made."""
        return "check" in vars(self)

    @property
    def rhs(self) -> Array | None:
        """AᵀW, where the pass that made W or the stationarity check has left it."""
        return self.check.rhs_h if self.checked else self.onward_h

    @property
    def kkt(self) -> float:
        """The KKT residual r at this pair (NaN where it is not defined)."""
        residual = self.optimality.residual
        return float("nan") if residual is None else residual

    @property
    def angle(self) -> float:
        """The largest angle by which a topic turned since the previous iteration, in degrees (NaN at the first)."""
        return float("nan") if self.angles is None else float(self.angles.max())

    @property
    def collapsed(self) -> bool:
        """Whether a whole factor has become zero."""
        return not (np.trace(self.gram_w) > 0 and np.trace(self.gram_h) > 0)

    @property
    def finite(self) -> bool:
        """Whether every number is still finite."""
        return bool(np.isfinite(self.objective))
