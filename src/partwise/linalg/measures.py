"""What is measured on a factor: sparsity, storage, topics that are the same."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import is_whole
from partwise.data.entry_checks import float_type
from partwise.data.sparse_structure import check_structure
from partwise.linalg.matching import unit_columns
from partwise.types import Array

LINES = 2**12
"""Rows of a factor that are counted at a time, so that they stay in the cache while all is counted."""


def hoyer(x: Any, axis: int | None = None) -> Any:
    """Hoyer's sparsity (√n − ‖x‖₁/‖x‖₂)/(√n − 1): 0 for equal entries, 1 for a single one.

    With ``axis`` it is taken of every vector along that axis (1: rows, 0: columns), else of all entries together. A
    zero vector and a vector of length 1 have none: NaN.
    """
    if sp.issparse(x):
        check_structure(x)
    array = sp.coo_array(x) if sp.issparse(x) else _numbers(x)
    float_type(array.dtype, "A vector")
    if axis is not None and not (is_whole(axis) and -array.ndim <= axis < array.ndim):
        raise ValueError(f"axis must be None or an axis of an array of {array.ndim} dimensions, not {axis!r}.")
    size = int(np.prod(array.shape)) if axis is None else array.shape[axis]
    if size == 0:
        raise ValueError("An empty vector has no sparsity.")
    values = abs(array.astype(np.float64))
    stored = values.data if sp.issparse(values) else values
    if not np.isfinite(stored).all():
        raise ValueError("A vector must hold finite numbers to have a sparsity; remove NaN and infinite ones.")
    values = _within_range(values, axis)
    ones = np.asarray(values.sum(axis=axis))
    twos = np.sqrt(np.asarray((values * values).sum(axis=axis)))
    result = _from_norms(ones, twos, size)
    return float(result) if result.ndim == 0 else result


def _numbers(x: Any) -> Array:
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError("The vectors must be of one length.") from None


def _within_range(values: Any, axis: int | None) -> Any:
    """Every vector times a power of two that puts its largest entry near 1: its sparsity is the same, to the bit."""
    sparse = sp.issparse(values)
    largest = values.max(axis=axis)
    power = -np.frexp(largest.toarray() if sp.issparse(largest) else largest)[1]
    if not sparse:
        return np.ldexp(values, power if axis is None else np.expand_dims(power, axis))
    each = power if axis is None else power[values.coords[1 - axis % values.ndim]]
    return sp.coo_array((np.ldexp(values.data, each), values.coords), shape=values.shape)


def _from_norms(ones: Array, twos: Array, size: int) -> Array:
    """Hoyer's sparsity from ‖x‖₁ and ‖x‖₂."""
    root = np.sqrt(size)
    ratio = np.divide(ones, twos, out=np.full(twos.shape, np.nan), where=twos > 0)
    sparsity: Array = (root - ratio) / (root - 1) if size > 1 else np.full(twos.shape, np.nan)
    return sparsity


def sparsity_of(ones: Array, squares: Array, size: int) -> Array:
    """Hoyer's sparsity of vectors of length ``size`` from their sums and their sums of squares."""
    return _from_norms(np.asarray(ones), np.sqrt(squares), size)


def tally(factor: Array) -> tuple[Any, ...]:
    """What is counted on some rows ≥ 0 and can be added: entries above zero, the sparsities of the rows (their sum, and
    how many have one), zero rows, and each column's sum and sum of squares; some rows at a time, in float64."""
    counts = [_tally(factor[lo : lo + LINES]) for lo in range(0, len(factor), LINES)]
    return tuple(sum(each[1:], each[0]) for each in zip(*counts, strict=True))


def _tally(factor: Array) -> tuple[Any, ...]:
    values = factor.astype(np.float64, copy=False)
    squares = values * values
    ones = values.sum(axis=1)
    sparsities = sparsity_of(ones, squares.sum(axis=1), factor.shape[1])
    known = sparsities[~np.isnan(sparsities)]
    filled, zero = int(np.count_nonzero(values)), int(np.count_nonzero(ones == 0))
    return filled, float(known.sum()), len(known), zero, values.sum(axis=0), squares.sum(axis=0)


def mean_sparsity(factor: Array, axis: int) -> tuple[float, int]:
    """(the mean Hoyer sparsity along an axis, how many zero vectors were left out)."""
    sparsities = hoyer(factor, axis=axis)
    known = sparsities[~np.isnan(sparsities)]
    zero = int((~factor.any(axis=axis)).sum())
    return (float(known.mean()) if len(known) else float("nan")), zero


def sparse_bytes(factor: Array) -> int:
    """What a factor takes in compressed sparse rows with 32-bit indices."""
    filled = int(np.count_nonzero(factor))
    return filled * (factor.itemsize + 4) + 4 * (len(factor) + 1)


def duplicate_topics(gram: Array, cosine: float = 0.999) -> tuple[tuple[int, int], ...]:
    """The pairs of columns, by their gram, whose angle has a cosine above ``cosine``."""
    length = np.sqrt(np.diag(gram))
    product = np.outer(length, length)
    cosines = np.divide(gram, product, out=np.zeros_like(gram), where=product > 0)
    pairs = np.argwhere(np.triu(cosines, 1) > cosine)
    return tuple((int(a), int(b)) for a, b in pairs)


def topic_cosines(w: Array) -> Array:
    """The cosine of every two columns of W; 1 on the diagonal, also where a column is dead."""
    unit = unit_columns(w)
    cosines: Array = np.clip(unit.T @ unit, 0, 1)
    np.fill_diagonal(cosines, 1)
    return cosines
