"""Many starts: batches that share passes over A, and a race in which those that are behind are dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from partwise.arguments import is_whole, shortened
from partwise.engine.driver import drain
from partwise.engine.problem import Problem
from partwise.engine.run import Run
from partwise.engine.stopping import Reason, Rule, deadline
from partwise.inits.table import name_of

WIDTH = 160
"""How many columns of factors share a pass over sparse data; wider ones gain nothing more."""


@dataclass(frozen=True)
class StartRow:
    """One start of a run with restarts: where it got to, and why it ended there."""

    seed: int
    init: str
    error: float
    iterations: int
    reason: str


@dataclass(frozen=True)
class Racing:
    """At iteration ``at[i]`` the best ``share[i]`` of all starts go on, by what the run minimises.

    All starts are compared at the same iteration. Errors before iteration 10 say next to nothing about the end, so
    the first cut is there and the mildest. With fewer than ``least`` starts left nobody is dropped.
    """

    at: tuple[int, ...] = (10, 20, 40)
    share: tuple[float, ...] = (0.3, 0.08, 0.05)
    least: int = 4

    def __post_init__(self) -> None:
        try:
            rising = len(self.at) == len(self.share) > 0 and list(self.at) == sorted(set(self.at)) and self.at[0] >= 1
            sound = rising and all(0 < s <= 1 for s in self.share) and all(map(is_whole, (*self.at, self.least)))
        except TypeError:
            sound = False
        if not sound or self.least < 1:
            raise ValueError(
                "Racing(at=..., share=...) needs rising iterations and as many shares in (0, 1], and least=... ≥ 1."
            )

    def cuts(self, count: int) -> list[tuple[int | None, int]]:
        """(the iteration to go to, how many go on from there); the last leg has no end."""
        kept = [max(self.least, int(np.ceil(share * count))) for share in self.share]
        legs: list[tuple[int | None, int]] = [(at, min(count, k)) for at, k in zip(self.at, kept, strict=True)]
        return [leg for leg in legs if leg[1] < count] + [(None, 1)]


RACING = Racing()


def check_racing(racing: Any) -> None:
    """Refuse what is neither a Racing nor None."""
    if racing is not None and not isinstance(racing, Racing):
        raise TypeError(f"racing must be a Racing(...) or None, not {shortened(repr(racing))}.")


@dataclass
class Race:
    """Where a race stands: who waits in this leg, who is running, who is ahead, and the rows of those that are out."""

    waiting: list[Run]
    batch: list[Run] = field(default_factory=list)
    ahead: list[Run] = field(default_factory=list)
    table: dict[int, StartRow] = field(default_factory=dict)
    leg: int = 0

    def copy(self) -> Race:
        """The race as it stands now; steps are never written again, so they are shared."""
        batch, ahead = ([run.copy() for run in runs] for runs in (self.batch, self.ahead))
        return replace(self, waiting=list(self.waiting), batch=batch, ahead=ahead, table=dict(self.table))

    @property
    def leader(self) -> Run:
        """The best run that has begun."""
        return min((run for run in (*self.batch, *self.ahead, *self.waiting) if run.begun), key=_by_score)

    def fill(self, problem: Problem) -> bool:
        """Let as many begin as share a pass with profit: one, where every start needs a product of its own."""
        if not self.batch:
            size = max(1, WIDTH // problem.rank) if problem.data.widens else 1
            self.batch, self.waiting = self.waiting[:size], self.waiting[size:]
        return bool(self.batch)

    def next_leg(self) -> None:
        """Those that are ahead go on to the next leg, and nobody else."""
        self.waiting, self.ahead, self.leg = self.ahead, [], self.leg + 1

    def placed(self) -> tuple[Run, list[StartRow]]:
        """(the best run, a row for every start)."""
        self.table.update((run.seed, start_row(run)) for run in self.ahead)
        return self.ahead[0], [self.table[seed] for seed in sorted(self.table)]


def race(
    problem: Problem,
    seeds: Sequence[int],
    rules: Sequence[Rule],
    keep: str,
    racing: Racing | None,
    *,
    finished: Callable[[Run], None] = lambda run: None,
    state: Race | None = None,
    tick: Callable[[Race], None] | None = None,
) -> tuple[Run, list[StartRow]]:
    """(the best run, a row for every start). A dropped start leaves only its row, so memory stays bounded.

    ``finished`` is shown every run that came to its end, before its factors are freed. ``tick`` is shown the race after
    every iteration of a batch; passed again as ``state``, such a race goes on as though it had never ended.
    """
    legs = racing.cuts(len(seeds)) if racing is not None else [(None, 1)]
    standing = state or Race([Run(problem, seed, rules, keep) for seed in seeds])
    for end, places in legs[standing.leg :]:
        while standing.fill(problem):
            uninterrupted = drain(standing.batch, end, None if tick is None else partial(tick, standing))
            begun = [run for run in standing.batch if run.begun]
            if end is None:
                for run in begun:
                    finished(run)
            standing.ahead = sorted(standing.ahead + begun, key=_by_score)
            if not uninterrupted:
                return _interrupted(standing)
            for run in standing.ahead[places:]:
                standing.table[run.seed] = start_row(run)
                run.release()
            standing.ahead, standing.batch = standing.ahead[:places], []
            if _too_late(rules, problem):
                break
        for run in standing.waiting:
            if run.begun:
                run.reason = Reason.TIME_LIMIT
                standing.table[run.seed] = start_row(run)
        standing.next_leg()
    for seed in set(seeds) - {run.seed for run in standing.waiting} - set(standing.table):
        standing.table[seed] = StartRow(seed, name_of(problem.init), float("nan"), 0, str(Reason.NOT_BEGUN))
    standing.ahead = standing.waiting
    return standing.placed()


def _interrupted(race: Race) -> tuple[Run, list[StartRow]]:
    """The best so far, with that reason; nothing yet is the interrupt itself."""
    if not race.ahead:
        raise KeyboardInterrupt
    race.ahead[0].reason = Reason.INTERRUPTED
    return race.placed()


def _too_late(rules: Sequence[Rule], problem: Problem) -> bool:
    """Whether a time limit leaves no time for further starts."""
    return problem.clock.seconds >= deadline(rules)


def _by_score(run: Run) -> float:
    return run.best_score


def start_row(run: Run) -> StartRow:
    """What is said of a start."""
    reason = run.conclusion or Reason.DROPPED
    return StartRow(run.seed, name_of(run.problem.init), run.iterate.error, run.iterations, str(reason))
