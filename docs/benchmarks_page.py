"""docs/benchmarks.md: partwise beside its peers, from the summaries in benchmarks/results."""

import json
import sys
from pathlib import Path
from typing import Any

import defaults_part

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness import report  # noqa: E402, it stands beside the benchmarks
from harness.targets import Results  # noqa: E402

INTRO = """# Beside its peers

This page is written by `make docs` from `benchmarks/results/`, which `make bench` writes (`make bench-quick` a part \
of it). Every run has a process of its own; the harness owns the clock, gives read-only inputs, and computes error and \
KKT residual itself from W and H (‖X − WH‖/‖X‖; the residual is that of the [design](design.md), without penalties). \
Times are those of the fit alone, after a tiny fit that loads everything; all cores are free to all. Peers are called \
as their users call them, with their own defaults. Medians over the seeds, least and most in brackets; the column \
"seeds" says how many: five, or three for the peers that no target names and for the smallest data sets, and fewer \
where a run takes long (over 20 s three, over 60 s two, over 120 s one). The peak is that of the whole process, the \
matrix and all libraries included. mlpack takes dense matrices alone; RcppML takes a seed and no start."""

REACHED = """## What was to be reached

"(a) 8 ×" means: the default fit takes an eighth of the peer's time and its error is at most the peer's and 0.1 %. \
"(b)" means: from the same start to within 0.1 % of the best error known."""

FIRST_MINUTE = """## The first minute and small data

`make bench-first-minute`. The first rows are what an empty compile cache adds to the CPU seconds of a process; \
imports are whole processes, the least of five. An iteration is (long run − short run) / difference, on one thread, \
the least of five by turns; one of `hals` makes three sweeps for each product, one of scikit-learn's CD one."""

SAME_START = """From the same random start (|N(0, 1)| √(mean / k)), seconds until the error is within 0.1 % of the \
best that any run has found; each length was run anew from the start and timed whole. "Not in" means: not within the \
last time that was run."""


def results() -> Results:
    """Every summary there is, the smaller matrices first."""
    summaries = [json.loads(path.read_text()) for path in (ROOT / "benchmarks" / "results").glob("bench-*.json")]
    return {
        result["name"]: result for result in sorted(summaries, key=lambda result: (not result["sparse"], result["nnz"]))
    }


def page() -> str:
    """The whole page."""
    summaries = results()
    if not summaries:
        return f"{INTRO}\n\nNothing has been measured yet."
    parts = [INTRO, machine(summaries), REACHED, report.targets_table(summaries)]
    parts += [*startup(), *first_minute(), *memory(), *benchopt()]
    parts += defaults_part.part()
    for result in summaries.values():
        parts += data_part(result)
    return "\n\n".join(parts)


def machine(summaries: Results) -> str:
    """Where it was measured, and with which versions."""
    about = next(iter(summaries.values()))["machine"]
    versions: dict[str, set[str]] = {}
    for result in summaries.values():
        for row in result["fits"].values():
            for name, version in row["versions"].items():
                versions.setdefault(name, set()).add(version)
    listed = ", ".join(f"{name} {' and '.join(sorted(each))}" for name, each in sorted(versions.items()))
    return f"{about['cores']} cores, {about['cpu']}, Python {about['python']}; {listed} (partwise: hash of its source)."


def startup() -> list[str]:
    """What it costs to begin."""
    path = ROOT / "benchmarks" / "results" / "startup.json"
    if not path.exists():
        return []
    rows = [[name, f"{seconds:.2f}"] for name, seconds in json.loads(path.read_text())["rows"].items()]
    return ["## Start-up", report.table(["what", "seconds"], rows)]


def first_minute() -> list[str]:
    """The first minute and small data, each figure beside what it was to be."""
    path = ROOT / "benchmarks" / "results" / "first_minute.json"
    if not path.exists():
        return []
    result, parts = json.loads(path.read_text()), [FIRST_MINUTE]
    verdict = {True: "met", False: "missed", None: ""}
    rows = [
        [
            row["what"],
            f"{row['cpu_seconds']:.2f}",
            "" if row["limit"] is None else f"{row['limit']:g}",
            verdict[row["met"]],
        ]
        for section in ("first", "imports")
        for row in result.get(section, ())
    ]
    parts.append(report.table(["what", "CPU seconds", "at most", ""], rows))
    rows = [
        [
            row["data"],
            row["method"],
            str(row["partwise_us"]),
            str(row["sklearn_us"]),
            f"{row['ratio']:.2f}",
            verdict[row["met"]],
        ]
        for row in result.get("iterations", ())
    ]
    parts.append(report.table(["an iteration on", "of", "CPU µs", "scikit-learn's CD, CPU µs", "ratio", "≤ 1"], rows))
    if grid := result.get("grid"):
        parts.append(
            f"GridSearchCV(n_jobs=2) on digits, workers warm: {grid['partwise_seconds']:.2f} s against "
            f"{grid['sklearn_seconds']:.2f} s with scikit-learn's NMF, {grid['faster']:.1f} × faster "
            f"(at least {grid['limit']:g} ×: {verdict[grid['met']]}); best score {grid['partwise_score']:.3f} and "
            f"{grid['sklearn_score']:.3f}."
        )
    return parts


def memory() -> list[str]:
    """The peak of a fit beside scikit-learn's."""
    path = ROOT / "benchmarks" / "results" / "memory.json"
    if not path.exists():
        return []
    result = json.loads(path.read_text())
    rows = [
        [row["what"], str(row["peak_mb"]), str(row["limit_mb"]), "met" if row["met"] else "missed"]
        for row in result["rows"]
        if row["what"] != "sklearn"
    ]
    other = next(row["peak_mb"] for row in result["rows"] if row["what"] == "sklearn")
    intro = (
        f"`make bench-memory`. The largest resident set of a process that fits {result['nonzeros']:,} nonzeros with "
        f"k = {result['rank']}; at most scikit-learn's {other} MB, a copy of the matrix ({result['copy_mb']} MB) and "
        "100 MB."
    )
    return ["## Peak memory", intro, report.table(["what", "MB", "at most", ""], rows)]


def _reached(row: dict[str, Any], solver: str) -> str:
    """The seconds until a solver came there, or those of its longest run."""
    if row["seconds"][solver] is not None:
        return f"{row['seconds'][solver]:.3f}"
    return f"not in {row['longest'][solver]:.2f}" if "longest" in row else "never"


def benchopt() -> list[str]:
    """benchopt's benchmark_nmf with partwise among its solvers."""
    path = ROOT / "benchmarks" / "results" / "benchopt.json"
    if not path.exists():
        return []
    result = json.loads(path.read_text())
    levels = result["rows"]
    solvers = sorted({solver for row in levels for solver in row["seconds"]})
    rows = [[solver, *(_reached(row, solver) for row in levels)] for solver in solvers]
    head = ["seconds until within", *(f"{row['near']:g} ({row['data']})" for row in levels)]
    verdicts = "; ".join(f"{row['data']}, {row['near']:g}: {row['first'] or 'not established'}" for row in levels)
    intro = (
        "`python benchmarks/benchopt_run.py`: its simulated data, its own start and clock, until ½‖X − WH‖² is within "
        f"a share of the least value that any solver reached. First: {verdicts}. All runs of a solver have "
        f"{result['limit_seconds']} seconds together; those that begin anew for every point of their curve "
        '(scikit-learn, tensorly) make many, so "not in" says how long the longest single run was. A solver is first '
        "only where each one that did not come there had a single run at least as long."
    )
    return ["## benchopt's benchmark_nmf", intro, report.table(head, rows)]


def data_part(result: dict[str, Any]) -> list[str]:
    """One data set."""
    rows, columns = result["shape"]
    kind = f"{result['nnz']:,} nonzeros" if result["sparse"] else "dense"
    best = "" if result["best_error"] is None else f"; best error known {result['best_error']:.5f}"
    parts = [
        f"## {result['label'][0].upper()}{result['label'][1:]}",
        f"{rows:,} × {columns:,}, {kind}, k = {result['rank']}{best}.",
        report.fits_table(result),
    ]
    if result["missing"]:
        parts.append("Not run: " + "; ".join(f"{name} ({why})" for name, why in result["missing"].items()) + ".")
    if result["curves"]:
        image = f"images/bench-{result['name']}.svg"
        parts += [SAME_START, report.curves_table(result)]
        parts += [f"![Error against seconds]({image})"] if (ROOT / "docs" / image).exists() else []
    return parts
