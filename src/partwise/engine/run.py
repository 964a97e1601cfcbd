"""One run as it goes: the iterate to return, the history, and in the end the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.engine.component_sparsity import NOTHING, Thetas
from partwise.engine.half_step import fold_in
from partwise.engine.problem import Problem
from partwise.engine.stationarity import EXACT, STATIONARY
from partwise.engine.step import Record, StartCost, Step
from partwise.engine.stopping import Reason, Rule, any_rules
from partwise.threads.blas import single_threaded_blas

CAP = 1000
"""The most iterations of a run whose rules do not limit them."""
FAILURES = (Reason.COLLAPSED, Reason.NO_MINIMUM, Reason.NOT_FINITE, Reason.INTERRUPTED)
"""The ends that say more than that nothing was gained."""
THETAS_SETTLED, ADJUSTED = 1e-3, 300
"""The KKT residual at which adjusted penalties have settled, and the iteration from which they stay in any case."""
LIMITS = (None, Reason.MAX_ITERATIONS, Reason.TIME_LIMIT, Reason.CAP)
"""The ends that say nothing of how near the iterate is to a stationary point."""
HISTORY = np.dtype([("iteration", np.int64), *((n, np.float64) for n in ("seconds", "error", "angle", "kkt"))])


@dataclass
class Run:
    """The iterations of one start. Its steps count from 0; the run that it polishes made ``offset`` before."""

    problem: Problem
    seed: int
    rules: Sequence[Rule]
    keep: str
    history: list[Record] = field(default_factory=list)
    best: Step | None = None
    """The iterate to return."""
    returned: int = 0
    """Its iteration, counted from the first of all."""
    last: Step | None = None
    """The step from which the run goes on."""
    start: tuple[StartCost, float] | None = None
    """The cost and the error of the start."""
    offset: int = 0
    cap: int | None = CAP
    """The most iterations where no rule limits them."""
    reason: Reason | None = None
    exact: Algorithm | None = None
    """The algorithm whose row problem gave the exact H, where it was asked for."""

    @property
    def begun(self) -> bool:
        """Whether there is an iterate."""
        return self.best is not None

    @property
    def iterate(self) -> Step:
        """The iterate to return, of a run that has begun."""
        assert self.best is not None
        return self.best

    @property
    def latest(self) -> Step:
        """The latest step, of a run that has begun."""
        assert self.last is not None
        return self.last

    @property
    def iterations(self) -> int:
        """The iterations of this run so far."""
        return self.latest.iteration

    def copy(self) -> Run:
        """The run as it stands now; steps are never written again, so they are shared."""
        return replace(self, history=list(self.history))

    def take(self, step: Step) -> None:
        """Record a step and ask the rules about it."""
        self.last = step
        if step.start is not None:
            self.start = step.start, step.error
        latest = self.keep == "last" or self.problem.algorithm.monotone or self.problem.algorithm.adjusts
        sound = step.finite and (not step.collapsed or self.problem.algorithm.one_sided)
        if self.best is None or (sound and (latest or self.score(step) <= self.score(self.best))):
            self.best, self.returned = step, self.offset + step.iteration
        try:
            self.reason = self.ending(step)
            if step.thetas and not step.thetas.frozen and self.reason not in FAILURES:
                self._freeze(step, step.thetas)
        finally:
            kkt = step.kkt if step.checked else np.nan
            for iteration, seconds, error, angle, none in step.between:
                self.history.append((self.offset + iteration, seconds, error, angle, none))
            self.history.append((self.offset + step.iteration, step.seconds, step.error, step.angle, kkt))

    def _freeze(self, step: Step, thetas: Thetas) -> None:
        """Freeze θ once it has settled, or after ``ADJUSTED`` iterations, and go on where a rule would end the run."""
        if self.reason not in LIMITS:
            self.reason = None
            thetas = replace(thetas, frozen=step.kkt <= THETAS_SETTLED)
        if thetas.frozen or step.iteration >= ADJUSTED:
            self.last = replace(step, thetas=replace(thetas, frozen=True))

    def score(self, step: Step) -> float:
        """What the best iterate has least of: the penalised objective, or the error where that has no minimum or is
        another one for each run."""
        algorithm = self.problem.algorithm
        return step.objective if algorithm.convex and not algorithm.adjusts else step.error

    @property
    def best_score(self) -> float:
        """What runs are compared by."""
        score = self.score(self.iterate)
        return score if np.isfinite(score) else np.inf

    @property
    def wasted(self) -> Reason | None:
        """WORTHLESS where the iterate to return is no better than zeros, NO_GAIN where it is the start, else None."""
        if self.history[-1][0] == 0:
            return None
        if self.problem.loss.comparable and not self.iterate.error < 1:
            return Reason.WORTHLESS
        if self.returned or self.iterate.error <= EXACT or self.iterate.kkt <= STATIONARY:
            return None
        return Reason.NO_GAIN

    @property
    def conclusion(self) -> Reason | None:
        """The reason that is reported: a failure, else that nothing was gained, else why the run ended."""
        if self.reason is None or self.reason in FAILURES:
            return self.reason
        return self.wasted or self.reason

    def release(self) -> None:
        """Free the factors; the history stays."""
        self.best = self.last = None

    def ending(self, step: Step) -> Reason | None:
        """The reason to end at this step: its own, a rule's, or the cap's."""
        if not step.finite:
            return Reason.NOT_FINITE
        if step.collapsed or (step.thetas and step.iteration and step.error > NOTHING):
            return Reason.COLLAPSED
        for rule in self.rules:
            reason = rule(step)
            if reason is not None:
                if not isinstance(reason, Reason):
                    raise TypeError(f"A stopping rule must give a partwise.Reason or None, not {reason!r}.")
                return reason
        if self.cap is None or any(getattr(rule, "limits_iterations", False) for rule in any_rules(self.rules)):
            return None
        return Reason.CAP if step.iteration >= self.cap else None

    def polish(self, algorithm: Algorithm, rules: Sequence[Rule]) -> Run:
        """A run from the best iterate on with another algorithm; the history goes on."""
        problem = replace(self.problem, algorithm=algorithm, warm=True)
        best = self.iterate
        known = {name: getattr(best, name) for name in ("scales", "thetas", "angles", "previous_w", "reseeded")}
        with single_threaded_blas():
            step = problem.pair(best.w, best.h, **known)
        offset = self.history[-1][0]
        return Run(
            problem, self.seed, rules, self.keep, self.history, step, self.returned, step, self.start, offset=offset
        )

    def settle(self) -> None:
        """Replace H by the exact solution for W, a function of W alone."""
        step, problem = self.iterate, self.problem
        algorithm = self.exact = step.own(problem.algorithm)
        half = fold_in(problem.data.T, problem.loss, algorithm, step.w, problem.workers, step.rhs, step.h)
        known = {name: getattr(step, name) for name in ("thetas", "angles", "previous_w", "reseeded")}
        basis = step.basis.with_rhs(step.rhs)
        self.best = problem.step(step.iteration, basis, half.factor.with_rhs(), half.inner, step.scales, **known)
