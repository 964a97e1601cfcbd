"""The laws as checks that anybody can run on an update, a matrix, a start or a stopping rule of their own."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import Penalty
from partwise.data.as_data import as_data
from partwise.data.products import product
from partwise.engine.half_step import Job, half_step
from partwise.engine.step import Step
from partwise.engine.stopping import MaxIterations, Reason, Rule, Stationarity
from partwise.factorize import factorize, iterate
from partwise.inits.base import Init
from partwise.losses.base import Loss
from partwise.result.factorization import Factorization
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, Update

__all__ = ["check_data", "check_init", "check_loss", "check_penalty", "check_stop", "check_update"]


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


def check_loss(loss: Loss, algorithm: Algorithm, matrix: Any, rank: int = 3, seed: int = 0) -> None:
    """The law of losses, on a dense matrix: Law 1′, the value, descent, stationarity, and freedom from scale.

    Row i of a half-step depends on A[i], the fixed factor and row i alone; the value is the sum of ``entrywise``; a
    monotone algorithm never raises it; a stationary pair is a minimum of ``entrywise`` in every direction; A and cA
    have the same relative errors.
    """
    dense = np.asarray(matrix, np.float64)
    settings: dict[str, Any] = {"algorithm": algorithm, "seed": seed, "init": "random"}
    steps = list(islice(iterate(dense, rank, **settings), 30))
    values = [float(loss.entrywise(dense, step.w @ step.h.T).sum()) for step in steps]
    for step, value in zip(steps, values, strict=True):
        penalties = step.objective - value
        _require(abs(penalties) <= 1e-6 * value + 1e-9, loss, f"has a value of {step.objective}, not {value}")
    rises = [after > before * (1 + 1e-9) for before, after in pairwise(values)]
    _require(not algorithm.monotone or not any(rises), loss, f"rises under {algorithm.name}")
    scaled = list(islice(iterate(dense * 2.0**10, rank, **settings), 10))
    same = all(abs(one.error - two.error) <= 1e-6 for one, two in zip(steps, scaled, strict=False))
    _require(same, loss, "takes another path for A and cA")
    _check_law_1(loss, algorithm, dense, steps[3])
    if loss.stationarity and algorithm.monotone:
        _check_minimum(loss, dense, factorize(dense, rank, stop=[Stationarity(1e-6), MaxIterations(3000)], **settings))


def _check_law_1(loss: Loss, algorithm: Algorithm, dense: Array, step: Step) -> None:
    """Some rows of W by themselves are what they are among the others."""
    w, h = np.asarray(step.w), np.asarray(step.h)
    some, fixed = np.arange(0, len(dense), 3), Factor(h, h.T @ h)
    with Workers(1) as workers:
        whole = half_step(as_data(dense), loss, Job(algorithm.w, fixed, w, w), workers).factor.rows
        part = as_data(np.ascontiguousarray(dense[some]))
        alone = half_step(part, loss, Job(algorithm.w, fixed, w[some], w[some]), workers).factor.rows
    near = np.allclose(np.asarray(whole)[some], alone, rtol=1e-6, atol=1e-9 * float(w.max()))
    _require(near, loss, "makes a row depend on others")
    _require(bool(np.all(np.asarray(whole) >= 0)), loss, "gave a negative entry")


def _check_minimum(loss: Loss, dense: Array, fit: Factorization) -> None:
    """Small moves of either factor from a stationary pair, down into zeros too, do not lower the loss."""
    best, rng = float(loss.entrywise(dense, fit.W @ fit.H).sum()), np.random.default_rng(0)
    for _ in range(10):
        for step in (1e-3, 1e-4):
            w, h = (np.maximum(0, x + step * x.mean() * rng.standard_normal(x.shape)) for x in (fit.W, fit.H))
            moved = min(float(loss.entrywise(dense, a @ b).sum()) for a, b in ((w, fit.H), (fit.W, h)))
            _require(moved >= best * (1 - 1e-7), loss, "calls a pair stationary from which it can go down")


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
