"""``resume``: look at a run that was kept in a file, and go on with it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from partwise.engine.checkpoint import MISFIT, misfit, read
from partwise.factorize import factorize
from partwise.result.factorization import Factorization
from partwise.storage.settings import Foreign, rebuild
from partwise.storage.targets import check_path

SHOWN = ("rank", "algorithm", "init", "seed", "stop", "polish", "restarts")
STATES = {"run": "under way", "race": "under way", "polish": "polishing", "done": "finished"}


@dataclass(frozen=True)
class Resumable:
    """A run that was kept: what it is, how far it came, and :meth:`go` to go on with it."""

    path: Path
    shape: tuple[int, int]
    dtype: str
    phase: str
    """run, race, polish or done"""
    iteration: int
    """Of the best start so far, where there are several."""
    error: float
    seconds: float
    shown: Mapping[str, str]
    settings: Mapping[str, Any] = field(repr=False)
    every: int | None = field(repr=False)

    def go(self, matrix: Any, *, threads: int | None = None, **own: Any) -> Factorization:
        """Go on to the end with the matrix of this run, which a file does not hold.

        What a file cannot hold either, such as a start or a rule of one's own, is given again by its name.
        """
        settings = {name: self._setting(name, value) for name, value in self.settings.items() if name not in own} | own
        rank = settings.pop("rank")
        return factorize(matrix, rank, **settings, threads=threads, checkpoint=self.path, every=self.every)

    def _setting(self, name: str, value: Any) -> Any:
        try:
            return rebuild(value)
        except Foreign:
            hint = f"give it again as go(matrix, {name}=...)"
            raise ValueError(
                f"The run in {self.path} has its own {name} ({self.shown[name]}), which no file can hold: {hint}."
            ) from None
        except MISFIT:
            raise misfit(self.path) from None

    def rows(self) -> list[tuple[str, str]]:
        """Names and what there is to say of them."""
        m, n = self.shape
        settings = [(name, self.shown[name]) for name in SHOWN if self.shown[name] not in ("None", "")]
        return [
            ("checkpoint", str(self.path)),
            ("matrix", f"{m:,} × {n:,}, {self.dtype}"),
            *settings,
            ("state", f"{STATES[self.phase]} at iteration {self.iteration}, {self.seconds:.3g} s"),
            ("error", f"{self.error:.6g} of ‖A‖"),
        ]

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def resume(path: str | os.PathLike[str]) -> Resumable:
    """The run that ``factorize(..., checkpoint=path)`` kept: print it, or ``.go(matrix)`` to go on with it."""
    check_path(path)
    meta, _, _ = read(path)
    try:
        run = Resumable(
            path=Path(path),
            shape=(int(meta["data"]["shape"][0]), int(meta["data"]["shape"][1])),
            dtype=str(meta["data"]["dtype"]),
            phase=meta["state"]["phase"],
            iteration=int(meta["iteration"]),
            error=float(meta["error"]),
            seconds=float(meta["seconds"]),
            shown=meta["shown"],
            settings=meta["settings"],
            every=meta["every"],
        )
        run.rows()  # what cannot be shown is no description of a run
        if not isinstance(run.settings, dict) or "rank" not in run.settings:
            raise ValueError("There are no settings.")
        return run
    except MISFIT:
        raise misfit(Path(path)) from None
