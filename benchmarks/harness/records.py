"""One file for each run, so that a benchmark goes on where it was broken off and nothing is measured twice."""

import hashlib
import importlib.metadata
import json
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from harness import BENCH, RAW, modules
from harness.problems import Problem
from partwise.storage.atomic import atomic

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One run: a solver on a problem from a seed, timed once ("fit") or along its way ("curve")."""

    problem: Problem
    solver: str
    kind: str
    seed: int
    target: float | None = None

    @property
    def path(self) -> Path:
        """Where its record is kept."""
        folder = RAW / f"{self.problem.name}-k{self.problem.rank}"
        return folder / f"{self.kind}-{self.solver}-{self.seed}.json"

    @property
    def key(self) -> str:
        """What must be the same for a record to stand: the matrix, the solver's file, its versions and its target."""
        parts = [self.problem.signature, self.problem.rank, self.kind, self.target, versions(self.solver)]
        return digest(json.dumps([*parts, source(self.solver)], sort_keys=True).encode())


def read(cell: Cell) -> Record | None:
    """The record of a run, if there is one that stands; what failed is tried again."""
    if not cell.path.exists():
        return None
    record: Record = json.loads(cell.path.read_text())
    return record if record["key"] == cell.key and "failed" not in record else None


def write(cell: Cell, outcome: Record) -> Record:
    """Keep what came out of a run, with what it was made by and when."""
    record = {
        "key": cell.key,
        "solver": cell.solver,
        "kind": cell.kind,
        "seed": cell.seed,
        "target": cell.target,
        "versions": versions(cell.solver),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **outcome,
    }
    cell.path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(cell.path) as file:
        file.write((json.dumps(record, indent=1) + "\n").encode())
    return record


def every(problem: Problem) -> list[Record]:
    """All records of a problem, old ones too."""
    folder = RAW / f"{problem.name}-k{problem.rank}"
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def missing(solver: str) -> str | None:
    """Why a solver cannot be run here, or None."""
    module = modules.load("solvers", solver)
    if hasattr(module, "missing"):
        reason: str | None = module.missing()
        return reason
    try:
        versions(solver)
    except importlib.metadata.PackageNotFoundError as error:
        return f"{error.name} is not installed; pip install {error.name}"
    return None


@cache
def versions(solver: str) -> dict[str, str]:
    """The versions a result depends on; for partwise the hash of its source."""
    module = modules.load("solvers", solver)
    if hasattr(module, "versions"):
        own: dict[str, str] = module.versions()
        return own
    return {
        name: partwise_source() if name == "partwise" else importlib.metadata.version(name) for name in module.PACKAGES
    }


@cache
def partwise_source() -> str:
    """A hash of all Python files of the package that is imported."""
    import partwise

    root = Path(partwise.__file__).parent
    files = sorted(root.rglob("*.py"))
    return digest(b"".join(str(path.relative_to(root)).encode() + path.read_bytes() for path in files))


@cache
def commit() -> str:
    """The commit that is checked out, where git knows."""
    process = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=BENCH, capture_output=True, text=True, check=False
    )
    return process.stdout.strip()


def source(solver: str) -> str:
    """A hash of the solver's file."""
    return digest((BENCH / "solvers" / f"{solver}.py").read_bytes())


def digest(data: bytes) -> str:
    """A short hash."""
    return hashlib.sha256(data).hexdigest()[:12]
