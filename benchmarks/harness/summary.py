"""Medians and spread of the runs of a data set: what is committed and what the pages are made from."""

import json
import platform
import statistics
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from harness import RESULTS, cores, modules
from harness.problems import Problem
from harness.records import Record, every
from partwise.storage.atomic import atomic

FIGURES = ("seconds", "error", "kkt", "iterations", "peak_bytes", "bytes_before", "iteration_seconds")
WITHIN = 1.001
"""A run has come near when its error is at most this times the best that is known."""


def summarise(problem: Problem, missing: dict[str, str], records: list[Record] | None = None) -> Record:
    """All that is known of one data set; what an earlier summary has and these records do not have stays."""
    runs = every(problem) if records is None else records
    kept = earlier(problem)
    fits = {**kept.get("fits", {}), **{name: fit_row(name, rows) for name, rows in grouped(runs, "fit")}}
    curves = dict(grouped(runs, "curve"))
    best = best_error([*fits.values(), *(row for rows in curves.values() for r in rows for row in r.get("rows", []))])
    best = min(best, kept.get("best_error") or best)
    drawn = {name: curve_row(name, rows, best) for name, rows in curves.items()}
    return {
        "name": problem.name,
        "label": problem.label,
        "rank": problem.rank,
        "shape": list(problem.shape),
        "nnz": problem.nnz,
        "sparse": problem.sparse,
        "signature": problem.signature,
        "best_error": best if best < float("inf") else None,
        "machine": {"cores": cores(), "python": platform.python_version(), "cpu": cpu()},
        "fits": fits,
        "curves": {**kept.get("curves", {}), **drawn},
        "missing": {name: why for name, why in {**kept.get("missing", {}), **missing}.items() if name not in fits},
    }


def earlier(problem: Problem) -> Record:
    """The summary on disk, if it is of the same matrix and rank."""
    path = RESULTS / f"bench-{problem.name}.json"
    committed: Record = json.loads(path.read_text()) if path.exists() else {}
    same = committed.get("signature") == problem.signature and committed.get("rank") == problem.rank
    return committed if same else {}


def grouped(records: Iterable[Record], kind: str) -> Iterable[tuple[str, list[Record]]]:
    """For each solver its records of the newest versions; runs of different versions are never mixed."""
    by_solver: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record["kind"] == kind:
            by_solver[record["solver"]].append(record)
    for name, rows in sorted(by_solver.items()):
        newest = max(rows, key=lambda row: row["date"])
        yield name, sorted((row for row in rows if row["key"] == newest["key"]), key=lambda row: row["seed"])


def fit_row(solver: str, rows: list[Record]) -> Record:
    """One solver's medians; a run that was stopped or failed is told instead of figures."""
    about = {
        "label": modules.load("solvers", solver).LABEL,
        "seeds": len(rows),
        "dates": [rows[0]["date"][:10], rows[-1]["date"][:10]],
        "versions": rows[-1]["versions"],
        "target": rows[-1]["target"],
        "threads": rows[-1].get("threads"),
    }
    for trouble in ("over", "failed"):
        if any(trouble in row for row in rows):
            return {**about, trouble: next(row[trouble] for row in rows if trouble in row)}
    return {**about, **{figure: spread(row.get(figure) for row in rows) for figure in FIGURES}}


def spread(values: Iterable[float | None]) -> dict[str, float] | None:
    """Median, least and most."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    return {"median": short(statistics.median(present)), "least": short(min(present)), "most": short(max(present))}


def curve_row(solver: str, rows: list[Record], best: float) -> Record:
    """The medians along the way, and for each seed the seconds until it came within 0.1 % of the best known."""
    module, whole = modules.load("solvers", solver), [row["rows"] for row in rows if "rows" in row]
    points = [
        {"iterations": each[0]["iterations"], **{name: middle(each, name) for name in ("seconds", "error")}}
        for each in zip(*whole, strict=False)
    ]
    return {
        "label": module.LABEL,
        "own_start": getattr(module, "OWN_START", False),
        "seeds": len(whole),
        "date": rows[-1]["date"][:10],
        "points": points,
        "within": [reached(row, best * WITHIN) for row in whole],
        "last_seconds": [short(row[-1]["seconds"]) for row in whole],
        "kkt": middle([row[-1] for row in whole], "kkt") if whole else None,
        **{trouble: row[trouble] for row in rows for trouble in ("over", "failed") if trouble in row},
    }


def middle(rows: Iterable[Record], figure: str) -> float | None:
    """The median of one figure."""
    summary = spread(row.get(figure) for row in rows)
    return None if summary is None else summary["median"]


def reached(points: list[Record], level: float) -> float | None:
    """Seconds until the error is at most `level`, on the straight line between two measured points."""
    for before, point in zip([None, *points], points, strict=False):
        if point["error"] <= level:
            if before is None:
                return short(point["seconds"])
            part = (before["error"] - level) / (before["error"] - point["error"])
            return short(before["seconds"] + part * (point["seconds"] - before["seconds"]))
    return None


def best_error(rows: Iterable[Record]) -> float:
    """The least error of factors that are nonnegative (those with a KKT residual)."""
    errors = [float("inf")]
    for row in rows:
        if row.get("kkt") is not None:
            errors.append(row["error"]["least"] if isinstance(row["error"], dict) else row["error"])
    return min(errors)


def save(name: str, content: Any) -> None:
    """Write a result, whole or not at all."""
    RESULTS.mkdir(exist_ok=True)
    with atomic(RESULTS / f"{name}.json") as file:
        file.write((json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def short(value: float) -> float:
    """Six digits are enough for a measured figure."""
    return float(f"{value:.6g}")


def cpu() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123
            return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        return platform.processor()
