"""``factorize``: drain the loop until a stopping rule gives a reason, polish if asked, and certify."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from partwise.algorithms import Algorithm, as_algorithm
from partwise.blocks import single_threaded_blas
from partwise.certificate import certify
from partwise.factorization import Factorization, fold_in
from partwise.loop import DEFAULT_ALGORITHM, DEFAULT_INIT, Problem
from partwise.stopping import (
    AllOf,
    Frobenius,
    MaxIterations,
    Reason,
    Rule,
    Stationarity,
    TimeLimit,
    rule_list,
)
from partwise.svd import SVD, block_svd
from partwise.types import NoMinimum, Step
from partwise.updates import HoyerCone

CAP = 1000
RECORD = np.dtype([("iteration", np.int64), *((n, np.float64) for n in ("seconds", "error", "angle", "kkt"))])


def factorize(
    matrix: Any,
    rank: int,
    *,
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
    init: Any = DEFAULT_INIT,
    stop: Rule | Sequence[Rule] | None = None,
    polish: str | Algorithm | None = None,
    polish_stop: Rule | Sequence[Rule] | None = None,
    restarts: int = 1,
    seed: int | None = 0,
    threads: int | None = None,
    keep: Literal["best", "last"] = "best",
    reseed: bool = True,
    settle: bool = False,
    svd: bool | SVD = False,
) -> Factorization:
    """Factor a nonnegative m × n matrix into W (m × k) and H (k × n), A ≈ W H.

    Parameters
    ----------
    matrix : numpy array, scipy sparse matrix or data frame, m × n (terms × documents), entries ≥ 0.
    rank : the number of parts k.
    algorithm : a name in ``ALGORITHMS`` or an object such as ``acls(lam_w=.5, lam_h=.5)``.
    init : a name in ``INITS``, an object, W itself, a pair (W, H), or an earlier result.
    stop : a stopping rule or a list of which any may stop the run (see :func:`default_stop`); without MaxIterations
        among them there is a cap of 1,000 iterations.
    polish : an algorithm that goes on from the result of the first; by name, it keeps the first one's penalty.
    polish_stop : when the polish stops (``Stationarity(1e-4)`` unless given).
    restarts : how many seeds (seed, seed + 1, …) to try; the best result is returned.
    seed : a seed gives the same bits on any number of threads; None draws one and notes it in the certificate.
    threads : how many threads; PARTWISE_NUM_THREADS or all usable cores unless given.
    keep : which iterate to return where the method is not monotone, the "best" or the "last".
    reseed : whether a dead topic gets a new start.
    settle : whether to end with the exact H for the W that was found, which is what ``transform`` gives.
    svd : True to compare the error with the SVD's of the same rank, or that SVD.

    Ctrl-C returns what there is, with that reason.
    """
    began = time.perf_counter()
    rules = None if stop is None else rule_list(stop)
    problem = Problem.of(matrix, rank, algorithm, init, threads, reseed)
    rules = rules or (default_stop(problem.algorithm),)
    finish = None if polish is None else _polish(problem.algorithm, polish)
    finish_rules = (Stationarity(1e-4),) if polish_stop is None else rule_list(polish_stop)
    _check(restarts, seed, keep)
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    with problem.workers:
        best = None
        for start in range(seed, seed + restarts):
            run = Run(problem, rules, keep)
            run.drain(problem.steps(np.random.default_rng(start), began))
            if finish is not None and run.reason not in (Reason.INTERRUPTED, Reason.TIME_LIMIT):
                limits = tuple(rule for rule in rules if isinstance(rule, TimeLimit))
                run = run.polished(finish, limits + finish_rules, began)
            if best is None or run.best.objective < best[0].best.objective:
                best = (run, start)
            if run.reason is Reason.INTERRUPTED:
                break
        assert best is not None
        if settle:
            best[0].settle(began)
        return finished(*best, began, _svd_error(problem, svd))


def default_stop(algorithm: Algorithm, change: float = 1e-4) -> Rule:
    """The error, or its change in an iteration beside it, is at most ``change``, and the point is nearly stationary.

    The second half is asked only of methods that go on to a stationary point: clipping ones stall before it.
    """
    still = Frobenius(level=change, change=change)
    if not (algorithm.w.update.monotone and algorithm.h.update.monotone) or algorithm.needs_data:
        return still
    return AllOf((still, Stationarity(1e-2)), because=Reason.SETTLED)


@dataclass
class Run:
    """A run as it goes: the iterate to return, the history, and in the end the reason."""

    problem: Problem
    rules: Sequence[Rule]
    keep: str
    history: list[tuple[int, float, float, float, float]] = field(default_factory=list)
    found: Step | None = None
    reason: Reason | None = None

    @property
    def best(self) -> Step:
        """The iterate to return."""
        assert self.found is not None
        return self.found

    def drain(self, steps: Iterator[Step]) -> None:
        """Take steps until there is a reason to stop; an interrupt is one."""
        try:
            for step in steps:
                self.take(step)
                if self.reason is not None:
                    return
        except KeyboardInterrupt:
            self.reason = Reason.INTERRUPTED
            if self.found is None:
                raise
        except NoMinimum:
            self.reason = Reason.NO_MINIMUM
            if self.found is None:
                raise

    def take(self, step: Step) -> None:
        """Record a step and ask the rules about it."""
        latest = self.keep == "last" or self.problem.algorithm.monotone
        sound = step.finite and not step.collapsed
        if self.found is None or (sound and (latest or step.objective <= self.found.objective)):
            self.found = step
        self.reason = self.ending(step)
        kkt = step.kkt if "optimality" in vars(step) else np.nan
        self.history.append((step.iteration, step.seconds, step.error, step.angle, kkt))

    def ending(self, step: Step) -> Reason | None:
        """The reason to end at this step: its own, a rule's, or the cap's."""
        if not step.finite:
            return Reason.NOT_FINITE
        if step.collapsed:
            return Reason.COLLAPSED
        for rule in self.rules:
            if (found := rule(step)) is not None:
                return found
        given = any(isinstance(rule, MaxIterations) for rule in self.rules)
        return Reason.CAP if not given and step.iteration >= CAP else None

    def polished(self, algorithm: Algorithm, rules: Sequence[Rule], began: float) -> Run:
        """Go on from the best iterate with another algorithm; the count of iterations goes on too."""
        problem = replace(self.problem, algorithm=algorithm, stash=None, ready=None)
        last = self.history[-1][0]
        with single_threaded_blas():
            start = problem.pair(last, began, self.best.w, self.best.h)
        start = replace(start, angles=self.best.angles, previous_w=self.best.previous_w, reseeded=self.best.reseeded)
        run = Run(problem, rules, self.keep, self.history, start)
        run.drain(problem.following(start, began))
        return run

    def settle(self, began: float) -> None:
        """Replace H by the exact solution for W, a function of W alone."""
        step, problem = self.best, self.problem
        made = fold_in(problem.data.T, problem.algorithm, step.w, problem.workers)
        settled = problem.step_of(step.iteration, began, step.w, made.factor, step.gram_w, made.gram, made.inner)
        self.found = replace(settled, angles=step.angles, previous_w=step.previous_w, reseeded=step.reseeded)


def finished(run: Run, seed: int, began: float, svd_error: float | None) -> Factorization:
    """The result with its certificate; the stationarity check is part of the history's row."""
    step = run.best
    assert run.reason is not None
    certificate = certify(
        run.problem,
        step,
        reason=run.reason,
        iterations=run.history[-1][0],
        seconds=time.perf_counter() - began,
        seed=seed,
        svd_error=svd_error,
    )
    history = np.array(run.history, RECORD).view(np.recarray)
    history.kkt[history.iteration == step.iteration] = step.kkt
    return Factorization(step.w, step.h, history, run.reason, certificate, run.problem.algorithm)


def _polish(first: Algorithm, given: str | Algorithm) -> Algorithm:
    """The polishing algorithm; by name it takes over the penalty."""
    if any(isinstance(side.update, HoyerCone) for side in (first.w, first.h)):
        raise ValueError("A polish would undo the sparsity targets of hoyer; leave polish=None.")
    chosen = as_algorithm(given)
    return chosen.with_penalties_of(first) if isinstance(given, str) else chosen


def _check(restarts: Any, seed: Any, keep: Any) -> None:
    if isinstance(restarts, bool) or not isinstance(restarts, (int, np.integer)) or restarts < 1:
        raise ValueError(f"restarts must be a whole number of at least 1, not {restarts!r}.")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise ValueError(f"seed must be a whole number of at least 0, or None, not {seed!r}.")
    if keep not in ("best", "last"):
        raise ValueError(f'keep must be "best" or "last", not {keep!r}.')


def _svd_error(problem: Problem, svd: bool | SVD) -> float | None:
    if isinstance(svd, SVD):
        return svd.truncate(problem.rank).error
    if not svd:
        return None
    with single_threaded_blas():
        return block_svd(problem.data, problem.rank, 1e-6, np.random.default_rng(0), problem.workers).error
