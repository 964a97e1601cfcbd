"""Partwise beside its peers: ``python benchmarks/run.py`` (``make bench``), or a part of it.

Runs that are on record for the same matrix, versions and source are not repeated, so an interrupted benchmark goes on
where it was. Every data set and every solver is one file, in datasets/ and solvers/.
"""

import argparse
import json
import shutil
from collections import defaultdict

from harness import RAW, RESULTS, modules, plan, plots, startup
from harness.execute import execute
from harness.problems import Problem, problem
from harness.records import Cell, Record, partwise_source, read, write
from harness.report import terminal_line, terminal_targets
from harness.summary import save, summarise

QUICK_DATA = ("reuters", "reuters10", "cbcl")
QUICK_SOLVERS = ("partwise", "partwise_float32", "sklearn_cd", "sklearn_cd_float32")
ORDER = ("digits", "golub", "medlars", "cbcl", "orl", "reuters10", "reuters", "text1e6", "text1e7", "text1e8")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar=("DATASET", "SOLVER"), help="one data set, and solvers if named")
    parser.add_argument("--quick", action="store_true", help="default against default on three data sets, five seeds")
    parser.add_argument("--again", action="store_true", help="repeat runs that are on record")
    parser.add_argument("--fresh", action="store_true", help="forget all records first: everything in one run")
    parser.add_argument(
        "--report", action="store_true", help="run nothing; summaries, plots and table from the records"
    )
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="the longest run (600)")
    parser.add_argument("--seeds", type=int, default=5, help="the most seeds (5)")
    asked = parser.parse_args()
    asked.data, asked.solvers = chosen(asked, parser)
    return asked


def chosen(asked: argparse.Namespace, parser: argparse.ArgumentParser) -> tuple[list[str], list[str]]:
    """The data sets and the solvers, in the order in which they are run."""
    data = sorted(modules.names("datasets"), key=lambda name: (ORDER.index(name) if name in ORDER else -1, name))
    solvers = modules.names("solvers")
    if asked.quick:
        return list(QUICK_DATA), list(QUICK_SOLVERS)
    if not asked.only:
        return data, solvers
    first, rest = asked.only[0], asked.only[1:]
    for name, known in [(first, data), *((each, solvers) for each in rest)]:
        if name not in known:
            parser.error(f"{name} is not one of {', '.join(known)}.")
    return [first], rest or solvers


class Bench:
    """The runs of one data set; the matrix is read once, for the checks."""

    def __init__(self, task: Problem, asked: argparse.Namespace) -> None:
        self.problem, self.asked = task, asked
        self.seeds = min(asked.seeds, getattr(modules.load("datasets", task.name), "SEEDS", asked.seeds))
        self.known: dict[str, list[Record]] = defaultdict(list)
        self.missing: dict[str, str] = {}
        self._matrix = None

    def run(self, solver: str, kind: str, seed: int, target: float | None = None) -> Record:
        """One run, or its record."""
        cell = Cell(self.problem, solver, kind, seed, target)
        record = None if self.asked.again else read(cell)
        if record is None:
            if self._matrix is None:
                self._matrix = self.problem.matrix()
            record = write(cell, execute(cell, self._matrix, self.asked.limit))
            print(terminal_line(self.problem.name, record), flush=True)
        return record

    def fits(self, solvers: list[str], needy: bool) -> None:
        """Default against default, the solvers by turns so that a slow minute of the machine meets all of them."""
        counts = {name: self.seeds for name in solvers if self.takes(name, needy)}
        for seed in range(self.seeds):
            for name in [name for name, count in counts.items() if seed < count]:
                target = plan.target(name, self.known) if needy else None
                if needy and target is None:
                    self.missing[name] = f"it needs the result of {modules.load('solvers', name).NEEDS[0]} first"
                    counts[name] = 0
                    continue
                self.known[name].append(self.run(name, "fit", seed, target))
                counts[name] = plan.seeds(name, self.known[name][0], self.seeds)

    def takes(self, solver: str, needy: bool) -> bool:
        """Whether a solver belongs to this pass and can be run; the reason is kept when it cannot."""
        if hasattr(modules.load("solvers", solver), "NEEDS") != needy:
            return False
        if reason := plan.refusal(self.problem, solver):
            self.missing[solver] = reason
            print(f"{self.problem.name:<10} {solver:<22} not run: {reason}", flush=True)
        return not reason

    def curves(self, solvers: list[str]) -> None:
        """The way from the same start."""
        for seed in range(plan.curve_seeds(self.problem)):
            for name in solvers:
                if name not in self.missing:
                    self.run(name, "curve", seed)


def bench(name: str, asked: argparse.Namespace) -> None:
    """One data set from the first run to its summary."""
    try:
        task = problem(name)
    except FileNotFoundError as error:
        print(f"{name:<10} left out: {error}")
        return
    work = Bench(task, asked)
    if not asked.report:
        solvers = list(plan.solvers(task))
        known = solvers if asked.only is None and not asked.quick else needed(solvers, asked.solvers)
        work.fits(known, needy=False)
        work.fits(known, needy=True)
        if not asked.quick:
            work.curves([each for each in plan.curve_solvers(task) if each in known])
    figures = summarise(task, work.missing)
    if figures["fits"]:
        save(f"bench-{name}", figures)


def needed(solvers: list[str], wanted: list[str]) -> list[str]:
    """The solvers that were asked for, and those whose results they need."""
    first = {
        modules.load("solvers", name).NEEDS[0] for name in wanted if hasattr(modules.load("solvers", name), "NEEDS")
    }
    return [name for name in solvers if name in wanted or name in first]


def main() -> None:
    """Run what is asked for, then write plots and the table."""
    asked = arguments()
    if asked.fresh:
        shutil.rmtree(RAW, ignore_errors=True)
    for name in asked.data:
        bench(name, asked)
    if not (asked.only or asked.quick or asked.report) and startup_is_old():
        startup.measure()
    results = {path.stem.removeprefix("bench-"): json.loads(path.read_text()) for path in RESULTS.glob("bench-*.json")}
    plots.draw(results)
    print(f"\n{terminal_targets(results)}")


def startup_is_old() -> bool:
    """Whether start-up was measured for other source than this."""
    path = RESULTS / "startup.json"
    return not path.exists() or json.loads(path.read_text())["source"] != partwise_source()


if __name__ == "__main__":
    main()
