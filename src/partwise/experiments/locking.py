"""Zeros that should not be zero: how many each method has by iteration, and what unlocking them gains."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.as_written import as_written
from partwise.algorithms.table import as_algorithm
from partwise.algorithms.updates.multiplicative import lift
from partwise.engine.step import Step
from partwise.engine.stopping import MaxIterations
from partwise.experiments.corpora import PAPER_LIKE, smart_corpus, weight_note
from partwise.experiments.drawing import COLORS, canvas, label
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, judge
from partwise.experiments.numbers import above, median, rounded
from partwise.factorize import factorize, iterate
from partwise.linalg.svd import truncated_svd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = {name: as_written(name) for name in ("multiplicative", "gdcls", "als", "acls")} | {
    "hals": as_algorithm("hals")
}
LOCKING = ("multiplicative", "gdcls")
STARTS = {"random": "dense", "random-acol": "sparse"}


def run(
    context: Context,
    *,
    rank: int = 10,
    iterations: int = 100,
    seeds: int = 3,
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """MEDLARS, every method from a dense and from a sparse start."""
    text = smart_corpus("medlars", context.data, weight, stem)
    opt = truncated_svd(text.matrix, rank).error
    cases = [(method, start) for start in STARTS for method in METHODS]
    paths = {}
    for method, start in context.track("locking", cases):
        runs = [_path(text.matrix, rank, method, start, seed, iterations, opt) for seed in range(seeds)]
        paths[f"{method} from {start}"] = {
            key: rounded(np.median([run[key] for run in runs], axis=0)) for key in runs[0]
        }
    gains = [
        _gains(text.matrix, rank, method, start, iterations, opt)
        for method, start in context.track("unlocking", [(m, s) for m in LOCKING for s in STARTS])
    ]
    notes = (
        f"MEDLARS, k = {rank}, {iterations} iterations, medians of {seeds} seeds; random is a dense start, "
        "random-acol a sparse "
        "one. " + weight_note(weight, stem),
        "A zero is wrong where the gradient says that the entry should grow; a method that locks cannot let it. "
        "Unlocking raises every zero to 10⁻⁴ of its row's mean and goes on for as many iterations as going on without "
        "it.",
    )
    series = {"paths": paths, "gains": gains}
    return Result((_table(paths), _gain_table(gains)), verdicts(series), notes, series)


def _path(matrix: sp.csr_array, rank: int, method: str, start: str, seed: int, iterations: int, opt: float) -> Record:
    """By iteration: wrong zeros, zeros that came back since the iteration before, the error."""
    wrong: list[float] = []
    back: list[float] = [0]
    errors: list[float] = []
    zeros: list[float] = []
    before: Step | None = None
    for step in islice(
        iterate(matrix, rank, algorithm=METHODS[method], init=start, seed=seed, reseed=False), iterations + 1
    ):
        check = step.optimality
        wrong.append(check.locked_w + check.locked_h)
        zeros.append(int(np.sum(step.w == 0)) + int(np.sum(step.h == 0)))
        errors.append(above(step.error, opt))
        if before is not None:
            back.append(int(np.sum((before.w == 0) & (step.w > 0))))
        before = step
    paths: dict[str, list[float]] = {"wrong": wrong, "back": back, "error": errors, "zeros": zeros}
    return {key: path + path[-1:] * (iterations + 1 - len(path)) for key, path in paths.items()}


def _gains(matrix: sp.csr_array, rank: int, method: str, start: str, iterations: int, opt: float) -> Record:
    """Where a locking method ends, goes on to, and goes on to from lifted zeros."""
    stop = MaxIterations(iterations)
    first = factorize(matrix, rank, algorithm=METHODS[method], init=start, stop=stop, reseed=False)
    pairs = {"on": (first.w, first.H), "lifted": (lift(first.w), lift(first.h).T)}
    ends = {
        name: factorize(matrix, rank, algorithm=METHODS[method], init=pair, stop=stop, reseed=False)
        for name, pair in pairs.items()
    }
    free = factorize(matrix, rank, algorithm="hals", init=pairs["on"], stop=stop, reseed=False)
    case = {"method": method, "start": start, "wrong": first.certificate.w.locked + first.certificate.h.locked}
    return case | {
        "end": rounded(above(first.error, opt), 4),
        "on": rounded(above(ends["on"].error, opt), 4),
        "lifted": rounded(above(ends["lifted"].error, opt), 4),
        "free": rounded(above(free.error, opt), 4),
    }


def _table(paths: Record) -> Table:
    head: tuple[str, ...] = ("method and start", "wrong zeros at 1", "at 10", "at the last", "zeros at the last")
    head += ("zeros of W that came back", "Error(last), %")
    rows = []
    for name, path in paths.items():
        at = [int(path["wrong"][min(i, len(path["wrong"]) - 1)]) for i in (1, 10, len(path["wrong"]) - 1)]
        rows.append((name, *at, int(path["zeros"][-1]), int(sum(path["back"])), rounded(path["error"][-1], 4)))
    return Table("zeros", "Wrong zeros by iteration", head, tuple(rows))


def _gain_table(gains: list[Record]) -> Table:
    head = (
        "method",
        "start",
        "wrong zeros",
        "Error, %",
        "gone on, %",
        "unlocked and gone on, %",
        "gone on with hals, %",
    )
    rows = tuple((g["method"], g["start"], g["wrong"], g["end"], g["on"], g["lifted"], g["free"]) for g in gains)
    return Table("unlocking", "What unlocking gains", head, rows)


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the zeros by iteration and what unlocking gains."""
    paths, gains = series["paths"], series["gains"]
    back = {name: int(sum(path["back"])) for name, path in paths.items()}
    locked = {name: int(path["wrong"][-1]) for name, path in paths.items()}
    lock = [n for n in paths if n.split()[0] in LOCKING]
    free = [n for n in paths if n not in lock]
    better = [g["lifted"] < g["on"] - 0.01 for g in gains]
    als = {s: min(paths[f"{m} from {s}"]["error"][-1] for m in ("als", "acls")) for s in STARTS}
    ends = {s: min(paths[f"{m} from {s}"]["error"][-1] for m in LOCKING) for s in STARTS}
    return (
        Claim(
            "once an element in either W or H becomes 0, it must remain 0",
            judge(back[name] == 0 for name in lock),
            f"Zeros of W that came back in Lee–Seung and GDCLS: {', '.join(f'{back[n]} ({n})' for n in lock)}.",
            "3.3.2",
        ),
        Claim(
            "ALS algorithms do not lock elements",
            judge(back[name] > 0 for name in free),
            f"Zeros of W that came back: {', '.join(f'{back[n]:,} ({n})' for n in free)}.",
            "3.3.2",
        ),
        Claim(
            "once the algorithm starts down a path toward a particular topic vector, it must continue in that "
            "direction",
            judge([locked[n] > 0 for n in lock if "acol" in n] + [any(better)]),
            "Wrongly locked zeros at the end: "
            "" + ", ".join(f"{locked[n]:,} ({n})" for n in lock) + "; unlocking lowers the "
            "error "
            + ", ".join(f"from {g['on']:.3f} to {g['lifted']:.3f} % ({g['method']}, {g['start']})" for g in gains)
            + ".",
            "3.3.2",
        ),
        Claim(
            "avoidance of the so-called locking phenomenon is one reason why the class of ALS algorithms works well "
            "in practice",
            judge([als[s] < ends[s] for s in STARTS]),
            "Error at the end, the better of als and acls against the better of Lee–Seung and GDCLS: "
            + "; ".join(f"{STARTS[s]} start {als[s]:.3f} against {ends[s]:.3f} %" for s in STARTS)
            + f"; median gain of unlocking {median([g['on'] - g['lifted'] for g in gains]):.3f} points.",
            "3.3.2",
        ),
    )  # fmt: skip


def draw(result: Result) -> Figure:
    """Wrong zeros by iteration, dense start and sparse start, and the errors."""
    figure, axes = canvas(1, 4, 13.5, 3.5)
    for column, start in enumerate(STARTS):
        for method in METHODS:
            path = result.series["paths"][f"{method} from {start}"]
            style = {"color": COLORS[method], "lw": 1.7, "ls": "-" if method in LOCKING else "--"}
            axes[0, column].plot(path["wrong"], label=method, **style)
            axes[0, 2 + column].plot(path["error"], **style)
        label(axes[0, column], f"{STARTS[start]} start ({start})", "iteration", "zeros that should not be zero")
        axes[0, column].set_yscale("symlog", linthresh=10)
        axes[0, column].set_ylim(0)
        label(axes[0, 2 + column], f"{STARTS[start]} start ({start})", "iteration", "above the SVD's error, %")
        axes[0, 2 + column].set_ylim(0, 2)
    axes[0, 0].legend(fontsize=8, frameon=False)
    return figure


NEEDS = ("medlars",)
EXPERIMENT = Experiment("Locking", "Section 3.3.2", run, verdicts, draw, NEEDS)
