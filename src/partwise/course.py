"""The whole way of a call: the starts, the polish, the exact H, the certificate; kept in a checkpoint where asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from partwise.algorithm import Algorithm
from partwise.algorithms import recipe_of
from partwise.blocks import single_threaded_blas
from partwise.checkpoint import Checkpoint, Identity, identity_of
from partwise.describe import describe, spoken
from partwise.factorization import Factorization, StartRow
from partwise.inits import is_seeded, name_of
from partwise.packing import Polish, State, Unpacking
from partwise.problem import Problem
from partwise.restarts import Race, Racing, race
from partwise.run import Run, finished
from partwise.stopping import Reason, Rule, TimeLimit, any_rules
from partwise.svd import SVD, block_svd

Tick: TypeAlias = Callable[[State], None]


@dataclass(frozen=True)
class Course:
    """What a call asked for, checked."""

    problem: Problem
    rules: Sequence[Rule]
    restarts: int
    racing: Racing | None
    keep: str
    polish: Algorithm | None
    polish_rules: Sequence[Rule]
    settle: bool
    svd: bool | SVD

    def identity(self, seed: int | None) -> Identity:
        """What a checkpoint of this run is known by; the number of threads changes no bits."""
        problem, names = self.problem, ("racing", "keep", "polish_rules", "settle")
        given = {
            "rank": problem.rank,
            "algorithm": problem.algorithm,
            "restarts": self.restarts,
            "init": problem.init,
            "seed": seed,
            "stop": tuple(self.rules),
            "polish": self.polish,
            "reseed": problem.reseed,
            "svd": self.svd is not False,
            **{name.replace("rules", "stop"): getattr(self, name) for name in names},
        }
        shown = {name: spoken(value) for name, value in given.items()} | {"init": name_of(problem.init)}
        recipes = {"algorithm": recipe_of(problem.algorithm), "polish": self.polish and recipe_of(self.polish)}
        return Identity(identity_of(problem.data), describe(given), shown, recipes)

    def kept(self, checkpoint: Checkpoint) -> Factorization:
        """Go the way, or the rest of it, and keep the state in a file."""
        algorithms = (self.problem.algorithm, *(() if self.polish is None else (self.polish,)))
        if (found := checkpoint.result(algorithms)) is not None:
            return self._handed_out(found)
        polish = None if self.polish is None else replace(self.problem, algorithm=self.polish)
        unpacking = Unpacking(self.problem, self.rules, polish, self._polish_rules, self.keep)
        found = self.run(checkpoint.seed, checkpoint.began, checkpoint.tick, checkpoint.state(unpacking))
        if found.reason is Reason.INTERRUPTED:
            checkpoint.flush()
        else:
            checkpoint.finish(found)
        return found

    def _handed_out(self, found: Factorization) -> Factorization:
        """A result from a file, its factors of the kind that the matrix asks for."""
        data = self.problem.data
        w, h = (side.hand_out(side.hold(factor)) for side, factor in ((data, found.w), (data.T, found.h)))
        return replace(found, w=w, h=h)

    def run(
        self, seed: int, began: float, tick: Tick = lambda state: None, state: State | None = None
    ) -> Factorization:
        """Go the way from its start, or from a state."""
        run, table = (state.run, state.table) if isinstance(state, Polish) else self._race(seed, began, tick, state)
        run.best.refuse_not_finite()
        try:
            if not isinstance(state, Polish) and self._goes_on(run):
                assert self.polish is not None
                run = run.polish(self.polish, self._polish_rules, began)
                state = Polish(run, table)
            if isinstance(state, Polish):
                run.go_on(began, lambda run: tick(Polish(run, table)))
            if self.settle:
                run.settle(began)
            svd_error = self._svd_error()
        except KeyboardInterrupt:
            run.reason, svd_error = Reason.INTERRUPTED, None
        return finished(run, table, began, svd_error, self.settle)

    def _race(self, seed: int, began: float, tick: Tick, stand: Race | None) -> tuple[Run, list[StartRow]]:
        tries = self.restarts if is_seeded(self.problem.init) else 1
        seeds = range(seed, seed + tries)
        with single_threaded_blas():  # once, and not in every iteration
            return race(self.problem, seeds, self.rules, self.keep, self.racing, began, stand=stand, tick=tick)

    def _goes_on(self, run: Run) -> bool:
        """Whether there is a polish to come."""
        return self.polish is not None and run.reason not in (Reason.INTERRUPTED, Reason.TIME_LIMIT)

    @property
    def _polish_rules(self) -> tuple[Rule, ...]:
        """The polish's own, and before them the limits on the time of the whole."""
        limits = tuple(rule for rule in any_rules(self.rules) if isinstance(rule, TimeLimit))
        return limits + tuple(self.polish_rules)

    def _svd_error(self) -> float | None:
        if isinstance(self.svd, SVD):
            return self.svd.truncate(self.problem.rank).error
        if not self.svd:
            return None
        problem = self.problem
        with single_threaded_blas():
            return block_svd(problem.data, problem.rank, 1e-6, np.random.default_rng(0), problem.workers).error
