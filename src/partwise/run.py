"""One run as it goes: it takes steps, asks the rules, keeps the iterate to return, and is certified in the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from partwise.algorithm import Algorithm
from partwise.blocks import single_threaded_blas
from partwise.certificate import StartCertificate, certify
from partwise.factorization import RECORD, Factorization, StartRow, fold_in
from partwise.inits import name_of
from partwise.problem import Problem
from partwise.steps import Step
from partwise.stopping import AllOf, Frobenius, MaxIterations, Reason, Rule, Stationarity, any_rules
from partwise.types import NoMinimum

CAP = 1000
PACE = 2


def default_stop(algorithm: Algorithm, change: float = 1e-4) -> Rule:
    """The error, or its change in two iterations at this pace, is at most ``change``; the point is nearly stationary.

    The error is relative to ‖A‖, its change to itself.
    The second half is asked only of methods that go on to a stationary point: clipping ones stall before it.
    """
    still = Frobenius(level=change, change=change / PACE)
    if not (algorithm.w.update.monotone and algorithm.h.update.monotone) or algorithm.needs_data:
        return still
    return AllOf((still, Stationarity(1e-2)), because=Reason.SETTLED)


@dataclass
class Run:
    """A run as it goes: the iterate to return, the history, and in the end the reason."""

    problem: Problem
    seed: int
    rules: Sequence[Rule]
    keep: str
    history: list[tuple[int, float, float, float, float]] = field(default_factory=list)
    found: Step | None = None
    last: Step | None = None
    start: StartCertificate | None = None
    first: int = 0
    """The iteration at which these rules took over."""
    reason: Reason | None = None

    @property
    def best(self) -> Step:
        """The iterate to return."""
        assert self.found is not None
        return self.found

    @property
    def latest(self) -> Step:
        """The step from which the run goes on."""
        assert self.last is not None
        return self.last

    @property
    def at(self) -> int:
        """The iteration that the run has come to."""
        return self.latest.iteration

    def copy(self) -> Run:
        """The run as it stands now; steps are never written again, so they are shared."""
        return replace(self, history=list(self.history))

    def drain(self, steps: Iterator[Step], tick: Callable[[Run], None] = lambda run: None) -> None:
        """Take steps until there is a reason to stop; an interrupt is one. ``tick`` is shown the run in between."""
        try:
            for step in steps:
                self.take(step)
                if self.reason is not None:
                    return
                tick(self)
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
        self.last = step
        if step.start is not None:
            self.start = StartCertificate(name_of(self.problem.init), step.start.seconds, step.start.nbytes, step.error)
        latest = self.keep == "last" or self.problem.algorithm.monotone
        sound = step.finite and not step.collapsed
        if self.found is None or (sound and (latest or self.score(step) <= self.score(self.found))):
            self.found = step
        try:
            self.reason = self.ending(step)
        finally:
            kkt = step.kkt if step.checked else np.nan
            self.history.append((step.iteration, step.seconds, step.error, step.angle, kkt))

    def score(self, step: Step) -> float:
        """What the best iterate has least of: the penalised objective, or the error where that has no minimum."""
        algorithm = self.problem.algorithm
        convex = algorithm.w.penalty.convex and algorithm.h.penalty.convex
        return step.objective if convex else step.error

    @property
    def place(self) -> float:
        """What runs are compared by."""
        found = self.score(self.best)
        return found if np.isfinite(found) else np.inf

    def release(self) -> None:
        """Let go of the factors; the history stays."""
        self.found = self.last = None

    def ending(self, step: Step) -> Reason | None:
        """The reason to end at this step: its own, a rule's, or the cap's."""
        if not step.finite:
            return Reason.NOT_FINITE
        if step.collapsed:
            return Reason.COLLAPSED
        asked = replace(step, iteration=step.iteration - self.first) if self.first else step
        for rule in self.rules:
            found = rule(asked)
            if asked.checked:
                vars(step)["check"] = asked.check
            if found is not None:
                if not isinstance(found, Reason):
                    raise TypeError(f"A stopping rule must give a partwise.Reason or None, not {found!r}.")
                return found
        given = any(isinstance(rule, MaxIterations) for rule in any_rules(self.rules))
        return Reason.CAP if not given and step.iteration >= self.first + CAP else None

    def polish(self, algorithm: Algorithm, rules: Sequence[Rule], began: float) -> Run:
        """A run from the best iterate on with another algorithm; the count of iterations goes on too."""
        problem = replace(self.problem, algorithm=algorithm)
        last = self.history[-1][0]
        with single_threaded_blas():
            start = problem.pair(last, began, self.best.w, self.best.h)
        start = replace(start, angles=self.best.angles, previous_w=self.best.previous_w, reseeded=self.best.reseeded)
        found = replace(start, iteration=self.best.iteration)
        return Run(problem, self.seed, rules, self.keep, self.history, found, start, self.start, last)

    def go_on(self, began: float, tick: Callable[[Run], None] = lambda run: None) -> None:
        """Take the steps that follow the latest, to the end."""
        self.drain(self.problem.following(self.latest, began), tick)

    def settle(self, began: float) -> None:
        """Replace H by the exact solution for W, a function of W alone."""
        step, problem = self.best, self.problem
        made = fold_in(problem.data.T, problem.algorithm, step.w, problem.workers, step.rhs)
        known = {name: getattr(step, name) for name in ("angles", "previous_w", "reseeded")}
        pair = step.w, made.factor, step.gram_w, made.gram
        self.found = problem.step_of(step.iteration, began, *pair, made.inner, onward_h=step.rhs, **known)


def finished(
    run: Run, table: Sequence[StartRow], began: float, svd_error: float | None, settled: bool = False
) -> Factorization:
    """The result with its certificate; the stationarity check is part of the history's row."""
    step = run.best
    step.refuse_not_finite()
    assert run.reason is not None
    certificate = certify(
        run.problem,
        step,
        reason=run.reason,
        iterations=run.history[-1][0],
        seconds=time.perf_counter() - began,
        seed=run.seed,
        start=run.start,
        svd_error=svd_error,
    )
    history = np.array(run.history, RECORD).view(np.recarray)
    history.kkt[history.iteration == step.iteration] = step.kkt
    w, h = run.problem.data.hand_out(step.w), run.problem.data.T.hand_out(step.h)
    rhs = step.check.rhs_w if settled else None
    return Factorization(w, h, history, run.reason, certificate, run.problem.algorithm, tuple(table), rhs=rhs)
