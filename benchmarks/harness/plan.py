"""What is run, in which order, and from how many seeds."""

import statistics
from collections.abc import Iterator

from harness import modules
from harness.problems import Problem
from harness.records import Record, missing

STEPS = ((20, 5), (60, 3), (120, 2))
"""Runs of up to so many seconds are repeated from so many seeds, longer ones are not repeated."""


def solvers(problem: Problem) -> Iterator[str]:
    """The solvers of a data set; those that need another's result come last."""
    listed = getattr(modules.load("datasets", problem.name), "SOLVERS", None)
    candidates = [name for name in modules.names("solvers") if listed is None or name in listed]
    here = [
        name for name in candidates if problem.name in getattr(modules.load("solvers", name), "ONLY", (problem.name,))
    ]
    yield from sorted(here, key=lambda name: hasattr(modules.load("solvers", name), "NEEDS"))


def curve_solvers(problem: Problem) -> list[str]:
    """The solvers that are drawn: those that take a start, or say that they bring their own."""
    return [name for name in solvers(problem) if hasattr(modules.load("solvers", name), "fit_from")]


def refusal(problem: Problem, solver: str) -> str | None:
    """Why a solver is not run on a problem."""
    module = modules.load("solvers", solver)
    return missing(solver) or (module.refuses(problem) if hasattr(module, "refuses") else None)


def curve_seeds(problem: Problem) -> int:
    """From how many starts the way is measured on a data set."""
    return int(modules.load("datasets", problem.name).CURVES)


def seeds(solver: str, first: Record, most: int) -> int:
    """How many seeds there are in all, once the first run is known; a solver may ask for fewer."""
    most = min(most, getattr(modules.load("solvers", solver), "SEEDS", most))
    if "seconds" not in first:
        return 1
    return min(most, next((count for limit, count in STEPS if first["seconds"] <= limit), 1))


def target(solver: str, known: dict[str, list[Record]]) -> float | None:
    """What a solver must come down to: a factor times the median of another solver's figure."""
    name, figure, factor = modules.load("solvers", solver).NEEDS
    values = [record[figure] for record in known.get(name, []) if record.get(figure) is not None]
    return factor * statistics.median(values) if values else None
