"""Many starts side by side: shared passes over A, and a race in which those that are behind are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from partwise.factorization import StartRow
from partwise.inits import name_of
from partwise.problem import Problem
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


@dataclass
class Race:
    """Where a race stands: who waits in this leg, who is at it, who is ahead, and the rows of those that are out."""

    waiting: list[Run]
    batch: list[Run] = field(default_factory=list)
    ahead: list[Run] = field(default_factory=list)
    table: dict[int, StartRow] = field(default_factory=dict)
    leg: int = 0

    def copy(self) -> Race:
        """The race as it stands now; steps are never written again, so they are shared."""
        batch, ahead = ([run.copy() for run in runs] for runs in (self.batch, self.ahead))
        return replace(self, waiting=list(self.waiting), batch=batch, ahead=ahead, table=dict(self.table))

    def next_leg(self) -> None:
        """Those that are ahead go on to the next leg, and nobody else."""
        self.waiting, self.ahead, self.leg = self.ahead, [], self.leg + 1


def race(
    problem: Problem,
    seeds: Sequence[int],
    rules: Sequence[Rule],
    keep: str,
    racing: Racing | None,
    began: float,
    note: Note | None = None,
    stand: Race | None = None,
    tick: Callable[[Race], None] = lambda stand: None,
) -> tuple[Run, list[StartRow]]:
    """(the best run, a row for every start). A dropped start leaves only its row, so memory stays bounded.

    ``note`` is shown every run that came to its end, before it is let go. ``tick`` is shown the race after every
    iteration of a batch; given again as ``stand``, such a race goes on as though it had never ended.
    """
    legs = racing.cuts(len(seeds)) if racing is not None else [(None, 1)]
    stand = stand or Race([Run(problem, seed, rules, keep) for seed in seeds])
    for end, places in legs[stand.leg :]:
        while _fill(stand, problem):
            interrupted = _lockstep(problem, stand, end, began, tick)
            begun = [run for run in stand.batch if run.found is not None]
            if end is None and note is not None:
                for run in begun:
                    note(run)
            ahead = sorted(stand.ahead + begun, key=lambda run: run.place)
            if interrupted:
                return _interrupted(ahead, stand.table)
            for run in ahead[places:]:
                stand.table[run.seed] = _row(run)
                run.release()
            stand.ahead, stand.batch = ahead[:places], []
            if _too_late(rules, began):
                break
        stand.next_leg()
    for seed in set(seeds) - {run.seed for run in stand.waiting} - set(stand.table):
        stand.table[seed] = StartRow(seed, name_of(problem.init), float("nan"), 0, str(Reason.NOT_BEGUN))
    return _placed(stand.waiting, stand.table)


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


def _fill(stand: Race, problem: Problem) -> bool:
    """Let as many begin as share a pass with profit: one, where every start needs a product of its own."""
    if not stand.batch:
        size = max(1, WIDTH // problem.rank) if problem.data.widens else 1
        stand.batch, stand.waiting = stand.waiting[:size], stand.waiting[size:]
    return bool(stand.batch)


def _lockstep(problem: Problem, stand: Race, end: int | None, began: float, tick: Callable[[Race], None]) -> bool:
    """Take the batch to iteration ``end``, or each to a reason to stop; True when an interrupt ended them."""
    runs = stand.batch
    try:
        fresh = [run for run in runs if run.last is None]
        if fresh:
            for run, step in zip(fresh, problem.start([run.seed for run in fresh], began), strict=True):
                run.take(step)
        while going := [run for run in runs if run.reason is None and (end is None or run.at < end)]:
            _advance(problem, going, began)
            tick(stand)
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
