"""Run a cell in a fresh process under a time limit, and check what it made."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from harness import BENCH, cores, modules
from harness.checks import check
from harness.records import Cell, Record

ITERATIONS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 70, 100, 150)
BUDGET = 45.0
"""Seconds after which a curve is not continued."""


def execute(cell: Cell, matrix: Any, limit: float) -> Record:
    """The outcome of one run: its rows, or why there are none."""
    with tempfile.TemporaryDirectory(prefix="partwise-bench-") as name:
        folder = Path(name)
        failed = outcome(command(cell, folder), limit)
        part_of_the_way = cell.kind == "curve" and (folder / "rows.json").exists()
        if failed is not None and not part_of_the_way:
            return failed
        output = json.loads((folder / "rows.json").read_text())
        rows = [{**row, **checked(matrix, folder, number)} for number, row in enumerate(output["rows"])]
        shared = {"threads": output["threads"], "cores": cores()}
        return {"rows": rows, **shared} if cell.kind == "curve" else {**rows[0], **shared}


def command(cell: Cell, folder: Path) -> list[str]:
    """The command line of the worker."""
    solver = modules.load("solvers", cell.solver)
    job = {
        "solver": str(BENCH / "solvers" / f"{cell.solver}.py"),
        "matrix": str(cell.problem.folder),
        "out": str(folder),
        "kind": cell.kind,
        "rank": cell.problem.rank,
        "seed": cell.seed,
        "target": cell.target,
        "iterations": ITERATIONS,
        "budget": BUDGET,
    }
    (folder / "job.json").write_text(json.dumps(job))
    python = str(getattr(solver, "INTERPRETER", sys.executable))
    return [python, "-W", "ignore", "-m", "harness.worker", str(folder / "job.json")]


def outcome(line: list[str], limit: float) -> Record | None:
    """None when the worker came to its end; the solver's own children are stopped with it."""
    path = os.pathsep.join(part for part in (str(BENCH), os.environ.get("PYTHONPATH")) if part)
    worker = subprocess.Popen(
        line,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        _, complaint = worker.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return {"over": limit}
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.communicate()
    if worker.returncode == 0:
        return None
    last = (complaint.strip().splitlines() or [f"exit code {worker.returncode}"])[-1]
    return {"failed": last[:200]}


def checked(matrix: Any, folder: Path, number: int) -> Record:
    """Error and KKT residual from the factors on disk."""
    result = check(matrix, *(np.load(folder / f"{side}{number}.npy") for side in ("W", "H")))
    return {"error": result.error, "kkt": result.kkt}
