"""A fast ALS-type run, then a method that reaches a local minimum, against either alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partwise.algorithms.as_written import as_written
from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import anls, gdcls, hals, projected_gradient
from partwise.data.products import gram_of
from partwise.engine.stopping import MaxIterations, Stationarity
from partwise.experiments.corpora import PAPER_LIKE, smart_corpus, weight_note
from partwise.experiments.drawing import COLORS, canvas, label
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, Wording, judge
from partwise.experiments.numbers import above, median, rounded
from partwise.linalg.svd import truncated_svd
from partwise.result.factorization import Factorization

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAST = {name: as_written(name) for name in ("acls", "als")}
SLOW = {"hals": hals, "anls": anls, "projected-gradient": projected_gradient}
OTHERS = {"multiplicative": as_written("multiplicative"), "gdcls": as_written(gdcls(0.0, 0.0))}
"""The two methods that the paper sets beside ALS, without a penalty."""
LAMBDA = {"acls": 0.5, "als": 0.0}
TOLERANCE = 1e-4


def run(
    context: Context,
    *,
    rank: int = 10,
    fast: int = 20,
    most: int = 600,
    seeds: int = 3,
    weight: str = PAPER_LIKE[0],
    stem: str = PAPER_LIKE[1],
) -> Result:
    """Each pair with one objective: the slow methods carry the penalty of the fast one."""
    rows = []
    cases = [(name, first) for name in ("medlars", "cisi") for first in FAST]
    for name, first in context.track("polish", cases):
        text = smart_corpus(name, context.data, weight, stem)
        opt, norm2 = truncated_svd(text.matrix, rank).error, float((text.matrix.data**2).sum())
        for method, settings in _methods(first, fast, most).items():
            fits = [
                context.fit(text.matrix, rank, seed=seed, **{"init": "random", **settings}) for seed in range(seeds)
            ]
            rows.append({"data": name, "first": first, "method": method, **_medians(fits, opt, norm2)})
    notes = (
        f"k = {rank}, {seeds} random starts, medians. {fast} iterations of the fast method, then the other until the "
        f"KKT residual is {TOLERANCE:g} (stationary) or {most} iterations. ACLS has λ = .5, and so has what polishes "
        "it. " + weight_note(weight, stem),
    )
    head = (
        "collection",
        "fast method",
        "run",
        "Error, %",
        "objective",
        "KKT residual",
        "stationary",
        "iterations",
        "s",
    )
    lines = tuple(tuple(cell for key, cell in row.items() if key != "ends") for row in rows)
    series = {"rows": rows}
    return Result((Table("runs", "Alone and together", head, lines),), verdicts(series), notes, series)


def _methods(first: str, fast: int, most: int) -> dict[str, Record]:
    """Name -> settings of factorize: the fast one alone, each slow one alone, and the two together."""
    lam, stop = LAMBDA[first], [Stationarity(TOLERANCE), MaxIterations(most)]
    slow: dict[str, Algorithm] = {name: factory(lam, lam) for name, factory in SLOW.items()}
    methods: dict[str, Record] = {f"{first} alone": {"algorithm": FAST[first], "stop": stop}}
    if not lam:
        methods |= {f"{name} alone": {"algorithm": one, "stop": stop, "init": one.init} for name, one in OTHERS.items()}
    for name, method in slow.items():
        methods[f"{name} alone"] = {"algorithm": method, "stop": stop}
        methods[f"{first}, then {name}"] = {
            "algorithm": FAST[first],
            "stop": MaxIterations(fast),
            "polish": method,
            "polish_stop": stop,
        }
    return methods


def _medians(fits: list[Factorization], opt: float, norm2: float) -> Record:
    certificates = [fit.certificate for fit in fits]
    kkts = [c.kkt if c.kkt is not None else float("nan") for c in certificates]
    return {
        "error": rounded(above(median([fit.error for fit in fits]), opt), 4),
        "objective": rounded(median([_objective(fit, norm2) for fit in fits]), 6),
        "kkt": rounded(median(kkts), 3),
        "stationary": f"{sum(c.verdict == 'stationary' for c in certificates)} of {len(certificates)}",
        "iterations": int(median([c.iterations for c in certificates])),
        "seconds": rounded(median([c.seconds for c in certificates]), 3),
        "ends": rounded([above(fit.error, opt) for fit in fits], 5),
    }


def _objective(fit: Factorization, norm2: float) -> float:
    """‖A − WH‖² with the penalties, over ‖A‖²."""
    assert fit.algorithm is not None
    sides = ((fit.algorithm.w, fit.w), (fit.algorithm.h, fit.h))
    return fit.error**2 + sum(side.value(gram_of(f)) for side, f in sides) / norm2


def verdicts(series: Record) -> tuple[Claim, ...]:
    """From the errors, KKT residuals and seconds of the runs."""
    rows = series["rows"]
    by = {(r["data"], r["first"], r["method"]): r for r in rows}
    cases = sorted({(r["data"], r["first"]) for r in rows})
    alone = [by[d, f, f"{f} alone"] for d, f in cases]
    pairs = [
        (by[d, f, f"{f}, then {s}"], by[d, f, f"{s} alone"], by[d, f, f"{f} alone"]) for d, f in cases for s in SLOW
    ]
    done = [both["kkt"] is not None and both["kkt"] <= TOLERANCE for both, _, _ in pairs]
    lower = [both["objective"] < fast["objective"] for both, _, fast in pairs]
    faster = [both["seconds"] < slow["seconds"] for both, slow, _ in pairs]
    gain = median([1 - both["objective"] / fast["objective"] for both, _, fast in pairs])
    return (
        Claim(
            "there are no proofs claiming convergence to a local minimum; saddle points are now possible",
            judge(row["kkt"] is not None and row["kkt"] > TOLERANCE for row in alone),
            "KKT residual at which the clipping methods stay: "
            + ", ".join(f"{row['kkt']:.1e} ({row['first']}, {row['data']})" for row in alone)
            + f"; {TOLERANCE:g} is stationary.",
            "3.3.3",
        ),
        _proper(rows),
        _fixed_points(rows),
        Claim(
            "we recommend using the results from a fast ALS-type algorithm as the initialization for one of the slow "
            "algorithms",
            judge([all(done), all(lower)]),
            f"Together {sum(done)} of {len(done)} pairs are stationary, {sum(lower)} have a lower objective than the "
            f"fast method alone, by {gain:.2%} (median); with a penalty that is not the error itself.",
            "6",
        ),
        Claim(
            "A slow algorithm gains time from the fast start",
            judge([sum(faster) > len(faster) / 2, all(faster)]),
            f"{sum(faster)} of {len(faster)} pairs are done sooner than the slow method alone from the same random "
            f"start, in {median([both['seconds'] / slow['seconds'] for both, slow, _ in pairs]):.2f} of its time "
            "(median).",
            "6",
            Wording.OURS,
        ),
    )


def _proper(rows: list[Record]) -> Claim:
    """ACLS with the rows of each half-step solved exactly."""
    proper = [row for row in rows if row["first"] == "acls" and row["method"] == "anls alone"]
    return Claim(
        "with properly enforced nonnegativity, for example, by the NNLS algorithm, are known to converge to a local "
        "minimum",
        judge(row["kkt"] is not None and row["kkt"] <= TOLERANCE for row in proper),
        "ACLS with exact rows ends stationary in "
        + ", ".join(f"{row['stationary']} runs ({row['data']}, KKT residual {row['kkt']:.1e})" for row in proper)
        + "; that a stationary point is a minimum is not tested.",
        "3.3.3",
    )


def _fixed_points(rows: list[Record]) -> Claim:
    """Where ALS ends, start by start, against where the others do."""
    by = {(row["data"], row["method"]): row for row in rows if row["first"] == "als"}
    wins: dict[str, list[bool]] = {}
    for data in dict.fromkeys(row["data"] for row in rows):
        ends = by[data, "als alone"]["ends"]
        for name in (*OTHERS, *SLOW):
            theirs = by[data, f"{name} alone"]["ends"]
            wins.setdefault(name, []).extend(ours < other for ours, other in zip(ends, theirs, strict=True))
    return Claim(
        "the ALS fixed points can be superior to the results of other NMF algorithms",
        judge([any(own) for own in wins.values()]),
        "From the same start ALS ends with a lower error than "
        + ", ".join(f"{name} in {sum(own)} of {len(own)} runs" for name, own in wins.items())
        + ".",
        "3.3.3",
    )


def draw(result: Result) -> Figure:
    """The seconds of every run as bars, with the error and the KKT residual at its end."""
    rows = result.series["rows"]
    cases = list(dict.fromkeys((row["data"], row["first"]) for row in rows))
    figure, axes = canvas(2, -(-len(cases) // 2), 11.5, 5.6)
    for axis, (data, first) in zip(axes.T.flat, cases, strict=False):
        own = [r for r in rows if (r["data"], r["first"]) == (data, first)]
        longest = max(row["seconds"] for row in own)
        for row in own:
            together = "then" in row["method"]
            name = row["method"].split()[-1] if together else row["method"].split()[0]
            color = COLORS.get(name, "#20335c")
            axis.barh([row["method"]], [row["seconds"]], color=color if together else "white", edgecolor=color)
            kkt = "" if row["kkt"] is None else f", KKT {row['kkt']:.0e}"
            axis.text(
                row["seconds"] + 0.01 * longest, row["method"], f" {row['error']:.3f} %{kkt}", fontsize=7.5, va="center"
            )
        axis.set_xlim(0, 1.45 * longest)
        axis.invert_yaxis()
        label(
            axis, f"{data}, {first} (error above the SVD, KKT residual)", "seconds until it is stationary or stops", ""
        )
    return figure


NEEDS = ("medlars", "cisi")
EXPERIMENT = Experiment("A fast run and its polish", "Sections 3.3.3 and 6", run, verdicts, draw, NEEDS)
