"""The one driver: it takes runs forward an iteration at a time and handles whatever can end them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from partwise.engine.adjusting import advance_adjusting
from partwise.engine.iteration import advance_plain, begin
from partwise.engine.momentum import advance_with_momentum
from partwise.engine.problem import Problem
from partwise.engine.reseeding import reseed_dead
from partwise.engine.run import Run
from partwise.engine.step import Step
from partwise.engine.stopping import Reason, Rule, deadline
from partwise.engine.stretch import LONGEST, can_stretch, in_one_kernel, stretch
from partwise.inits.table import as_init
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import OutOfTime
from partwise.types import NoMinimum

MOST_ITERATIONS = 2**62
LEAST_START = 1.0
"""The seconds that a start has at least: on small data no limit changes it."""


def advance(problem: Problem, steps: Sequence[Step], count: int = 1, rules: Sequence[Rule] = ()) -> list[Step]:
    """The next iteration of steps that stand at the same one, after dead components got another start.

    On small data a single step makes up to ``count`` iterations at once, until one of the rules has to be asked.
    """
    algorithm = problem.at(steps[0].iteration + 1)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        if problem.reseed:
            steps = [reseed_dead(problem, step, algorithm.h.update.zero_floor) for step in steps]
        if all(can_stretch(problem, step, algorithm) for step in steps):
            if len(steps) > 1 and in_one_kernel(problem, algorithm):
                return [one for step in steps for one in advance(problem, [step])]
            if len(steps) == 1 and (count > 1 or in_one_kernel(problem, algorithm)):
                step = stretch(problem, steps[0], algorithm, count, rules)
                if step is not None:
                    return [step]
        if problem.algorithm.adjusts:
            return [advance_adjusting(problem, step) for step in steps]
        if algorithm.extrapolation is None:
            return advance_plain(problem, steps, algorithm)
        return advance_with_momentum(problem, steps, algorithm, algorithm.extrapolation)


def drive(runs: Sequence[Run], end: int | None = None, longest: int = 1) -> Iterator[None]:
    """Take runs of one problem forward together, each to a reason to stop, or to iteration ``end``.

    Control comes back after step 0 and after every iteration, on small data after up to ``longest`` of them. Where a
    penalised problem loses its minimum, its run ends and the others go on. An iteration in which a time limit
    passes is given up.
    """
    fresh = [run for run in runs if run.last is None]
    if fresh:
        for run, step in zip(fresh, _begun(fresh), strict=True):
            run.take(step)
        yield
    problem = runs[0].problem
    while going := [run for run in runs if run.reason is None and (end is None or run.iterations < end)]:
        try:
            with problem.workers.until(_left(going[0]), _label(going)):
                count = min(longest, _left_to(going[0], end))
                steps = advance(problem, [run.latest for run in going], count, going[0].rules)
        except OutOfTime:
            for run in going:
                run.reason = Reason.TIME_LIMIT
            return
        except NoMinimum:
            if not _advance_apart(problem, going):
                continue
        else:
            for run, step in zip(going, steps, strict=True):
                run.take(step)
        yield


def _begun(runs: Sequence[Run]) -> list[Step]:
    """Step 0 of each; a start that goes on past a time limit is given up for a random one, which takes no time.

    Frozen components are those of the start that was asked for, so that they have no such limit.
    """
    problem, seeds = runs[0].problem, [run.seed for run in runs]
    held = any(side.update.fixed for side in problem.algorithm.sides)
    left = np.inf if held else max(LEAST_START, deadline(runs[0].rules, 0) - problem.clock.seconds)
    try:
        with problem.workers.until(left, "start"):
            return begin(problem, seeds)
    except OutOfTime:
        for run in runs:
            run.problem = replace(problem, init=as_init("random"), warm=False)
        return begin(runs[0].problem, seeds)


def _left_to(run: Run, end: int | None) -> int:
    """How many iterations are left to the end that was asked for, and to the cap."""
    return min(end or MOST_ITERATIONS, run.cap or MOST_ITERATIONS) - run.iterations


def _label(runs: Sequence[Run]) -> str:
    """What an iteration is called on the dashboard of a cluster, with the least error before it."""
    return f"iteration {runs[0].iterations + 1}, error {min(run.latest.error for run in runs):.6f}"


def _left(run: Run) -> float:
    """The seconds that a run's next iteration has: those to the deadline of a rule that is asked after it."""
    return deadline(run.rules, run.iterations + 1) - run.problem.clock.seconds


def _advance_apart(problem: Problem, runs: Sequence[Run]) -> bool:
    """An iteration of each run by itself, where one of them has lost its minimum; whether any could make it."""
    for run in runs:
        try:
            run.take(advance(problem, [run.latest])[0])
        except NoMinimum:
            run.reason = Reason.NO_MINIMUM
    return any(run.reason is not Reason.NO_MINIMUM for run in runs)


def drain(runs: Sequence[Run], end: int | None = None, tick: Callable[[], None] | None = None) -> bool:
    """Drive runs as far as they go; False where an interrupt ended them. ``tick`` is called after every iteration."""
    try:
        with single_threaded_blas():  # once, and not in every iteration
            for _ in drive(runs, end, LONGEST if tick is None else 1):
                if tick is not None and runs[0].iterations:
                    tick()
    except KeyboardInterrupt:
        for run in runs:
            run.reason = run.reason or Reason.INTERRUPTED
        return False
    return True
