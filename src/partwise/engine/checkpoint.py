"""What a checkpoint holds: a run or a race as it stands, every step with its momentum, and what it is known by."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.penalties import PENALTIES
from partwise.algorithms.stored import algorithm_fields, algorithm_from
from partwise.data.passes import held
from partwise.engine.checkpoint_layout_1 import upgraded
from partwise.engine.problem import Problem
from partwise.engine.restarts import Race, Racing, StartRow
from partwise.engine.run import HISTORY, Run
from partwise.engine.step import Record, StartCost, Step
from partwise.engine.stopping import RULES, Reason, Rule
from partwise.inits.base import Given
from partwise.inits.biases import Biased
from partwise.inits.table import INITS
from partwise.storage import archive
from partwise.storage.atomic import atomic, leftovers
from partwise.storage.locks import lock
from partwise.storage.settings import CODECS, TABLES, Arrays, Digests, Foreign, Reader, plain, readable
from partwise.storage.targets import check_path, check_target, ordinary
from partwise.types import Array, Data

KIND, LAYOUT = "partwise checkpoint", 2
EVERY, APART = 10, 30.0
"""Unless the caller says how many iterations, this many and this many seconds lie between two checkpoints."""
MISFIT = (LookupError, TypeError, AttributeError, ValueError, AssertionError, Foreign)
"""The errors of contents that do not fit together."""


def _given_fields(start: Given) -> dict[str, Any]:
    return {name: None if array is None else Digests().put(array) for name, array in vars(start).items()}


def _given(fields: Mapping[str, Any]) -> Given:
    raise Foreign("Given")


TABLES += [RULES, INITS, PENALTIES, {"racing": Racing, "reason": Reason, "biases": Biased}]
CODECS[Algorithm] = algorithm_fields, algorithm_from
CODECS[Given] = _given_fields, _given


@dataclass
class Single:
    """Where one run stands: the only start, or the polish after the starts in the table."""

    run: Run
    table: list[StartRow]
    polishing: bool = False

    def copy(self) -> Single:
        """The run as it stands now."""
        return replace(self, run=self.run.copy())

    @property
    def leader(self) -> Run:
        """The run."""
        return self.run


State: TypeAlias = Race | Single


def pack(state: State) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what JSON can hold, the arrays) of a race or a run."""
    arrays = Arrays()
    if isinstance(state, Single):
        phase = "polish" if state.polishing else "run"
        meta = {"phase": phase, "run": _packed(state.run, arrays), "table": plain(state.table, arrays)}
    else:
        runs = {name: [_packed(run, arrays) for run in getattr(state, name)] for name in ("waiting", "batch", "ahead")}
        meta = {"phase": "race", "leg": state.leg, "table": plain(list(state.table.values()), arrays), **runs}
    return meta, dict(arrays.named)


def _packed(run: Run, arrays: Arrays) -> dict[str, Any]:
    history = arrays.put(np.array(run.history, HISTORY)) if run.history else None
    meta = {name: plain(getattr(run, name), arrays) for name in ("seed", "last", "start", "offset", "returned")}
    best = "last" if run.best is run.last else plain(run.best, arrays)
    return {**meta, "history": history, "best": best, "reason": run.reason and run.reason.name}


@dataclass(frozen=True)
class Phase:
    """What a file does not hold of a run, because the caller gives it again."""

    problem: Problem
    rules: Sequence[Rule]
    keep: str

    def run(self, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> Run:
        """A run again."""
        last = self._step(meta["last"], arrays)
        history = np.empty(0, HISTORY) if meta["history"] is None else arrays[meta["history"]["array"]]
        if history.dtype != HISTORY or history.ndim != 1 or (last is not None and not len(history)):
            raise ValueError("The history is not that of a run.")
        return Run(
            problem=self.problem,
            seed=int(meta["seed"]),
            rules=self.rules,
            keep=self.keep,
            history=[_record(row) for row in history.tolist()],
            best=last if meta["best"] == "last" else self._step(meta["best"], arrays),
            returned=int(meta["returned"]),
            last=last,
            start=None if meta["start"] is None else (Reader().read(StartCost, meta["start"][0]), meta["start"][1]),
            offset=int(meta["offset"]),
            reason=meta["reason"] and Reason[meta["reason"]],
        )

    def _step(self, meta: Any, arrays: Mapping[str, Array]) -> Step | None:
        if meta is None:
            return None
        problem = self.problem
        check_step(Reader(arrays).read(Step, meta), problem)
        step = Reader(arrays, lambda array: held(problem.data, array)).read(Step, meta)
        return replace(step, deferred=problem.deferred_check(step.own(problem.algorithm), step.basis, step.weights))


def check_step(step: Step, problem: Problem) -> None:
    """Raise where an array of a stored step has other sizes or another type than the problem's, or is not finite.

    No kernel checks an index, so that a factor with too few rows would be read past its end.
    """
    (m, n), k, dtype = problem.data.shape, problem.rank, problem.data.dtype
    factors = [(step.basis, m, n), (step.weights, n, m)]
    tall: list[tuple[Any, int]] = [(step.previous_w, m)]
    if step.momentum is not None:
        factors.append((step.momentum.ahead, m, n))
        tall.append((step.momentum.h, n))
    for factor, rows, others in factors:
        tall += [(factor.rows, rows), (factor.rhs, others)]
    sized: list[tuple[Any, tuple[int, ...], Any]] = [(array, (rows, k), dtype) for array, rows in tall]
    sized += [(factor.gram, (k, k), np.float64) for factor, _, _ in factors] + [(step.angles, (k,), np.float64)]
    for array, shape, kind in sized:
        if array is None:
            continue
        sound = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == kind
        if not sound or (step.finite and not np.isfinite(array).all()):
            raise ValueError("The arrays are not those of this run.")
    if step.finite and (step.w.min() < 0 or step.h.min() < 0):
        raise ValueError("The factors are not nonnegative.")


def _record(row: Any) -> Record:
    iteration, seconds, error, angle, kkt = row
    return iteration, seconds, error, angle, kkt


def unpack(meta: Mapping[str, Any], arrays: Mapping[str, Array], first: Phase, polish: Phase | None) -> State:
    """The race or the run again."""
    rows = [Reader().read(StartRow, row) for row in meta["table"]]
    if meta["phase"] == "race":
        runs = {name: [first.run(one, arrays) for one in meta[name]] for name in ("waiting", "batch", "ahead")}
        return Race(**runs, table={row.seed: row for row in rows}, leg=int(meta["leg"]))
    polishing = meta["phase"] == "polish"
    phase = polish if polishing else first
    assert phase is not None
    return Single(phase.run(meta["run"], arrays), rows, polishing)


def identity_of(data: Data) -> dict[str, Any]:
    """What a matrix is known by."""
    rng = np.random.default_rng(0)
    sketch = [float(norms @ rng.random(len(norms))) for norms in (data.row_norms2, data.T.row_norms2)]
    known = {"shape": list(data.shape), "dtype": str(data.dtype), "nnz": data.nnz, "digest": data.digest}
    return known | {"parted": data.split is not None, "sketch": sketch}


def same_numbers(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two matrices of one shape are the same: in memory by a hash, in parts also by weighted sums of squares.

    The hash of a matrix in parts depends on where it lies and how it is cut.
    """
    if then["digest"] == now["digest"]:
        return True
    parted = "sketch" in then and (then["parted"] or now["parted"])
    return parted and np.allclose(then["sketch"], now["sketch"], rtol=1e-9, atol=0)


def further(then: Any, now: Any, iterations: int) -> bool:
    """Whether two lists of stopping rules differ in the number of iterations alone, of which so many are made."""
    if isinstance(now, Mapping) and isinstance(then, Mapping):
        limits = now.get("kind") == "MaxIterations"
        return then.keys() == now.keys() and all(
            now[key] >= iterations if limits and key == "iterations" else further(then[key], now[key], iterations)
            for key in now
        )
    if isinstance(now, list) and isinstance(then, list):
        return len(then) == len(now) and all(further(a, b, iterations) for a, b in zip(then, now, strict=True))
    return bool(then == now)


def previous(path: Path) -> Path:
    """Where the checkpoint before the last one is."""
    return path.with_name(path.name + ".previous")


def read(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Array], bool]:
    """(meta, arrays, whether it is the last one): where the last checkpoint is damaged or gone, the one before it."""
    path = ordinary(path, "the checkpoint")
    try:
        return *_read(path), True
    except (archive.Damaged, FileNotFoundError) as error:
        try:
            return *_read(previous(path)), False
        except (archive.Damaged, FileNotFoundError):
            if isinstance(error, FileNotFoundError):
                raise
            raise archive.Damaged(f"{error} Remove it to begin anew, or choose another path.") from None


def _read(path: Path) -> tuple[Any, dict[str, Array]]:
    meta, arrays, layout = archive.read(path, KIND, LAYOUT)
    if layout >= LAYOUT:
        return meta, arrays
    try:
        return upgraded(meta), arrays
    except MISFIT:
        raise misfit(path) from None


def misfit(path: Path) -> ValueError:
    """The error of a file whose contents do not fit together."""
    return ValueError(f"{path} is a {KIND} file, but its contents do not fit together.")


@dataclass(frozen=True)
class Identity:
    """What a run is known by: its data, its settings, and for the reader how they look."""

    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    shown: Mapping[str, str]

    @classmethod
    def of(cls, data: Data, settings: Mapping[str, Any], **shown: str) -> Identity:
        """The identity of a call with these settings."""
        texts = {name: readable(value) for name, value in settings.items()} | shown
        return cls(identity_of(data), plain(settings, Digests()), texts)

    def refuse_other(self, path: Path, meta: Mapping[str, Any]) -> None:
        """Raise where the file is of another run, and say what differs."""
        then, now = meta["data"], self.data
        end = "; give the same again, or another checkpoint path."
        if then["shape"] != list(now["shape"]):
            there, here = (f"{m:,} × {n:,}" for m, n in (then["shape"], now["shape"]))
            raise ValueError(f"The checkpoint {path} belongs to another matrix, {there} and not {here}{end}")
        for name, what in (("dtype", "precision"), ("nnz", "number of entries")):
            if then[name] != now[name]:
                detail = f" ({then[name]}, not {now[name]})"
                raise ValueError(f"The checkpoint {path} belongs to another matrix: it has other {what}{detail}{end}")
        if not same_numbers(then, now):
            raise ValueError(f"The checkpoint {path} belongs to another matrix: it has other numbers{end}")
        for name, setting in self.settings.items():
            was = meta["settings"].get(name)
            iterations = meta["iteration"] if self.extendable else 0
            more = name == "stop" and was != setting and further(was, setting, iterations)
            if more and not self.extendable:
                which = "a run with restarts or a polish, which cannot go on to more iterations"
                advice = "give the same number, or begin another run from its result (init=...)"
                raise ValueError(f"The checkpoint {path} is of {which}; {advice}.")
            if was != setting and not more:
                was, is_ = meta["shown"].get(name), self.shown[name]
                detail = f"{name}={was}, not {is_}" if was != is_ else f"another {name} ({was})"
                raise ValueError(f"The checkpoint {path} was made with {detail}{end}")

    @property
    def extendable(self) -> bool:
        """Whether this is one start without a polish, so that it can go on to more iterations than were asked for."""
        return self.settings["polish"] is None and self.settings["restarts"] == 1


class Checkpoint:
    """Keeps a run: shown its state after every iteration, it writes one now and then, whole or not at all.

    ``seed`` and ``passed`` are those of the run that is resumed, where there is one: its clock goes on.
    """

    def __init__(
        self, path: Path, every: int | None, identity: Identity, seed: int, versions: Mapping[str, str]
    ) -> None:
        self.path, self.every, self.identity, self.seed, self.passed = path, every, identity, seed, 0.0
        self._versions = dict(versions)
        self._meta, self._arrays, self._sound = _opened(path)
        self._extended = False
        if self._meta is not None:
            try:
                identity.refuse_other(path, self._meta)
                self._extended = self._meta["settings"]["stop"] != identity.settings["stop"]
                if self._extended and self._meta["state"]["phase"] == "done":
                    self._meta, self._arrays = self._before_the_end()
            except (LookupError, TypeError, AttributeError):
                raise misfit(path) from None
            try:
                self.seed, self.passed = int(self._meta["seed"]), float(self._meta["seconds"])
            except MISFIT:
                raise misfit(path) from None
        self._latest: State | None = None
        self._ticks, self._wrote = 0, time.perf_counter()
        self._began = self._wrote

    @property
    def result(self) -> tuple[Any, dict[str, Array]] | None:
        """(meta, arrays) of the result, where the run had come to its end."""
        if self._meta is None or self._meta["state"] is None or self._meta["state"]["phase"] != "done":
            return None
        if "result" not in self._meta["state"]:
            raise misfit(self.path)
        return self._meta["state"]["result"], self._arrays

    def _before_the_end(self) -> tuple[Any, dict[str, Array]]:
        """The last state of a run that has come to its end; where it is gone, as though it had made no iteration."""
        begun = {**self._meta, "seconds": 0.0, "state": None}
        try:
            meta, arrays = _read(previous(self.path))
            self.identity.refuse_other(self.path, meta)
        except (archive.Damaged, FileNotFoundError, ValueError):
            return begun, {}
        return (begun, {}) if meta["state"]["phase"] == "done" else (meta, arrays)

    def state(self, first: Phase, polish: Phase | None) -> State | None:
        """The state to go on from, where there is one."""
        if self._meta is None or self._meta["state"] is None:
            return None
        try:
            state = unpack(self._meta["state"], self._arrays, first, polish)
        except MISFIT:
            raise misfit(self.path) from None
        self._arrays = {}
        if self._extended and isinstance(state, Single):
            state.run.reason = state.run.ending(state.run.latest)
        return state

    def tick(self, state: State) -> None:
        """Note the state after an iteration, and write it where it is time to."""
        self._latest = state.copy()
        self._ticks += 1
        apart = 0.0 if self.every else APART
        if self._ticks >= (self.every or EVERY) and time.perf_counter() - self._wrote >= apart:
            self.flush()

    def flush(self) -> None:
        """Write the state that was noted last, unless it is written already."""
        if self._latest is not None and self._ticks:
            leader, (state, arrays) = self._latest.leader, pack(self._latest)
            self._write(state, arrays, leader.offset + leader.iterations, leader.iterate.error)
            self._ticks, self._wrote = 0, time.perf_counter()

    def finish(self, meta: Any, arrays: Mapping[str, Array], iterations: int, error: float) -> None:
        """Write the result, so that the same call gives it at once; one for more iterations goes on from the last."""
        if self.identity.extendable:
            self.flush()
        self._write({"phase": "done", "result": meta}, arrays, iterations, error)

    def _write(self, state: Any, arrays: Mapping[str, Array], iteration: int, error: float) -> None:
        seconds = self.passed + time.perf_counter() - self._began
        facts = {"iteration": iteration, "error": error, "seconds": seconds, "versions": self._versions}
        known = {name: getattr(self.identity, name) for name in ("data", "settings", "shown")}
        meta = {"state": state, "seed": self.seed, "every": self.every, **facts, **known}
        with atomic(self.path) as file:
            np.savez(file, **archive.members(KIND, LAYOUT, meta, arrays))
            file.flush()
            os.fsync(file.fileno())
            if self._sound and self.path.exists():  # a damaged one must not take the place of the good one before it
                self.path.replace(previous(self.path))
        self._sound = True


def place(path: str | os.PathLike[str]) -> Path:
    """Where a checkpoint is, links followed; a place that cannot be written is refused before any work."""
    check_path(path)
    target = ordinary(path, "the checkpoint")
    check_target(target, "for the checkpoint")
    before = previous(target)
    if before.is_symlink() or (before.exists() and not before.is_file()):
        raise OSError(f"{before} is not a file, so the checkpoint before the last one cannot be kept there; remove it.")
    return target


def alone(path: Path) -> AbstractContextManager[None]:
    """No other run on this checkpoint meanwhile."""
    return lock(path, "The checkpoint")


def _opened(path: Path) -> tuple[Any, dict[str, Array], bool]:
    """What is there to go on from."""
    for left in leftovers(path):
        left.unlink(missing_ok=True)
    try:
        return read(path)
    except FileNotFoundError:
        return None, {}, False
