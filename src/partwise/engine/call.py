"""A checked call: the problem and the rules; it drives the starts, the polish and the exact H."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import partwise.engine.warm_start  # noqa: F401  registers "sample" and "svd-best" in INITS
from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import as_algorithm, frozen
from partwise.arguments import MOST_RUNS, check_rank, check_seed, whole_number
from partwise.data.as_data import as_data
from partwise.engine.checkpoint import Identity, Phase, Single, State
from partwise.engine.default_stop import default_stop
from partwise.engine.driver import drain
from partwise.engine.problem import Clock, Problem
from partwise.engine.restarts import RACING, Race, Racing, StartRow, check_racing, race, start_row
from partwise.engine.run import Run
from partwise.engine.stationarity import STATIONARY
from partwise.engine.stopping import Reason, Rule, Stationarity, any_rules, rule_list
from partwise.inits.base import Given, declared
from partwise.inits.table import as_init, name_of, start_for
from partwise.linalg.svd import SVD, block_svd
from partwise.losses.table import algorithm_for, loss_of, suited
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers

NO_POLISH = (Reason.INTERRUPTED, Reason.TIME_LIMIT)
"""The ends after which no polish follows."""


def checked_call(
    matrix: Any,
    rank: Any,
    *,
    algorithm: Any = None,
    init: Any = None,
    stop: Any = None,
    polish: Any = None,
    polish_stop: Any = None,
    restarts: Any = 1,
    racing: Any = RACING,
    seed: Any = 0,
    threads: Any = None,
    keep: Any = None,
    reseed: bool | None = None,
    settle: bool = False,
    svd: bool | SVD = False,
    clock: Clock | None = None,
    lenient: bool = False,
) -> Call:
    """The arguments of :func:`factorize`, checked before any work; ``lenient`` as for :func:`iterate`."""
    rules = None if stop is None else rule_list(stop)
    problem = as_problem(matrix, rank, algorithm, init, threads, reseed, restarts, clock, lenient)
    check_seed(seed)
    check_racing(racing)
    whole_number("restarts", restarts, most=MOST_RUNS)
    if keep is None:
        keep = "last" if problem.algorithm.plain else "best"
    if keep not in ("best", "last"):
        raise ValueError(f'keep must be "best" or "last", not {keep!r}.')
    if isinstance(svd, SVD):
        _check_svd(problem, svd)
    elif not isinstance(svd, (bool, np.bool_)):
        raise TypeError(f"svd must be True, False or what truncated_svd(matrix, rank) gives, not {type(svd).__name__}.")
    return Call(
        problem=problem,
        rules=rules or (default_stop(problem.algorithm),),
        seed=seed,
        restarts=int(restarts),
        racing=racing,
        keep=keep,
        polish=None if polish is None else _polish(problem, polish),
        polish_rules=(Stationarity(STATIONARY),) if polish_stop is None else rule_list(polish_stop),
        settle=settle,
        svd=svd if isinstance(svd, SVD) else bool(svd),
    )


@dataclass(frozen=True)
class Call:
    """The checked arguments of a call."""

    problem: Problem
    rules: Sequence[Rule]
    seed: int | None
    restarts: int
    racing: Racing | None
    keep: str
    polish: Algorithm | None
    polish_rules: Sequence[Rule]
    settle: bool
    svd: bool | SVD

    def drive(
        self,
        seed: int | None = None,
        tick: Callable[[State], None] | None = None,
        state: State | None = None,
    ) -> tuple[Run, list[StartRow], float | None]:
        """(the run to return, a row for every start, the SVD's error): the starts, the polish and the exact H."""
        phase = state if isinstance(state, Single) else self._starts(seed, tick, state)
        drain([phase.run], tick=None if tick is None else partial(tick, phase))
        if not phase.run.begun:
            raise KeyboardInterrupt
        phase.run.iterate.refuse_not_finite()
        table = phase.table or [start_row(phase.run)]
        try:
            if self.polish is not None and not phase.polishing and phase.run.reason not in NO_POLISH:
                phase = Single(phase.run.polish(self.polish, self._polish_rules), table, polishing=True)
                drain([phase.run], tick=None if tick is None else partial(tick, phase))
            if self.settle:
                phase.run.settle()
            return phase.run, table, self._svd_error()
        except KeyboardInterrupt:
            phase.run.reason = Reason.INTERRUPTED
            return phase.run, table, None

    def _starts(self, seed: int | None, tick: Callable[[State], None] | None, state: Race | None) -> Single:
        """The run of the only start, not begun yet, or of several starts the winner of the race, at its end."""
        seed = drawn_seed(self.seed) if seed is None else seed
        count = self.restarts if declared(self.problem.init).seeded else 1
        if count == 1:
            return Single(Run(self.problem, seed, self.rules, self.keep), [])
        seeds = range(seed, seed + count)
        with single_threaded_blas():  # once, and not in every leg
            return Single(*race(self.problem, seeds, self.rules, self.keep, self.racing, state=state, tick=tick))

    @property
    def _polish_rules(self) -> tuple[Rule, ...]:
        """The polish's own, and before them the limits on the time of the whole."""
        limits = tuple(rule for rule in any_rules(self.rules) if getattr(rule, "deadline", np.inf) < np.inf)
        return limits + tuple(self.polish_rules)

    def identity(self) -> Identity:
        """What a checkpoint of this run is known by; the number of threads changes no bits."""
        problem = self.problem
        settings = {
            "rank": problem.rank,
            "algorithm": problem.algorithm,
            "restarts": self.restarts,
            "init": problem.init,
            "seed": self.seed,
            "stop": tuple(self.rules),
            "polish": self.polish,
            "reseed": problem.reseed,
            "svd": self.svd is not False,
            "racing": self.racing,
            "keep": self.keep,
            "polish_stop": tuple(self.polish_rules),
            "settle": self.settle,
        }
        missing = getattr(problem.data, "missing", None)
        if missing is not None:
            settings["missing"] = missing
        return Identity.of(problem.data, settings, init=name_of(problem.init))

    def phases(self) -> tuple[Phase, Phase | None]:
        """What a kept run may be in the middle of: the starts, or the polish."""
        first = Phase(self.problem, self.rules, self.keep)
        if self.polish is None:
            return first, None
        polished = replace(self.problem, algorithm=self.polish, warm=True)
        return first, Phase(polished, self._polish_rules, self.keep)

    def _svd_error(self) -> float | None:
        problem = self.problem
        if isinstance(self.svd, SVD):
            return self.svd.truncate(problem.rank).error
        if not self.svd or not problem.loss.comparable:
            return None
        with single_threaded_blas():
            return block_svd(problem.data, problem.rank, 1e-6, np.random.default_rng(0), problem.workers).error


def as_problem(
    matrix: Any,
    rank: Any,
    algorithm: Any,
    init: Any,
    threads: int | None,
    reseed: bool | None = None,
    restarts: Any = 1,
    clock: Clock | None = None,
    lenient: bool = False,
) -> Problem:
    """The checked problem, before any work."""
    chosen = algorithm_for(algorithm)
    as_init(init, chosen, restarts)  # a wrong name is refused before the data are read
    data = as_data(matrix, zero=lenient)
    chosen = suited(chosen, data)
    start = start_for(init, chosen, restarts, data)
    rank = check_rank(rank, data.shape, lenient=lenient)
    if not data.norm2 > 0:
        start = Given(np.zeros((data.shape[0], rank)), np.zeros((rank, data.shape[1])))
    if refusal := loss_of(chosen, data).refuses(data, chosen) or chosen.refuses(rank, data.shape):
        raise ValueError(refusal)
    said = declared(start)
    if data.for_starts is None and not said.reads_nothing:
        raise ValueError(f"The start {name_of(start)} would read unknown entries as 0; use random, or W itself.")
    said.check(data, rank)
    reseed = not chosen.plain if reseed is None else reseed
    return Problem(data, rank, chosen, start, Workers(threads), clock or Clock(), reseed, said.warm(data, rank))


def drawn_seed(seed: int | None) -> int:
    """The seed, or one that is drawn."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)


def _polish(problem: Problem, polish: str | Algorithm) -> Algorithm:
    """The polishing algorithm; by name it takes over the penalty."""
    first, chosen = problem.algorithm, as_algorithm(polish)
    for side in first.sides:
        if side.update.constraint:
            raise ValueError(f"A polish would undo {side.update.constraint} of {first.name}; leave polish=None.")
    if chosen.loss != first.loss:
        raise ValueError(
            f"{chosen.name} minimises the {chosen.loss} loss and {first.name} the {first.loss} one: it cannot polish; "
            f"use one for the same loss, such as {algorithm_for(None, first.loss).name}."
        )
    if isinstance(polish, str):
        chosen = chosen.with_penalties(first.w.penalty, first.h.penalty)
        chosen = frozen(chosen, w=first.w.update.fixed, h=first.h.update.fixed)
    data = problem.data
    if refusal := chosen.refuses(problem.rank, data.shape) or loss_of(chosen, data).refuses(data, chosen):
        raise ValueError(refusal)
    return chosen


def _check_svd(problem: Problem, svd: SVD) -> None:
    same = (len(svd.u), len(svd.v)) == problem.data.shape and np.isclose(svd.norm2, problem.data.norm2, rtol=1e-6)
    if not same:
        raise ValueError("The SVD that was given is of another matrix.")
    svd.truncate(problem.rank)
