"""Many starts side by side: shared passes over A, and a race in which those that are behind are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from partwise.factorization import StartRow
from partwise.inits import name_of
from partwise.loop import Problem
from partwise.run import Run
from partwise.stopping import Reason, Rule, TimeLimit, any_rules
from partwise.types import NoMinimum

Note: TypeAlias = Callable[[Run], None]
WIDTH = 160
"""How many columns of factors share a pass over sparse data; wider ones gain nothing more."""


@dataclass(frozen=True)
class Racing:
    """At iteration ``at[i]`` the best ``share[i]`` of all starts go on, by the penalised objective.

    All starts are compared at the same iteration. Errors before iteration 10 say next to nothing about the end, so
    the first cut is there and the mildest. With fewer than ``least`` starts left nobody is dropped.
    """

    at: tuple[int, ...] = (10, 20, 40)
    share: tuple[float, ...] = (0.3, 0.08, 0.05)
    least: int = 4

    def __post_init__(self) -> None:
        rising = len(self.at) == len(self.share) > 0 and list(self.at) == sorted(set(self.at)) and self.at[0] >= 1
        if not rising or not all(0 < s <= 1 for s in self.share) or self.least < 1:
            raise ValueError(
                "Racing(at=..., share=...) needs rising iterations and as many shares in (0, 1], and least=... ≥ 1."
            )

    def cuts(self, count: int) -> list[tuple[int | None, int]]:
        """(the iteration to go to, how many go on from there); the last leg has no end."""
        kept = [max(self.least, int(np.ceil(share * count))) for share in self.share]
        legs: list[tuple[int | None, int]] = [(at, min(count, k)) for at, k in zip(self.at, kept, strict=True)]
        return [leg for leg in legs if leg[1] < count] + [(None, 1)]


RACING = Racing()


def race(
    problem: Problem,
    seeds: Sequence[int],
    rules: Sequence[Rule],
    keep: str,
    racing: Racing | None,
    began: float,
    note: Note | None = None,
) -> tuple[Run, list[StartRow]]:
    """(the best run, a row for every start). A dropped start leaves only its row, so memory stays bounded.

    ``note`` is shown every run that came to its end, before it is let go.
    """
    legs = racing.cuts(len(seeds)) if racing is not None else [(None, 1)]
    table: dict[int, StartRow] = {}
    field = [Run(problem, seed, rules, keep) for seed in seeds]
    for end, places in legs:
        ahead: list[Run] = []
        for batch in _batches(problem, field):
            interrupted = _lockstep(problem, batch, end, began)
            begun = [run for run in batch if run.found is not None]
            if end is None and note is not None:
                for run in begun:
                    note(run)
            ahead = sorted(ahead + begun, key=lambda run: run.place)
            if interrupted:
                return _interrupted(ahead, table)
            for run in ahead[places:]:
                table[run.seed] = _row(run)
                run.release()
            del ahead[places:]
            if _too_late(rules, began):
                break
        field = ahead
    for seed in set(seeds) - {run.seed for run in field} - set(table):
        table[seed] = StartRow(seed, name_of(problem.init), float("nan"), 0, str(Reason.NOT_BEGUN))
    return _placed(field, table)


def _too_late(rules: Sequence[Rule], began: float) -> bool:
    """Whether a time limit leaves no time for further starts."""
    spent = time.perf_counter() - began
    return any(isinstance(rule, TimeLimit) and spent >= rule.seconds for rule in any_rules(rules))


def _interrupted(ahead: list[Run], table: dict[int, StartRow]) -> tuple[Run, list[StartRow]]:
    """The best so far, with that reason; nothing yet is the interrupt itself."""
    if not ahead:
        raise KeyboardInterrupt
    ahead[0].reason = Reason.INTERRUPTED
    return _placed(ahead, table)


def _placed(ahead: list[Run], table: dict[int, StartRow]) -> tuple[Run, list[StartRow]]:
    table.update((run.seed, _row(run)) for run in ahead)
    return ahead[0], [table[seed] for seed in sorted(table)]


def _batches(problem: Problem, runs: Sequence[Run]) -> Iterator[list[Run]]:
    """As many at a time as share a pass with profit: one, where every start needs a product of its own."""
    size = max(1, WIDTH // problem.rank) if problem.data.widens else 1
    for lo in range(0, len(runs), size):
        yield list(runs[lo : lo + size])


def _lockstep(problem: Problem, runs: Sequence[Run], end: int | None, began: float) -> bool:
    """Take every run to iteration ``end``, or to a reason to stop; True when an interrupt ended them."""
    try:
        fresh = [run for run in runs if run.last is None]
        if fresh:
            for run, step in zip(fresh, problem.start([run.seed for run in fresh], began), strict=True):
                run.take(step)
        while going := [run for run in runs if run.reason is None and (end is None or run.at < end)]:
            _advance(problem, going, began)
    except KeyboardInterrupt:
        for run in runs:
            run.reason = run.reason or Reason.INTERRUPTED
        return True
    return False


def _advance(problem: Problem, runs: Sequence[Run], began: float) -> None:
    """One iteration of each; where a penalised problem loses its minimum, its run ends and the others go on."""
    try:
        steps = problem.advance([run.latest for run in runs], began)
    except NoMinimum:
        if len(runs) == 1:
            runs[0].reason = Reason.NO_MINIMUM
            return
        for run in runs:
            _advance(problem, [run], began)
        return
    for run, step in zip(runs, steps, strict=True):
        run.take(step)


def _row(run: Run) -> StartRow:
    reason = run.reason or Reason.DROPPED
    return StartRow(run.seed, name_of(run.problem.init), run.best.error, run.at, str(reason))
