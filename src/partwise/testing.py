"""The laws as checks that anybody can run on an update, a matrix, a start or a stopping rule of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.penalties import Penalty
from partwise.data.products import product
from partwise.engine.step import Step
from partwise.engine.stopping import Reason, Rule
from partwise.inits.base import Init
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Update

__all__ = ["check_data", "check_init", "check_penalty", "check_stop", "check_update"]


def check_update(update: Update, gram: Array, rhs: Array, factor: Array) -> None:
    """Law 1: row-wise to rounding, ≥ 0, shape and dtype kept, inputs untouched, the same each time."""
    inputs = [np.array(gram), np.array(rhs), np.array(factor)]
    result = update(gram, rhs, factor)
    _require(result.shape == factor.shape, update, f"changed the shape {factor.shape} to {result.shape}")
    _require(result.dtype == factor.dtype, update, f"changed the dtype {factor.dtype} to {result.dtype}")
    _require(bool(np.all(np.isfinite(result))), update, "gave an entry that is not finite")
    _require(bool(np.all(result >= 0)), update, "gave a negative entry")
    for before, after, name in zip(inputs, (gram, rhs, factor), ("gram", "rhs", "factor"), strict=True):
        _require(np.array_equal(before, after), update, f"changed its input {name}")
    _require(np.array_equal(result, update(gram, rhs, factor)), update, "gave another result the second time")
    if update.cold:
        other = update(gram, rhs, np.ascontiguousarray(factor[::-1]))
        _require(np.array_equal(result, other), update, "is cold, yet reads the factor")
    _check_rows(update, gram, rhs, factor, result)


def _check_rows(update: Update, gram: Array, rhs: Array, factor: Array, result: Array) -> None:
    """Each row by itself, and the rows in another order, give what they gave together."""
    size = abs(result).max() if update.cold else max(abs(result).max(), abs(factor).max())
    near = float(np.sqrt(np.finfo(factor.dtype).eps) * size)
    for i in range(len(rhs)):
        alone = update(gram, rhs[i : i + 1], factor[i : i + 1])[0]
        _require(_same_row(gram, rhs[i], alone, result[i], near), update, f"makes row {i} depend on other rows")
    turned = update(gram, np.ascontiguousarray(rhs[::-1]), np.ascontiguousarray(factor[::-1]))[::-1]
    for i in range(len(rhs)):
        _require(_same_row(gram, rhs[i], turned[i], result[i], near), update, f"makes row {i} depend on its place")


def _same_row(gram: Array, r: Array, one: Array, two: Array, near: float) -> bool:
    """The same row to rounding; with a singular gram there are many minimisers, so equal objectives will do."""
    if np.allclose(one, two, rtol=0, atol=near):
        return True
    values = [float(0.5 * x @ gram @ x - r @ x) for x in (one.astype(np.float64), two.astype(np.float64))]
    small = float(np.linalg.eigvalsh(gram)[0]) <= 1e-8 * float(np.trace(gram))
    return small and abs(values[0] - values[1]) <= 1e-6 * max(abs(values[0]), abs(values[1]))


def check_data(data: Data, dense: Array) -> None:
    """The protocol's law: blocks cover the rows, products, norms, rows and transpose are those of ``dense``."""
    rng = np.random.default_rng(0)
    for matrix, wanted in ((data, dense), (data.T, dense.T)):
        _require(matrix.shape == wanted.shape, data, f"has shape {matrix.shape}, not {wanted.shape}")
        edges = [lo for lo, _ in matrix.blocks] + [matrix.blocks[-1][1]]
        _require(edges == sorted(set(edges)) and edges[0] == 0 and edges[-1] == len(wanted), data, "loses rows")
        factor = rng.random((wanted.shape[1], 3)).astype(matrix.dtype)
        drawn = np.flatnonzero(rng.random(len(wanted)) < 0.5)
        with Workers(2) as workers:
            products = product(matrix, factor, workers)
            some = matrix.some(drawn, workers)
        _require(np.array_equal(some.toarray() if sp.issparse(some) else some, wanted[drawn]), data, "takes wrong rows")
        tol = 1e-4 if matrix.dtype == np.float32 else 1e-12
        scale = max(1e-300, float(abs(wanted @ factor).max()))
        _require(np.allclose(products, wanted @ factor, rtol=0, atol=tol * scale), data, "multiplies wrongly")
        norms = (wanted.astype(np.float64) ** 2).sum(axis=1)
        _require(np.allclose(matrix.row_norms2, norms, rtol=1e-12), data, "has wrong row norms")
        _require(np.isclose(matrix.norm2, norms.sum(), rtol=1e-12), data, "has a wrong norm")
        lo, hi = matrix.blocks[0]
        _require(np.array_equal(matrix.rows(lo, hi), wanted[lo:hi]), data, "gives wrong rows")
        _require(matrix.T.shape == wanted.T.shape, data, "has a wrong transpose")


def check_penalty(penalty: Penalty, rank: int) -> None:
    """The law of penalties: a symmetric matrix, a linear part of k numbers or rows × k, and what they declare."""
    matrix, linear = penalty.matrix(rank), penalty.linear(rank)
    _require(matrix.shape == (rank, rank), penalty, f"has a matrix of shape {matrix.shape}, not {(rank, rank)}")
    _require(bool(np.all(np.isfinite(matrix)) and np.array_equal(matrix, matrix.T)), penalty, "is not symmetric")
    _require(not penalty.nonnegative or bool(matrix.min() >= 0), penalty, "says nonnegative, yet has negative entries")
    low = float(np.linalg.eigvalsh(matrix)[0])
    _require(not penalty.convex or low >= -1e-12 * abs(matrix).max(), penalty, "says convex, yet is indefinite")
    _require(linear is None or linear.shape[-1] == rank, penalty, f"has no linear part for {rank} components")
    _require(penalty == penalty, penalty, "is not equal to itself")


def check_init(init: Init, data: Data, rank: int, seed: int = 0) -> Array:
    """The law of starts: m × k, ≥ 0, finite, not zero, in the data's precision, the same for the same seed."""
    starts = []
    for threads in (1, 2):
        with Workers(threads) as workers:
            start: Any = init(data, rank, np.random.default_rng(seed), workers)
        starts.append(start.toarray() if sp.issparse(start) else start)
    w = starts[0]
    _require(w.shape == (data.shape[0], rank), init, f"gave shape {w.shape}, not {(data.shape[0], rank)}")
    _require(w.dtype == data.dtype, init, f"gave {w.dtype}, not {data.dtype}")
    _require(bool(np.all(np.isfinite(w)) and np.all(w >= 0)), init, "gave an entry that is not a number ≥ 0")
    _require(bool(w.any()), init, "gave a zero W")
    _require(np.array_equal(w, starts[1]), init, "depends on the number of threads, or cannot be seeded")
    return np.asarray(w)


def check_stop(rule: Rule, steps: list[Step]) -> None:
    """The law of rules: a reason or None, a pure function of the step, silent before the burn-in and in between."""
    answers = [rule(step) for step in steps]
    _require(all(a is None or isinstance(a, Reason) for a in answers), rule, "gave something that is no reason")
    again = [rule(step) for step in reversed(steps)][::-1]
    _require(answers == again, rule, "remembers what it was asked before")
    for step, answer in zip(steps, answers, strict=True):
        asked = step.iteration >= rule.burn_in and (step.iteration - rule.burn_in) % rule.every == 0
        _require(asked or answer is None, rule, f"spoke at iteration {step.iteration}, which is not its turn")


def _require(holds: bool, what: object, sentence: str) -> None:
    if not holds:
        raise AssertionError(f"{type(what).__name__} {sentence}.")
