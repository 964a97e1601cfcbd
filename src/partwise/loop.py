"""The one loop: a generator of steps, from what a user gives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from partwise.algorithm import Algorithm
from partwise.algorithms import as_algorithm
from partwise.blocks import Workers
from partwise.data import as_data
from partwise.inits import as_init
from partwise.problem import Problem
from partwise.starts import Given
from partwise.steps import Step
from partwise.svd import check_rank

DEFAULT_ALGORITHM = "als-hals"


def iterate(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
    init: Any = None,
    seed: int | None = 0,
    threads: int | None = None,
    reseed: bool = True,
) -> Iterator[Step]:
    """The steps of a factorisation, without end: take as many as you like.

    Everything that was given is checked here, before the first step. Step 0 holds W⁽⁰⁾ and its H⁽⁰⁾. The iterator
    ends by itself only when a whole factor has become zero or before a step with a number that is not finite.
    """
    began = time.perf_counter()
    problem = as_problem(matrix, rank, algorithm, init, threads, reseed)
    check_seed(seed)
    return _with_threads(problem, problem.steps(seed, began))


def as_problem(
    matrix: Any, rank: Any, algorithm: Any, init: Any, threads: int | None, reseed: bool = True, restarts: Any = 1
) -> Problem:
    """Check all that was given, before any work."""
    chosen = as_algorithm(algorithm)
    start = as_init(init, chosen, restarts)
    data = as_data(matrix)
    check_rank(rank, data.shape)
    if refusal := chosen.refuses(int(rank), data.shape):
        raise ValueError(refusal)
    if chosen.needs_data and data.split is not None:
        raise ValueError(f"{chosen} needs all of the matrix at hand, so it cannot run on a matrix on disk or on Dask.")
    if isinstance(start, Given):
        start.check(data, int(rank))
    return Problem(data, int(rank), chosen, start, Workers(threads), reseed)


def check_seed(seed: Any) -> None:
    """A whole number from 0 on, or None."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise ValueError(f"seed must be a whole number of at least 0, or None, not {seed!r}.")


def _with_threads(problem: Problem, steps: Iterator[Step]) -> Iterator[Step]:
    """The steps; the threads end with the iterator."""
    with problem.workers:
        for step in steps:
            if step.iteration == 0:
                step.refuse_not_finite()
            if not step.finite:
                return
            yield step
