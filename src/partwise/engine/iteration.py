"""An iteration: H⁽ⁱ⁾ from W⁽ⁱ⁻¹⁾, then W⁽ⁱ⁾ from H⁽ⁱ⁾; several starts make theirs in shared passes over A."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from partwise.algorithms.base import Algorithm
from partwise.algorithms.relative import mean_diagonal
from partwise.algorithms.updates.multiplicative import lift
from partwise.data.as_data import as_factor
from partwise.data.passes import map_rows
from partwise.data.products import gram_matrix, product
from partwise.data.sparse_structure import check_structure
from partwise.engine.half_step import Half, Job, half_steps
from partwise.engine.problem import Problem
from partwise.engine.step import StartCost, Step
from partwise.inits.base import declared
from partwise.inits.range import in_range
from partwise.threads.blas import single_threaded_blas
from partwise.types import Array, Factor, FactorRows


def begin(problem: Problem, seeds: Sequence[int | None]) -> list[Step]:
    """Step 0 of each seed: W⁽⁰⁾ and H⁽⁰⁾, the algorithm's own half-step where that needs no earlier H."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        starts = [start_of(problem, seed) for seed in seeds]
        steps = _first_steps(problem, [w for w, _, _ in starts], [h for _, h, _ in starts])
        return [replace(step, start=cost) for step, (_, _, cost) in zip(steps, starts, strict=True)]


def start_of(problem: Problem, seed: int | None) -> tuple[FactorRows, Array | None, StartCost]:
    """W⁽⁰⁾, its own H where it has one, and its cost; a sparse W becomes dense here, at the first update."""
    data, rng, began = problem.data, np.random.default_rng(seed), time.perf_counter()
    start = declared(problem.init)
    seen = data if start.reads_nothing else data.for_starts or data
    w: Any
    w, h = start.pair(seen, problem.rank, rng, problem.workers)
    seconds = time.perf_counter() - began
    if issparse(w):
        check_structure(w, "The start W")
        w = csr_array(w)
        cost = StartCost(seconds, w.data.nbytes + w.indices.nbytes + w.indptr.nbytes)
    else:
        cost = StartCost(seconds, np.asarray(w).nbytes)
    checked = as_factor(w, "The start W", (data.shape[0], problem.rank))
    checked, across = in_range(data, checked, None if h is None else h.T)
    h = None if across is None else np.ascontiguousarray(across.T, data.dtype)
    return data.hold(np.ascontiguousarray(checked, data.dtype)), h, cost


def _first_steps(problem: Problem, bases: Sequence[FactorRows], others: Sequence[Array | None]) -> list[Step]:
    data, workers = problem.data, problem.workers
    pairs = [(w, h) for w, h in zip(bases, others, strict=True) if h is not None]
    if len(pairs) == len(bases):
        return [_given_pair(problem, w, data.T.hold(h)) for w, h in pairs]
    bases = [problem.loss.start(data, w) for w in bases]
    side = problem.at(1).h
    own = problem.loss.first(side)
    # AᵀW⁽⁰⁾ serves H⁽⁰⁾ and the first iteration; many starts, and data that come in parts, go without it.
    kept = own is not side and len(bases) == 1 and data.split is None and problem.loss.gram_form
    factors = [
        Factor(w, gram_matrix(w, data.blocks, workers), product(data.T, w, workers) if kept else None) for w in bases
    ]
    jobs = [Job(own.scaled(mean_diagonal(factor.gram)), factor) for factor in factors]
    halves = half_steps(data.T, problem.loss, jobs, workers)
    if side.update.zero_floor:
        return [problem.pair(w, map_rows(lift, half.factor.rows)) for w, half in zip(bases, halves, strict=True)]
    ready = own is side
    return [
        problem.step(0, factor, half.factor if ready else half.factor.with_rhs(), half.inner, ready=ready)
        for factor, half in zip(factors, halves, strict=True)
    ]


def _given_pair(problem: Problem, w: FactorRows, h: FactorRows) -> Step:
    """A pair as it was given, or, where its loss is infinite, as the loss can begin with it."""
    step, loss = problem.pair(w, h), problem.loss
    return step if step.finite else problem.pair(loss.start(problem.data, w), loss.start(problem.data.T, h))


def advance_plain(problem: Problem, steps: Sequence[Step], algorithm: Algorithm) -> list[Step]:
    """The next iteration of steps that stand at the same one, without momentum."""
    data, loss, workers = problem.data, problem.loss, problem.workers
    waiting = [step for step in steps if not step.ready and step.onward is None]
    jobs = [
        Job(step.own(algorithm).h, step.basis.with_rhs(step.rhs), before=step.h, measured=False) for step in waiting
    ]
    halves = iter(half_steps(data.T, loss, jobs, workers) if jobs else ())
    weights = [step.onward or (step.weights if step.ready else next(halves).factor) for step in steps]
    jobs = [Job(step.own(algorithm, h).w, h, before=step.w, old=step.w) for step, h in zip(steps, weights, strict=True)]
    w_halves = half_steps(data, loss, jobs, workers)
    onward: Sequence[Factor | None] = [None] * len(steps)
    if loss.value_needs_pass and data.split == 1:
        w_halves, onward = _look_onward(problem, steps, weights, w_halves)
    return [
        problem.following(step, half, h.with_rhs(), onward=later)
        for step, half, h, later in zip(steps, w_halves, weights, onward, strict=True)
    ]


def _look_onward(
    problem: Problem, steps: Sequence[Step], weights: Sequence[Factor], halves: Sequence[Half]
) -> tuple[list[Half], list[Factor]]:
    """The inner term of the loss at new pairs whose W lies scattered over parts: the pass makes the next H as well."""
    algorithm = problem.at(steps[0].iteration + 2)
    jobs = [
        Job(step.own(algorithm).h, half.factor, before=h.rows, at_old_rows=True)
        for step, half, h in zip(steps, halves, weights, strict=True)
    ]
    later = half_steps(problem.data.T, problem.loss, jobs, problem.workers)
    measured = [half._replace(inner=next_half.inner) for half, next_half in zip(halves, later, strict=True)]
    return measured, [half.factor for half in later]
