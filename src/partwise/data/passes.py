"""A pass over data wherever they are: the same task for each part, its rows kept, its sums added in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from partwise.threads.pool import Workers
from partwise.types import Array, Data, FactorRows, Part, Spread

T = TypeVar("T")


class Tall(NamedTuple):
    """Arrays as long as the rows of A that go with them to their parts; None where there is none."""

    factor: Any = None
    """The rows as they were, where the task reads them."""
    rhs: Any = None
    """A · fixed, where it is known."""
    old: Any = None
    """The rows of the iteration before, for comparison."""
    linear: Any = None
    """The linear part of the penalty, for each row or, with one dimension, the same for all."""

    def at(self, lo: int, hi: int) -> Tall:
        """The rows lo:hi of each."""
        return Tall(*(array if array is None or array.ndim == 1 else array[lo:hi] for array in self))


class Task(Protocol):
    """What is done to one part. Law: it depends on the part, the rows that belong to it and ``shared`` alone.

    It returns new rows for the part, one array for each entry of ``widths``, and a list of what is summed over all
    parts (nested tuples of arrays and numbers, in the order of the blocks), and adds to ``shares``, which are as long
    as the other axis.
    """

    @property
    def widths(self) -> Sequence[int]: ...
    def __call__(
        self, part: Part, tall: Sequence[Tall], shared: Sequence[Array], shares: Sequence[Array], workers: Workers
    ) -> tuple[list[Array], list[Any]]: ...


@dataclass(frozen=True)
class Walked:
    """The results of a pass: new factors as long as the parts' axis, the sums, and the shares added up."""

    rows: list[Any]
    sums: Any
    shares: list[Array]


def walk(
    data: Any,
    task: Task,
    tall: Sequence[Tall],
    shared: Sequence[Array],
    workers: Workers,
    share_widths: Sequence[int] = (),
    both: bool = False,
) -> Walked:
    """One pass: ``tall`` go by rows to their parts, ``shared`` go to every part; shares have ``share_widths`` columns.

    ``both`` says that a part is walked along its rows and along its columns. Where the parts run along the columns,
    the caller has gathered the right-hand sides of all rows before: the task then reads nothing of A but its shape and
    blocks, and runs here.
    """
    gathered = data.split == 1 and bool(tall) and all(arrays.rhs is not None for arrays in tall)
    if data.split is None or gathered:
        rows, sums = task(data, tall, shared, (), workers)
        return Walked(rows, total(sums), [])
    walked: Walked = data.walk(task, tall, shared, workers, share_widths, both)
    return walked


def add(one: Any, other: Any) -> Any:
    """Nested sums, place by place; None and None is None."""
    if one is None:
        return None
    if isinstance(one, (tuple, list)):
        return [add(a, b) for a, b in zip(one, other, strict=True)]
    return one + other


def total(terms: Sequence[Any]) -> Any:
    """All of them added, in their order."""
    if not terms:
        return None
    result = terms[0]
    for term in terms[1:]:
        result = add(result, term)
    return result


def map_rows(function: Callable[[Array], Array], factor: FactorRows) -> FactorRows:
    """A factor with the function applied to its rows, a part at a time where it is spread."""
    return factor.map(function) if isinstance(factor, Spread) else function(factor)


def sum_rows(function: Callable[[Array], T], factor: FactorRows) -> T:
    """The function of the rows, added up over the parts where the factor is spread."""
    if isinstance(factor, Spread):
        result: T = factor.sum(function)
        return result
    return function(factor)


def component_totals(factor: FactorRows) -> Array:
    """Fᵀ1, the sum of each column, in float64."""
    totals: Array = sum_rows(lambda rows: rows.sum(axis=0, dtype=np.float64), factor)
    return totals


def held(data: Data, factor: Any) -> Any:
    """A factor of whichever axis the parts of A run along, kept where its rows of A are."""
    return (data if data.split == 0 else data.T).hold(np.asarray(factor))
