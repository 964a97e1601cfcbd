"""Momentum on both factors, for any update: Ang and Gillis 2019, algorithm 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from partwise.algorithms.base import Algorithm, Extrapolation
from partwise.engine.half_step import Half, Job, half_steps
from partwise.engine.iteration import advance_plain
from partwise.engine.problem import Problem
from partwise.engine.step import Momentum, Step
from partwise.types import Factor, FactorRows

LEAST_BETA = 1e-3


def advance_with_momentum(
    problem: Problem, steps: Sequence[Step], algorithm: Algorithm, rules: Extrapolation
) -> list[Step]:
    """An iteration with momentum; a try that raises the objective is not reported but made again without it.

    The objective of a try is that of W and the H moved ahead, which needs no further product.
    """
    data, loss, workers = problem.data, problem.loss, problem.workers
    states = [step.momentum or Momentum(rules.beta, 1.0, step.basis.with_rhs(step.rhs), step.h) for step in steps]
    both = list(zip(steps, states, strict=True))
    jobs = [
        Job(step.own(algorithm).h, state.ahead, step.h, state.h, measured=False, beta=state.beta)
        for step, state in both
    ]
    h_halves = half_steps(data.T, loss, jobs, workers)
    jobs = [
        Job(step.own(algorithm, _moved(first)).w, _moved(first), state.ahead.rows, step.w, beta=state.beta)
        for (step, state), first in zip(both, h_halves, strict=True)
    ]
    w_halves = half_steps(data, loss, jobs, workers)
    tries = [_try(problem, *known, rules) for known in zip(steps, states, h_halves, w_halves, strict=True)]
    del h_halves, w_halves, jobs  # the factors of a try that failed are freed before it is made again
    failed = [step for step, new in zip(steps, tries, strict=True) if new is None]
    again = iter(advance_plain(problem, failed, algorithm) if failed else ())
    return [
        _without(next(again), state, rules) if new is None else new for state, new in zip(states, tries, strict=True)
    ]


def _try(problem: Problem, step: Step, state: Momentum, first: Half, second: Half, rules: Extrapolation) -> Step | None:
    """The step with momentum, and more of it for the next one; None where the objective rose."""
    momentum = faster(state, _moved(second), first.factor.rows, rules)
    new = problem.following(step, second, _moved(first).with_rhs(), momentum=momentum)
    return new if new.objective <= step.objective else None


def faster(state: Momentum, ahead: Factor, h: FactorRows, rules: Extrapolation) -> Momentum:
    """More momentum, after a try that did not raise the objective."""
    beta = min(state.ceiling, rules.growth * state.beta)
    ceiling = min(1.0, rules.ceiling_growth * state.ceiling)
    return Momentum(beta, ceiling, ahead, h)


def slower(state: Momentum, w: Factor, h: FactorRows, rules: Extrapolation) -> Momentum:
    """Less momentum than in a try that raised the objective, and never more than that had, from the pair itself."""
    beta = max(LEAST_BETA, state.beta / rules.shrink)
    return Momentum(beta, state.beta, w, h)


def _without(step: Step, state: Momentum, rules: Extrapolation) -> Step:
    """A step that was made without momentum."""
    return replace(step, momentum=slower(state, step.basis.with_rhs(step.rhs), step.h, rules))


def _moved(half: Half) -> Factor:
    """The factor moved ahead, which every half-step with momentum has."""
    assert half.ahead is not None
    return half.ahead
