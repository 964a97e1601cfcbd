"""The file that a run is kept in while it goes, so that a later call goes on where this one ended."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from partwise import files
from partwise.algorithm import Algorithm
from partwise.certificate import versions
from partwise.factorization import Factorization
from partwise.locks import held
from partwise.packing import State, Unpacking, leader, pack
from partwise.targets import check_target, ordinary
from partwise.types import Array, Data

KIND, LAYOUT = "partwise checkpoint", 1
EVERY, APART = 10, 30.0
"""Unless the caller says how many iterations, this many and this many seconds lie between two checkpoints."""


def identity_of(data: Data) -> dict[str, Any]:
    """What a matrix is known by."""
    return {"shape": list(data.shape), "dtype": str(data.dtype), "nnz": data.nnz, "digest": data.digest}


def previous(path: Path) -> Path:
    """Where the checkpoint before the last one is."""
    return path.with_name(path.name + ".previous")


def read(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Array], bool]:
    """(meta, arrays, whether it is the last one): where the last checkpoint is damaged or gone, the one before it."""
    path = ordinary(path, "the checkpoint")
    try:
        return *files.read(path, KIND, LAYOUT), True
    except (files.Damaged, FileNotFoundError) as error:
        try:
            return *files.read(previous(path), KIND, LAYOUT), False
        except (files.Damaged, FileNotFoundError):
            if isinstance(error, FileNotFoundError):
                raise
            raise files.Damaged(f"{error} Remove it to begin anew, or choose another path.") from None


@dataclass(frozen=True)
class Identity:
    """What a run is known by: its data, its settings, and for the reader how they look."""

    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    shown: Mapping[str, str]
    recipes: Mapping[str, Any]

    def refuse_other(self, path: Path, meta: Mapping[str, Any]) -> None:
        """Raise where the file is of another run, and say what differs."""
        then, now = meta["data"], self.data
        end = "; give the same again, or another checkpoint path."
        if then["shape"] != list(now["shape"]):
            there, here = (f"{m:,} × {n:,}" for m, n in (then["shape"], now["shape"]))
            raise ValueError(f"The checkpoint {path} belongs to another matrix, {there} and not {here}{end}")
        for name, what in (("dtype", "precision"), ("nnz", "number of entries"), ("digest", "numbers")):
            if then[name] != now[name]:
                told = "" if name == "digest" else f" ({then[name]}, not {now[name]})"
                raise ValueError(f"The checkpoint {path} belongs to another matrix: it has other {what}{told}{end}")
        for name, here in self.settings.items():
            if meta["settings"].get(name) != here:
                was, is_ = meta["shown"].get(name), self.shown[name]
                told = f"{name}={was}, not {is_}" if was != is_ else f"another {name} ({was})"
                raise ValueError(f"The checkpoint {path} was made with {told}{end}")


class Checkpoint:
    """Keeps a run: shown its state after every iteration, it writes one now and then, whole or not at all.

    ``seed`` and ``began`` are those of the run that is gone on with, where there is one: the clock goes on too.
    """

    def __init__(self, path: Path, every: int | None, identity: Identity, seed: int, began: float) -> None:
        self.path, self.every, self.identity, self.seed, self.began = path, every, identity, seed, began
        self._meta, self._arrays, self._sound = _opened(path)
        if self._meta is not None:
            try:
                identity.refuse_other(path, self._meta)
                self.seed = int(self._meta["seed"])
                self.began -= float(self._meta["seconds"])
            except (KeyError, TypeError, AttributeError):
                raise self._misfit() from None
        self._latest: State | None = None
        self._versions = versions()
        self._ticks, self._wrote = 0, time.perf_counter()

    def result(self, algorithms: Sequence[Algorithm]) -> Factorization | None:
        """The result, where the run had come to its end; it was made by one of ``algorithms``."""
        if self._meta is None or self._meta["state"]["phase"] != "done":
            return None
        try:
            found = Factorization.from_parts(self._meta["state"]["result"], self._arrays)
            made = next(one for one in algorithms if str(one) == found.certificate.algorithm)
            return replace(found, algorithm=made)
        except (KeyError, TypeError, AttributeError, ValueError, StopIteration):
            raise self._misfit() from None

    def state(self, unpacking: Unpacking) -> State | None:
        """The state to go on from, where there is one."""
        if self._meta is None:
            return None
        try:
            found = unpacking.state(self._meta["state"], self._arrays)
        except (KeyError, TypeError, AttributeError, ValueError, AssertionError):
            raise self._misfit() from None
        self._arrays = {}
        return found

    def _misfit(self) -> ValueError:
        return ValueError(f"{self.path} is a {KIND} file, but its contents do not fit together.")

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
            best, (state, arrays) = leader(self._latest), pack(self._latest)
            self._write(state, arrays, best.at, best.best.error)
            self._ticks, self._wrote = 0, time.perf_counter()

    def finish(self, found: Factorization) -> None:
        """Write the result, so that the same call gives it at once."""
        meta, arrays = found.parts()
        self._write({"phase": "done", "result": meta}, arrays, found.certificate.iterations, found.error)

    def _write(self, state: Any, arrays: Mapping[str, Array], iteration: int, error: float) -> None:
        seconds = time.perf_counter() - self.began
        told = {"iteration": iteration, "error": error, "seconds": seconds, "versions": self._versions}
        known = {name: getattr(self.identity, name) for name in ("data", "settings", "shown", "recipes")}
        meta = {"state": state, "seed": self.seed, "every": self.every, **told, **known}
        with files.atomic(self.path) as file:
            np.savez(file, **files.members(KIND, LAYOUT, meta, arrays))
            file.flush()
            os.fsync(file.fileno())
            if self._sound and self.path.exists():  # a damaged one must not take the place of the good one before it
                self.path.replace(previous(self.path))
        self._sound = True


def place(path: str | os.PathLike[str]) -> Path:
    """Where a checkpoint is, links followed; a place that cannot be written is refused before any work."""
    found = ordinary(path, "the checkpoint")
    check_target(found, "for the checkpoint")
    before = previous(found)
    if before.is_symlink() or (before.exists() and not before.is_file()):
        raise OSError(f"{before} is not a file, so the checkpoint before the last one cannot be kept there; remove it.")
    return found


def alone(path: Path) -> AbstractContextManager[None]:
    """No other run on this checkpoint meanwhile."""
    return held(path, "The checkpoint")


def _opened(path: Path) -> tuple[Any, dict[str, Array], bool]:
    """What is there to go on from."""
    for left in files.leftovers(path):
        left.unlink(missing_ok=True)
    try:
        return read(path)
    except FileNotFoundError:
        return None, {}, False
