"""A fast ALS-type run, then a method that reaches a local minimum, against either alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partwise.algorithms.as_written import as_written
from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import anls, hals, projected_gradient
from partwise.data.products import gram_of
from partwise.engine.stopping import MaxIterations, Stationarity
from partwise.experiments.corpora import smart_corpus, weight_note
from partwise.experiments.drawing import COLORS, canvas, label
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, judge
from partwise.experiments.numbers import above, median, rounded
from partwise.linalg.svd import truncated_svd
from partwise.result.factorization import Factorization

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAST = {name: as_written(name) for name in ("acls", "als")}
SLOW = {"hals": hals, "anls": anls, "projected-gradient": projected_gradient}
LAMBDA = {"acls": 0.5, "als": 0.0}
TOLERANCE = 1e-4


def run(
    context: Context, *, rank: int = 10, fast: int = 20, most: int = 600, seeds: int = 3, weight: str = "tfidf"
) -> Result:
    """Each pair with one objective: the slow methods carry the penalty of the fast one."""
    rows = []
    cases = [(name, first) for name in ("medlars", "cisi") for first in FAST]
    for name, first in context.track("polish", cases):
        text = smart_corpus(name, context.data, weight)
        opt, norm2 = truncated_svd(text.matrix, rank).error, float((text.matrix.data**2).sum())
        for method, settings in _methods(first, fast, most).items():
            fits = [context.fit(text.matrix, rank, init="random", seed=seed, **settings) for seed in range(seeds)]
            rows.append({"data": name, "first": first, "method": method, **_medians(fits, opt, norm2)})
    notes = (
        f"k = {rank}, {seeds} random starts, medians. {fast} iterations of the fast method, then the other until "
        "the KKT "
        f"residual is {TOLERANCE:g} (stationary) or {most} iterations. ACLS has λ = .5, and so has what polishes it. "
        + weight_note(weight),
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
    table = Table("runs", "Alone and together", head, tuple(tuple(row.values()) for row in rows))
    return Result((table,), tuple(_claims(rows)), notes, {"rows": rows})


def _methods(first: str, fast: int, most: int) -> dict[str, Record]:
    """Name -> settings of factorize: the fast one alone, each slow one alone, and the two together."""
    lam, stop = LAMBDA[first], [Stationarity(TOLERANCE), MaxIterations(most)]
    slow: dict[str, Algorithm] = {name: factory(lam, lam) for name, factory in SLOW.items()}
    methods: dict[str, Record] = {f"{first} alone": {"algorithm": FAST[first], "stop": stop}}
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
    }


def _objective(fit: Factorization, norm2: float) -> float:
    """‖A − WH‖² with the penalties, over ‖A‖²."""
    assert fit.algorithm is not None
    sides = ((fit.algorithm.w, fit.w), (fit.algorithm.h, fit.h))
    return fit.error**2 + sum(side.value(gram_of(f)) for side, f in sides) / norm2


def _claims(rows: list[Record]) -> list[Claim]:
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
    return [
        Claim(
            "our ad-hoc enforcement of nonnegativity means there are no proofs of convergence to a local minimum",
            judge(row["kkt"] is not None and row["kkt"] > TOLERANCE for row in alone),
            "KKT residual at which the clipping methods stay: "
            + ", ".join(f"{row['kkt']:.1e} ({row['first']}, {row['data']})" for row in alone)
            + f"; {TOLERANCE:g} is stationary.",
            "3.3.3",
        ),
        Claim(
            "if a local minimum must be achieved, use a fast ALS-type result as the initialization for a slow "
            "algorithm",
            judge([all(done), all(lower)]),
            f"Together {sum(done)} of {len(done)} pairs are stationary, {sum(lower)} have a lower objective than "
            "the fast "
            f"method alone, by {gain:.2%} (median); with a penalty that is not the error itself.",
            "6",
        ),
        Claim(
            "a slow algorithm gains from the fast start",
            judge([sum(faster) > len(faster) / 2, all(faster)]),
            f"{sum(faster)} of {len(faster)} pairs are done sooner than the slow method alone from the same "
            "random start, in "
            f"{median([both['seconds'] / slow['seconds'] for both, slow, _ in pairs]):.2f} of its time (median).",
            "6",
        ),
    ]


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
EXPERIMENT = Experiment("A fast run and its polish", "Sections 3.3.3 and 6", run, draw, NEEDS)
