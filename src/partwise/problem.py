"""What stays fixed during a run, and an iteration on it: H⁽ⁱ⁾ from W⁽ⁱ⁻¹⁾, then W⁽ⁱ⁾ from H⁽ⁱ⁾."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from partwise.algorithm import Algorithm, Extrapolation, Side
from partwise.blocks import Workers, single_threaded_blas
from partwise.data import as_factor
from partwise.half import Half, Job, halves
from partwise.kernels.products import column_dots
from partwise.optimality import fit_sums, side_optimality
from partwise.penalties import unbounded
from partwise.products import NEAR_EXACT, gram_matrix, product, residual2
from partwise.reseeding import reseed_dead
from partwise.scaling import in_range
from partwise.starts import Given, Init, is_warm
from partwise.steps import Check, Momentum, Optimality, StartCost, Step
from partwise.stopping import angles_between
from partwise.structure import check_structure
from partwise.types import Array, Data
from partwise.updates import LeastSquares
from partwise.updates.multiplicative import lift
from partwise.walks import each

LEAST_BETA = 1e-3


@dataclass(frozen=True)
class Problem:
    """What stays fixed during a run, and an iteration on it; several starts take theirs in shared passes over A."""

    data: Data
    rank: int
    algorithm: Algorithm
    init: Init
    workers: Workers
    reseed: bool = True

    def at(self, iteration: int) -> Algorithm:
        """The algorithm that makes an iteration; a warm start needs no lead."""
        return self.algorithm if self._warm else self.algorithm.at(iteration)

    @cached_property
    def _warm(self) -> bool:
        return is_warm(self.init, self.data, self.rank)

    def steps(self, seed: int | None, began: float) -> Iterator[Step]:
        """All steps from the start on."""
        step = self.start([seed], began)[0]
        yield step
        yield from self.following(step, began)

    def following(self, step: Step, began: float) -> Iterator[Step]:
        """The steps after ``step``."""
        while step.finite and not step.collapsed:
            step = self.advance([step], began)[0]
            yield step

    def start(self, seeds: Sequence[int | None], began: float) -> list[Step]:
        """Step 0 of each seed: W⁽⁰⁾ and H⁽⁰⁾, the algorithm's own half-step where that needs no earlier H."""
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            made = [self._start(seed) for seed in seeds]
            steps = self._first([w for w, _ in made], began)
            return [replace(step, start=cost) for step, (_, cost) in zip(steps, made, strict=True)]

    def _first(self, ws: Sequence[Array], began: float) -> list[Step]:
        given = self.init.other(self.data, self.rank) if isinstance(self.init, Given) else None
        if given is not None:
            return [self.pair(0, began, w, self.data.T.hold(given)) for w in ws]
        side = self.at(1).h
        own = side if side.update.cold else Side(LeastSquares(), side.penalty)
        grams = [gram_matrix(w, self.data.blocks, self.workers) for w in ws]
        rights = [self._kept(w, len(ws)) if own is not side else None for w in ws]
        jobs = [Job(own, w, gram, rhs=rhs) for w, gram, rhs in zip(ws, grams, rights, strict=True)]
        made = halves(self.data.T, jobs, self.workers)
        if side.update.locks:
            return [self.pair(0, began, w, each(lift, m.factor)) for w, m in zip(ws, made, strict=True)]
        found = []
        for w, m, gram, rhs in zip(ws, made, grams, rights, strict=True):
            known = {"ready": True, "onward_w": m.onward} if side.update.cold else {"onward_h": rhs}
            found.append(self.step_of(0, began, w, m.factor, gram, m.gram, m.inner, **known))
        return found

    def _kept(self, w: Array, starts: int) -> Array | None:
        """AᵀW⁽⁰⁾ for H⁽⁰⁾ and for the first iteration; many starts, and data that come in parts, go without."""
        return product(self.data.T, w, self.workers) if starts == 1 and self.data.split is None else None

    def _start(self, seed: int | None) -> tuple[Array, StartCost]:
        """W⁽⁰⁾, and what it took; a sparse one becomes dense here, at the first update."""
        began = time.perf_counter()
        w: Any = self.init(self.data, self.rank, np.random.default_rng(seed), self.workers)
        seconds = time.perf_counter() - began
        if issparse(w):
            check_structure(w, "The start W")
            w = csr_array(w)
            cost = StartCost(seconds, w.data.nbytes + w.indices.nbytes + w.indptr.nbytes)
        else:
            cost = StartCost(seconds, np.asarray(w).nbytes)
        checked = as_factor(w, "The start W", (self.data.shape[0], self.rank))
        if not isinstance(self.init, Given):
            checked, _ = in_range(self.data, checked)
        return self.data.hold(np.ascontiguousarray(checked, self.data.dtype)), cost

    def pair(self, iteration: int, began: float, w: Array, h: Array) -> Step:
        """A step that holds a given pair."""
        gram_w = gram_matrix(w, self.data.blocks, self.workers)
        gram_h, inner = fit_sums(self.data.T, w, h, self.workers)
        return self.step_of(iteration, began, w, h, gram_w, gram_h, inner)

    def advance(self, steps: Sequence[Step], began: float) -> list[Step]:
        """The next iteration of steps that stand at the same one, after dead topics got another start."""
        algorithm = self.at(steps[0].iteration + 1)
        locks = algorithm.h.update.locks
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            if self.reseed:
                steps = [reseed_dead(self.data, step, locks, self.workers) for step in steps]
            if algorithm.extrapolation is None:
                return self._plain(steps, algorithm, began)
            return self._moving(steps, algorithm, algorithm.extrapolation, began)

    def _plain(self, steps: Sequence[Step], algorithm: Algorithm, began: float) -> list[Step]:
        waiting = [step for step in steps if not step.ready]
        jobs = [Job(algorithm.h, step.w, step.gram_w, step.h, step.rhs, measured=False) for step in waiting]
        made = iter(halves(self.data.T, jobs, self.workers) if jobs else ())
        pairs = [
            (s.h, s.gram_h, s.onward_w) if s.ready else ((m := next(made)).factor, m.gram, m.onward) for s in steps
        ]
        second = [
            Job(algorithm.w, h, gram_h, step.w, onward, old=step.w)
            for step, (h, gram_h, onward) in zip(steps, pairs, strict=True)
        ]
        found = zip(steps, halves(self.data, second, self.workers), pairs, strict=True)
        return [self._after(step, began, made, h, gram_h, onward_h=made.onward) for step, made, (h, gram_h, _) in found]

    def _moving(self, steps: Sequence[Step], algorithm: Algorithm, rules: Extrapolation, began: float) -> list[Step]:
        """An iteration with momentum; a try that raises the objective is not reported but made again without it."""
        states = [s.momentum or Momentum(rules.beta, 1.0, s.w, s.gram_w, s.h, s.rhs) for s in steps]
        tried = [
            new if new.objective <= step.objective else None  # a try that failed is let go before it is made again
            for step, new in zip(steps, self._ahead(steps, states, algorithm, rules, began), strict=True)
        ]
        harmed = [step for step, new in zip(steps, tried, strict=True) if new is None]
        again = iter(self._plain(harmed, algorithm, began) if harmed else ())
        found = []
        for state, new in zip(states, tried, strict=True):
            if new is None:
                made = next(again)
                beta = max(LEAST_BETA, state.beta / rules.shrink)
                less = Momentum(beta, state.beta, made.w, made.gram_w, made.h, made.rhs)
                new = replace(made, momentum=less)
            found.append(new)
        return found

    def _ahead(
        self,
        steps: Sequence[Step],
        states: Sequence[Momentum],
        algorithm: Algorithm,
        rules: Extrapolation,
        began: float,
    ) -> list[Step]:
        """Ang and Gillis 2019, algorithm 3; the pair is (W, H ahead), whose error comes for nothing."""
        both = list(zip(steps, states, strict=True))
        jobs = [Job(algorithm.h, p.w, p.gram_w, step.h, p.rhs, p.h, measured=False, beta=p.beta) for step, p in both]
        firsts = halves(self.data.T, jobs, self.workers)
        jobs = [
            Job(algorithm.w, *first.moved, p.w, first.onward, step.w, beta=p.beta)
            for (step, p), first in zip(both, firsts, strict=True)
        ]
        found = []
        for (step, p), first, made in zip(both, firsts, halves(self.data, jobs, self.workers), strict=True):
            beta = min(p.ceiling, rules.growth * p.beta)
            ceiling = min(1.0, rules.ceiling_growth * p.ceiling)
            state = Momentum(beta, ceiling, *made.moved, first.factor, made.onward)
            found.append(self._after(step, began, made, *first.moved, momentum=state))
        return found

    def _after(self, step: Step, began: float, made: Half, h: Array, gram_h: Array, **known: Any) -> Step:
        """The step that follows, with the angle each topic turned by since the one that was reported."""
        before, dots = step.reported or step, made.dots
        if before is not step:
            dots = np.zeros(self.rank)
            column_dots(np.asarray(made.factor), np.asarray(before.w), dots)
        lengths = np.sqrt(np.diag(before.gram_w)) * np.sqrt(np.diag(made.gram))
        same = np.where(np.diag(before.gram_w) == np.diag(made.gram), 1.0, 0.0)
        cosines = np.divide(dots, lengths, out=same, where=lengths > 0)
        known |= {"previous_w": before.w, "previous_error": step.error, "angles": angles_between(cosines)}
        return self.step_of(
            step.iteration + 1, began, made.factor, h, made.gram, gram_h, made.inner, reseeded=step.reseeded, **known
        )

    def step_of(
        self, iteration: int, began: float, w: Any, h: Any, gram_w: Array, gram_h: Array, inner: float, **known: Any
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
        return Step(iteration, seconds, error, error2 + sum(penalties), w, h, gram_w, gram_h, self.measure, **known)

    def measure(self, step: Step) -> Check:
        """The stationarity check at a step; its product AᵀW is not made again where the step has it."""
        algorithm = self.algorithm
        with single_threaded_blas():
            w2, locked_w, rhs_w = side_optimality(self.data, algorithm.w, step.h, step.gram_h, step.w, self.workers)
            h2, locked_h, rhs_h = side_optimality(
                self.data.T, algorithm.h, step.w, step.gram_w, step.h, self.workers, step.onward_h
            )
        bounded = not any(
            not side.penalty.convex and unbounded(gram + side.penalty.matrix(self.rank))
            for side, gram in ((algorithm.w, step.gram_h), (algorithm.h, step.gram_w))
        )
        residual = None if algorithm.needs_data else float(np.sqrt((w2 + h2) / self.data.norm2))
        return Check(Optimality(residual, locked_w, locked_h, bounded), rhs_w, rhs_h)
