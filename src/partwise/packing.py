"""Runs as arrays and JSON, and back with the same bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np

from partwise.certificate import StartCertificate
from partwise.factorization import RECORD, StartRow
from partwise.problem import Problem
from partwise.restarts import Race
from partwise.run import Run
from partwise.steps import Momentum, StartCost, Step
from partwise.stopping import Reason, Rule
from partwise.types import Array, Data, Spread

KINDS = {kind.__name__: kind for kind in (Step, Momentum, StartCost, StartCertificate, StartRow)}
LEFT_OUT = {"measure", "reported"}
"""What a step has from its problem, and what it has only within an iteration."""


@dataclass
class Polish:
    """Where a polish stands: the run, and the table of the starts before it."""

    run: Run
    table: list[StartRow]

    def copy(self) -> Polish:
        """The polish as it stands now."""
        return replace(self, run=self.run.copy())


State: TypeAlias = Race | Polish


def leader(state: State) -> Run:
    """The run to speak of: the best that has begun."""
    if isinstance(state, Polish):
        return state.run
    begun = [run for run in (*state.batch, *state.ahead, *state.waiting) if run.found is not None]
    return min(begun, key=lambda run: run.place)


@dataclass
class Arrays:
    """Arrays by name; one that is met twice is kept once."""

    named: dict[str, Array] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def put(self, array: Any) -> str:
        """The name of an array; one that lies elsewhere is brought here."""
        name = self.names.setdefault(id(array), f"a{len(self.names)}")
        if name not in self.named:
            self.named[name] = np.asarray(array)
        return name


def pack(state: State) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what JSON can hold, the arrays) of a race or a polish."""
    arrays = Arrays()
    if isinstance(state, Polish):
        meta: dict[str, Any] = {"phase": "polish", "run": _run(state.run, arrays), "table": _plain(state.table, arrays)}
        return meta, arrays.named
    runs = {name: [_run(run, arrays) for run in getattr(state, name)] for name in ("waiting", "batch", "ahead")}
    table = _plain(list(state.table.values()), arrays)
    return {"phase": "race", "leg": state.leg, "table": table, **runs}, arrays.named


def _run(run: Run, arrays: Arrays) -> dict[str, Any]:
    history = arrays.put(np.array(run.history, RECORD)) if run.history else None
    told = {name: _plain(getattr(run, name), arrays) for name in ("seed", "last", "start", "first")}
    found = "last" if run.found is run.last else _plain(run.found, arrays)
    return {**told, "history": history, "found": found, "reason": run.reason and run.reason.name}


def _plain(value: Any, arrays: Arrays) -> Any:
    """A step and what is in it as plain values."""
    if isinstance(value, np.ndarray):
        return {"array": arrays.put(value)}
    if isinstance(value, Spread):
        return {"array": arrays.put(value), "spread": True}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(one, arrays) for one in value]
    if type(value).__name__ in KINDS:
        kept = [one.name for one in fields(value) if one.name not in LEFT_OUT]
        return {"kind": type(value).__name__, **{name: _plain(getattr(value, name), arrays) for name in kept}}
    return value


def held(data: Data, factor: Array) -> Any:
    """A factor of the split axis where its rows of A are."""
    return (data if data.split == 0 else data.T).hold(factor)


@dataclass(frozen=True)
class Unpacking:
    """What the file does not hold, because the caller gives it again: the problems and the rules of both phases."""

    problem: Problem
    rules: Sequence[Rule]
    polish: Problem | None
    polish_rules: Sequence[Rule]
    keep: str

    def state(self, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> State:
        """The race or the polish again."""
        rows: list[StartRow] = self._made(meta["table"], arrays)
        if meta["phase"] == "polish":
            assert self.polish is not None
            return Polish(self._run(meta["run"], arrays, self.polish, self.polish_rules), rows)
        runs = {
            name: [self._run(one, arrays, self.problem, self.rules) for one in meta[name]]
            for name in ("waiting", "batch", "ahead")
        }
        return Race(**runs, table={row.seed: row for row in rows}, leg=meta["leg"])

    def _run(
        self, told: Mapping[str, Any], arrays: Mapping[str, Array], problem: Problem, rules: Sequence[Rule]
    ) -> Run:
        last = self._made(told["last"], arrays, problem)
        return Run(
            problem=problem,
            seed=told["seed"],
            rules=rules,
            keep=self.keep,
            history=[tuple(row) for row in arrays[told["history"]].tolist()] if told["history"] else [],
            found=last if told["found"] == "last" else self._made(told["found"], arrays, problem),
            last=last,
            start=self._made(told["start"], arrays),
            first=told["first"],
            reason=told["reason"] and Reason[told["reason"]],
        )

    def _made(self, told: Any, arrays: Mapping[str, Array], problem: Problem | None = None) -> Any:
        if isinstance(told, list):
            return [self._made(one, arrays, problem) for one in told]
        if not isinstance(told, dict):
            return told
        if "array" in told:
            found = arrays[told["array"]]
            return held(problem.data, found) if problem is not None and "spread" in told else found
        made = {name: self._made(one, arrays, problem) for name, one in told.items() if name != "kind"}
        if told["kind"] == "Step":
            assert problem is not None
            made |= {"measure": problem.measure, "reseeded": tuple(made["reseeded"])}
        return KINDS[told["kind"]](**made)
