"""The one loop: a generator of steps. Iteration i makes H⁽ⁱ⁾ from W⁽ⁱ⁻¹⁾, then W⁽ⁱ⁾ from H⁽ⁱ⁾."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partwise.algorithms import Algorithm, Extrapolation, Side, as_algorithm
from partwise.blocks import Workers, gram_matrix, product, single_threaded_blas
from partwise.data import as_data
from partwise.half import Half, half, residual2, side_optimality
from partwise.inits import Given, Init, as_init
from partwise.kernels.products import column_dots
from partwise.penalties import unbounded
from partwise.reseeding import reseed_dead
from partwise.stopping import angles_between
from partwise.svd import check_rank
from partwise.types import Array, Data, Momentum, Optimality, Step
from partwise.updates import LeastSquares
from partwise.updates.multiplicative import lift

DEFAULT_ALGORITHM = "als-hals"
DEFAULT_INIT = "random-acol"
LARGEST_FOR_ALP = 40_000
NEAR_EXACT = {8: 1e-10, 4: 1e-4}
"""Squared relative error below which the trace form has lost too many digits, by bytes of a number."""


def iterate(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
    init: Any = DEFAULT_INIT,
    seed: int | None = 0,
    threads: int | None = None,
    reseed: bool = True,
) -> Iterator[Step]:
    """The steps of a factorisation, without end: take as many as you like.

    Everything that was given is checked here, before the first step. Step 0 holds W⁽⁰⁾ and its H⁽⁰⁾. The iterator
    ends by itself only when a whole factor has become zero or a number is no longer finite.
    """
    began = time.perf_counter()
    problem = Problem.of(matrix, rank, algorithm, init, threads, reseed)
    return _with_threads(problem, problem.steps(np.random.default_rng(seed), began))


def _with_threads(problem: Problem, steps: Iterator[Step]) -> Iterator[Step]:
    """The steps; the threads end with the iterator."""
    with problem.workers:
        yield from steps


@dataclass
class Problem:
    """What stays fixed during a run, and the two half-steps on it."""

    data: Data
    rank: int
    algorithm: Algorithm
    init: Init
    workers: Workers
    reseed: bool = True
    stash: tuple[Array, Array] | None = None
    """(W, AᵀW): a product that a stationarity check has made and the next iteration can use."""
    ready: Array | None = None
    """H⁽⁰⁾ where it is already the half-step from W⁽⁰⁾, so that iteration 1 need not make it again."""

    @classmethod
    def of(cls, matrix: Any, rank: Any, algorithm: Any, init: Any, threads: int | None, reseed: bool) -> Problem:
        """Check all that was given, before any work."""
        chosen, start = as_algorithm(algorithm), as_init(init)
        data = as_data(matrix)
        check_rank(rank, data.shape)
        for side in (chosen.w, chosen.h):
            if refusal := side.update.refuses(int(rank)):
                raise ValueError(refusal)
        if chosen.needs_data and data.shape[0] * data.shape[1] > LARGEST_FOR_ALP:
            raise ValueError(
                f"{chosen.name} solves a linear programme for every row and every column and is meant for matrices "
                f"of at most {LARGEST_FOR_ALP:,} entries, not {data.shape[0]:,} × {data.shape[1]:,}; "
                "use anls, or a sample of the data."
            )
        if isinstance(start, Given):
            start.other(data, int(rank))
            start(data, int(rank), np.random.default_rng(0), Workers(1))
        return cls(data, int(rank), chosen, start, Workers(threads), reseed)

    def steps(self, rng: np.random.Generator, began: float) -> Iterator[Step]:
        """All steps from the start on."""
        with single_threaded_blas():
            step = self.first(rng, began)
        yield step
        yield from self.following(step, began)

    def following(self, step: Step, began: float) -> Iterator[Step]:
        """The steps after ``step``."""
        while step.finite and not step.collapsed:
            with single_threaded_blas():
                step = self.advance(step, began)
            yield step

    def first(self, rng: np.random.Generator, began: float) -> Step:
        """Step 0: W⁽⁰⁾ and H⁽⁰⁾, which is the algorithm's own half-step where that needs no earlier H."""
        w = self.init(self.data, self.rank, rng, self.workers)
        given = self.init.other(self.data, self.rank) if isinstance(self.init, Given) else None
        if given is not None:
            return self.pair(0, began, w, given)
        side = self.algorithm.at(1).h
        own = side if side.update.cold else Side(LeastSquares(), side.penalty)
        gram_w = gram_matrix(w, self.data.blocks, self.workers)
        empty = np.zeros((self.data.shape[1], self.rank), self.data.dtype)
        made = half(self.data.T, own, w, gram_w, empty, self.workers)
        if side.update.locks:
            return self.pair(0, began, w, lift(made.factor))
        self.ready = made.factor if side.update.cold else None
        return self.step_of(0, began, w, made.factor, gram_w, made.gram, made.inner)

    def pair(self, iteration: int, began: float, w: Array, h: Array) -> Step:
        """A step that holds a given pair."""
        gram_w = gram_matrix(w, self.data.blocks, self.workers)
        gram_h = gram_matrix(h, self.data.T.blocks, self.workers)
        made = product(self.data.T, w, self.workers)
        inner = sum(self.workers.map(lambda lo, hi: column_dots(made[lo:hi], h[lo:hi]), self.data.T.blocks))
        return self.step_of(iteration, began, w, h, gram_w, gram_h, float(np.sum(inner)))

    def advance(self, step: Step, began: float) -> Step:
        """One iteration, after dead topics have been given another start."""
        if self.reseed:
            step = reseed_dead(self.data, step, self.algorithm.h.update.locks, self.workers)
        algorithm = self.algorithm.at(step.iteration + 1)
        if algorithm.extrapolation is None:
            return self._plain(step, algorithm, began)
        state = step.momentum or Momentum(algorithm.extrapolation.beta, 1.0, step.w, step.gram_w, step.h)
        tried = self._ahead(step, state, algorithm, began)
        if tried.objective <= step.objective:
            return tried
        # The momentum did harm: the try is not reported, and the iteration is made again without it.
        made = self._plain(step, algorithm, began)
        less = state.beta / algorithm.extrapolation.shrink
        return replace(made, momentum=Momentum(less, state.beta, made.w, made.gram_w, made.h))

    def _plain(self, step: Step, algorithm: Algorithm, began: float) -> Step:
        if self.ready is step.h:
            h, gram_h = step.h, step.gram_h
        else:
            rhs = self.stash[1] if self.stash is not None and self.stash[0] is step.w else None
            first = half(self.data.T, algorithm.h, step.w, step.gram_w, step.h, self.workers, rhs=rhs)
            h, gram_h = first.factor, first.gram
        self.stash = self.ready = None
        made = half(self.data, algorithm.w, h, gram_h, step.w, self.workers, old=step.w)
        return self._after(step, began, made, h, gram_h)

    def _ahead(self, step: Step, state: Momentum, algorithm: Algorithm, began: float) -> Step:
        """Ang and Gillis 2019, algorithm 3; the pair is (W, H ahead), whose error comes for nothing."""
        first = half(
            self.data.T,
            algorithm.h,
            state.w,
            state.gram_w,
            step.h,
            self.workers,
            old=state.h,
            beta=state.beta,
        )
        h, gram_h = first.moved
        made = half(self.data, algorithm.w, h, gram_h, state.w, self.workers, old=step.w, beta=state.beta)
        rules = algorithm.extrapolation or Extrapolation()
        beta = min(state.ceiling, rules.growth * state.beta)
        ceiling = min(1.0, rules.ceiling_growth * state.ceiling)
        found = self._after(step, began, made, h, gram_h)
        return replace(found, momentum=Momentum(beta, ceiling, *made.moved, first.factor))

    def _after(self, step: Step, began: float, made: Half, h: Array, gram_h: Array) -> Step:
        """The step that follows, with the angle each topic turned by."""
        lengths = np.sqrt(np.diag(step.gram_w) * np.diag(made.gram))
        same = np.where(np.diag(step.gram_w) == np.diag(made.gram), 1.0, 0.0)
        cosines = np.divide(made.dots, lengths, out=same, where=lengths > 0)
        found = self.step_of(step.iteration + 1, began, made.factor, h, made.gram, gram_h, made.inner)
        return replace(
            found,
            previous_w=step.w,
            previous_error=step.error,
            angles=angles_between(cosines),
            reseeded=step.reseeded,
        )

    def step_of(
        self, iteration: int, began: float, w: Array, h: Array, gram_w: Array, gram_h: Array, inner: float
    ) -> Step:
        """Error and objective by the trace form ‖A‖² − 2<R, X> + <G, XᵀX>; entry by entry near an exact fit."""
        norm2 = self.data.norm2
        error2 = norm2 - 2 * inner + float(np.vdot(gram_w, gram_h))
        if error2 < NEAR_EXACT[self.data.dtype.itemsize] * norm2:
            error2 = residual2(self.data, w, h, self.workers)
        penalties = [
            float(np.vdot(side.penalty.matrix(self.rank), gram))
            for side, gram in ((self.algorithm.w, gram_w), (self.algorithm.h, gram_h))
        ]
        seconds = time.perf_counter() - began
        error = float(np.sqrt(error2 / norm2))
        return Step(iteration, seconds, error, error2 + sum(penalties), w, h, gram_w, gram_h, self.measure)

    def measure(self, step: Step) -> Optimality:
        """The stationarity check of DESIGN section 5 at a step; AᵀW is kept for the next iteration."""
        algorithm = self.algorithm
        kept = np.empty_like(step.h)
        with single_threaded_blas():
            w2, locked_w = side_optimality(self.data, algorithm.w, step.h, step.gram_h, step.w, self.workers)
            h2, locked_h = side_optimality(self.data.T, algorithm.h, step.w, step.gram_w, step.h, self.workers, kept)
        self.stash = (step.w, kept)
        bounded = not any(
            not side.penalty.convex and unbounded(gram + side.penalty.matrix(self.rank))
            for side, gram in ((algorithm.w, step.gram_h), (algorithm.h, step.gram_w))
        )
        residual = None if algorithm.needs_data else float(np.sqrt((w2 + h2) / self.data.norm2))
        return Optimality(residual, locked_w, locked_h, bounded)
