"""Figure 4: the Frobenius and the angular measure by iteration, what they cost, and where they stop."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.as_written import as_written
from partwise.data.as_data import as_data
from partwise.data.products import product, residual2
from partwise.engine.step import Step
from partwise.engine.stopping import Angle, Frobenius, Rule, Stationarity, angular_stop
from partwise.experiments.corpora import PAPER_LIKE, smart_corpus, weight_note
from partwise.experiments.drawing import canvas, label, plain_log
from partwise.experiments.experiment import Cell, Claim, Context, Experiment, Record, Result, Table, judge
from partwise.experiments.numbers import above, median, rank_correlation, rounded, seconds_of
from partwise.factorize import iterate
from partwise.linalg.matching import angles_between, matched_angles, unit_columns
from partwise.linalg.svd import truncated_svd
from partwise.result.certificate import verdict
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RULES: dict[str, Rule] = {
    "error changes by 1e-3 of itself": Frobenius(change=1e-3, every=1, burn_in=1),
    "error changes by 1e-4 of itself": Frobenius(change=1e-4, every=1, burn_in=1),
    "error changes by 1e-5 of itself": Frobenius(change=1e-5, every=1, burn_in=1),
    "every topic turns by at most 5°": Angle(5, every=1, burn_in=1),
    "every topic turns by at most 1°": Angle(1, every=1, burn_in=1),
    "the same, every fifth iteration after ten": angular_stop(),
    "the same, columns matched": Angle(1, matched=True, every=1, burn_in=1),
    "every topic turns by at most 0.1°": Angle(0.1, every=1, burn_in=1),
    "KKT residual at most 1e-2": Stationarity(1e-2, every=1, burn_in=1),
    "KKT residual at most 1e-4": Stationarity(1e-4, every=1, burn_in=1),
}


def run(
    context: Context,
    *,
    rank: int = 10,
    iterations: int = 100,
    seeds: int = 10,
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """ACLS on CISI from several random starts; the first is drawn."""
    text = smart_corpus("cisi", context.data, weight, stem)
    opt = truncated_svd(text.matrix, rank).error
    paths, stops = [], []
    for seed in context.track("ACLS on cisi", range(seeds)):
        steps = list(
            islice(iterate(text.matrix, rank, algorithm=as_written("acls"), init="random", seed=seed), iterations + 1)
        )
        paths.append(_paths(steps, opt))
        stops.append({name: _stop(rule, steps) for name, rule in RULES.items()})
    costs = _costs(text.matrix, steps[-1])
    notes = (
        f"ACLS as the paper writes it with λ = .5 on CISI, k = {rank}, {iterations} iterations from {seeds} random "
        "starts; the figure shows the first. " + weight_note(weight, stem),
        "The angle is the largest that a topic turned by since the iteration before; matched means that each column "
        "is compared with the one it is assigned to.",
    )
    series = {"paths": paths, "stops": stops, "costs": costs, "opt": opt}
    return Result((_stop_table(stops, opt), _cost_table(costs)), verdicts(series), notes, series)


def _paths(steps: list[Step], opt: float) -> Record:
    """The measures at each iteration from the first on."""
    later = steps[1:]
    matched = [matched_angles(s.w, s.previous_w) if s.previous_w is not None else s.angles for s in later]
    return {
        "error": rounded([above(step.error, opt) for step in later]),
        "angle": rounded([step.angle for step in later]),
        "matched": rounded([np.max(angles) if angles is not None else np.nan for angles in matched]),
        "mean": rounded([np.mean(step.angles) if step.angles is not None else np.nan for step in later]),
        "moved": [_moved(step) for step in later],
    }


def _moved(step: Step) -> int:
    """How many columns of W are nearer to another column of the iteration before than to their own."""
    if step.previous_w is None:
        return 0
    cosines = unit_columns(step.w).T @ unit_columns(step.previous_w)
    return int(np.sum(cosines.argmax(axis=1) != np.arange(len(cosines))))


def _stop(rule: Rule, steps: list[Step]) -> Record | None:
    """The first iteration at which a rule would stop, and the stationarity verdict there."""
    step = next((step for step in steps if rule(step) is not None), None)
    if step is None:
        return None
    where = {"iteration": step.iteration, "error": rounded(step.error, 8), "kkt": rounded(step.kkt)}
    return where | {"verdict": verdict(step.optimality)}


def _costs(matrix: sp.csr_array, step: Step) -> dict[str, float]:
    """Seconds of each measure, with WᵀA and WᵀW known, as in the paper, or computed for it."""
    data = as_data(matrix)
    w, h, before = step.w, step.h, step.previous_w
    assert before is not None
    assert step.deferred is not None
    check = step.deferred
    with Workers(1) as workers, single_threaded_blas():
        rhs = product(data.T, w, workers)
        tasks: dict[str, Callable[[], object]] = {
            "Frobenius, by-products at hand": lambda: _trace(data.norm2, rhs, h, step.basis.gram),
            "Frobenius, WᵀA made for it": lambda: _trace(data.norm2, product(data.T, w, workers), h, w.T @ w),
            "Frobenius, entry by entry": lambda: residual2(data, w, h, workers),
            "angle": lambda: _angle(w, before),
            "angle, columns matched": lambda: matched_angles(w, before),
            "KKT residual": lambda: check.again()(),
        }
        return {name: rounded(seconds_of(task, 31), 3) for name, task in tasks.items()}


def _trace(norm2: float, rhs: Array, h: Array, gram: Array) -> float:
    """The trace form of section 5."""
    return norm2 - 2 * float(np.vdot(rhs, h)) + float(np.vdot(gram, h.T @ h))


def _angle(w: Array, before: Array) -> Array:
    dots = np.einsum("ij,ij->j", w, before)
    lengths = np.einsum("ij,ij->j", w, w) * np.einsum("ij,ij->j", before, before)
    return angles_between(dots / np.sqrt(lengths))


def rises(path: list[float | None]) -> int:
    """How often a measure goes up from one iteration to the next, beyond a thousandth of itself."""
    known = [value for value in path if value is not None]
    return sum(after > 1.001 * before for before, after in pairwise(known))


def _stop_table(stops: list[Record], opt: float) -> Table:
    head = ("rule", "stops in", "at iteration", "above the SVD, %", "KKT residual", "verdicts there")
    rows: list[tuple[Cell, ...]] = []
    for name in RULES:
        reached = [stop[name] for stop in stops if stop[name] is not None]
        verdicts = "; ".join(sorted({stop["verdict"] for stop in reached}))
        iteration, error, kkt = (median([stop[key] for stop in reached]) for key in ("iteration", "error", "kkt"))
        numbers = (rounded(iteration, 4), rounded(above(error, opt), 4), rounded(kkt, 3))
        rows.append((name, f"{len(reached)} of {len(stops)}", *numbers, verdicts))
    return Table("stops", "Where each rule would have stopped (medians over the starts)", head, tuple(rows))


def _cost_table(costs: dict[str, float]) -> Table:
    base = costs["Frobenius, by-products at hand"]
    rows = tuple((name, rounded(1e6 * s, 4), rounded(s / base, 3)) for name, s in costs.items())
    head = ("measure", "µs", "against the trace form with by-products")
    return Table("costs", "What each measure costs, on one thread", head, rows)


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the paths, the iterations at which rules stop, and the costs."""
    paths, stops, costs = series["paths"], series["stops"], series["costs"]
    plain, matched = (sum(rises(p[key]) for p in paths) for key in ("angle", "matched"))
    half = len(paths[0]["moved"]) // 2
    early, late = (sum(sum(p["moved"][part]) for p in paths) for part in (slice(10), slice(half, None)))
    cheap = costs["angle"]
    frobenius = [costs[n] for n in costs if n.startswith("Frobenius")]
    together = [rank_correlation(_steps(p["error"]), p["angle"][1:]) for p in paths]
    leveled = [stop["error changes by 1e-4 of itself"] for stop in stops]
    kkts = [stop["kkt"] for stop in leveled if stop is not None]
    return (
        Claim(
            "it does not maintain continual descent",
            judge([plain > 0]),
            f"The angle rises {plain} times in {sum(len(p['angle']) for p in paths)} iterations.",
            "5",
        ),
        Claim(
            "because the basis vectors compared from one iteration to the next are not required to maintain any fixed "
            "column order",
            judge([plain > 0 and matched < plain / 2, plain > 0 and matched < plain]),
            f"With the columns matched it still rises {matched} times of {plain}.",
            "5",
        ),
        Claim(
            "After several iterations, the column ordering of the basis vectors in W is less likely to change",
            judge([early > late]),
            f"Columns nearer to another than to their own of the iteration before: {early} in the first ten "
            f"iterations, {late} in the second half, over all starts.",
            "5",
        ),
        Claim(
            "The angular convergence measure is much less expensive to compute than the Frobenius measure",
            judge(cheap < 0.5 * cost for cost in frobenius),
            f"The angle takes {1e6 * cheap:.0f} µs; the Frobenius measure {1e6 * frobenius[0]:.0f} µs with the "
            f"by-products of the iteration, {1e6 * frobenius[1]:.0f} µs when WᵀA is made for it, "
            f"{1e6 * frobenius[2]:.0f} µs entry by entry.",
            "5",
        ),
        Claim(
            "a similar measure converges simultaneously with the expensive convergence criterion based on the "
            "objective function",
            judge([median(together) > 0.5]),
            f"Rank correlation of the angle with the change of the error: {median(together):.2f} (median over the "
            "starts).",
            "5",
        ),
        Claim(
            "levels off does not guarantee stationarity",
            judge([bool(kkts) and median(kkts) > 1e-4]),
            f"The error changes by less than 1e-4 of itself in {len(kkts)} of {len(stops)} runs, with KKT residuals "
            f"of {', '.join(f'{kkt:.1e}' for kkt in sorted(kkts))}; 1e-4 is stationary.",
            "5",
        ),
        _every_fifth(stops, series["opt"]),
    )


def _every_fifth(stops: list[Record], opt: float) -> Claim:
    """The angle at every iteration against every fifth."""
    pairs = [(stop["every topic turns by at most 1°"], stop["the same, every fifth iteration after ten"])
             for stop in stops]  # fmt: skip
    both = [(each, fifth) for each, fifth in pairs if each is not None and fifth is not None]
    later = [fifth["iteration"] - each["iteration"] for each, fifth in both]
    gains = [above(each["error"], opt) - above(fifth["error"], opt) for each, fifth in both]
    checks = [max((fifth["iteration"] - 10) // 5 + 1, 1) for _, fifth in both]
    return Claim(
        "it is wise to only compute the measure every five or so iterations after some burn-in period",
        judge([bool(both) and median(later) <= 10, bool(both) and len(both) >= len(stops) / 2]),
        f"1° is reached in {len(both)} of {len(stops)} runs; every fifth iteration after ten it takes "
        f"{median(checks or [0]):.0f} checks in place of "
        f"{median([each['iteration'] for each, _ in both] or [0]):.0f}, ends {median(later or [0]):.0f} iterations "
        f"later and {median(gains or [0.0]):.3f} points lower (medians).",
        "5",
    )


def _steps(path: list[float]) -> list[float]:
    return [abs(after - before) for before, after in pairwise(path)]


def draw(result: Result) -> Figure:
    """Left the Frobenius measure, right the angle as it stands and matched."""
    path = result.series["paths"][0]
    figure, axes = canvas(1, 2, 9.5, 3.6)
    at = range(1, len(path["error"]) + 1)
    axes[0, 0].plot(at, path["error"], color="#0b6e4f", lw=1.8)
    label(axes[0, 0], "Frobenius measure", "iteration", "above the SVD's error, %")
    plain_log(axes[0, 0].yaxis)
    axes[0, 1].plot(at, path["angle"], color="#c1272d", lw=1.8, label="largest angle")
    axes[0, 1].plot(at, path["matched"], color="#20335c", lw=1.2, ls="--", label="the same, columns matched")
    axes[0, 1].plot(at, path["mean"], color="#999999", lw=1.2, ls=":", label="mean over the topics")
    plain_log(axes[0, 1].yaxis)
    label(axes[0, 1], "Angular measure", "iteration", "degrees turned")
    axes[0, 1].legend(fontsize=8, frameon=False)
    return figure


NEEDS = ("cisi",)
EXPERIMENT = Experiment("The convergence criteria", "Figure 4, section 5", run, verdicts, draw, NEEDS)
