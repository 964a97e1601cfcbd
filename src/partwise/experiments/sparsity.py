"""Sweeps of λ and α for ACLS and AHCLS: the sparsity reached, beside the targets of hoyer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from partwise.algorithms.base import Algorithm
from partwise.algorithms.table import acls, ahcls, als, anls, anls_lawson_hanson, hoyer_target
from partwise.engine.stopping import MaxIterations
from partwise.experiments.corpora import smart_corpus, weight_note
from partwise.experiments.drawing import COLORS, canvas, label, plain_log
from partwise.experiments.experiment import Claim, Context, Experiment, Record, Result, Table, judge
from partwise.experiments.numbers import above, median, rank_correlation, rounded
from partwise.linalg.svd import truncated_svd
from partwise.result.factorization import Factorization

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMBDAS = (0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 3.0)
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
TARGETS = (0.2, 0.4, 0.6, 0.8, 0.95)
MEASURES = ("row_w", "row_h", "topic_w", "topic_h", "zeros", "error")


def run(context: Context, *, rank: int = 10, iterations: int = 40, seeds: int = 3, weight: str = "tfidf") -> Result:
    """MEDLARS from random starts, means over the seeds."""
    text = smart_corpus("medlars", context.data, weight)
    opt = truncated_svd(text.matrix, rank).error
    plain = [_fit(context, text.matrix, rank, als(), seed, iterations) for seed in range(seeds)]
    rows = [{"sweep": "none", "method": "als", "value": 0.0, **_mean(plain, opt)}]
    for sweep, method, value in context.track("sparsity", _plan()):
        fits = [
            _fit(context, text.matrix, rank, _algorithm(sweep, method, value, base), seed, iterations)
            for seed, base in enumerate(plain)
        ]
        rows.append({"sweep": sweep, "method": method, "value": value, **_mean(fits, opt)})
    clipped = _clipping(context, text.matrix, rank, iterations, seeds, opt)
    notes = (
        f"MEDLARS, k = {rank}, {iterations} iterations, {seeds} random starts. " + weight_note(weight),
        "“relative” means λ times trace(G)/k with the Gram matrices at which unpenalised ALS ends. By row means "
        "vectors of "
        "length k, as AHCLS has them; by topic means the columns of W and rows of H. The α sweep has λ = .05. A "
        "run that a "
        "penalty brought to nothing keeps the best iterate before.",
    )
    head = (
        "sweep",
        "method",
        "λ, α or target",
        "W by row",
        "H by row",
        "W by topic",
        "H by topic",
        "zeros",
        "Error, %",
    )
    table = Table("sweeps", "Sparsity reached", head,
                  tuple((r["sweep"], r["method"], r["value"], *(r[m] for m in MEASURES)) for r in rows))  # fmt: skip
    other = Table("clipping", "Clipping against proper NNLS, λ = .5", ("method", "ms an iteration", "zeros", "W by row",
                  "H by row", "Error, %"), tuple(tuple(row.values()) for row in clipped))  # fmt: skip
    return Result((table, other), tuple(_claims(rows, clipped)), notes, {"rows": rows})


def _plan() -> list[tuple[str, str, float]]:
    """(sweep, method, value) of every case."""
    plan = [(sweep, method, lam) for sweep in ("λ", "λ relative") for method in ("acls", "ahcls") for lam in LAMBDAS]
    return plan + [("α", "ahcls", alpha) for alpha in ALPHAS] + [("target", "hoyer", target) for target in TARGETS]


def _algorithm(sweep: str, method: str, value: float, base: Factorization) -> Algorithm:
    if sweep == "target":
        return hoyer_target(value, value)
    if sweep == "α":
        return ahcls(0.05, 0.05, value, value)
    lam_w = lam_h = value
    if sweep == "λ relative":
        lam_w, lam_h = (value * float(np.sum(f.astype(np.float64) ** 2)) / base.rank for f in (base.h, base.w))
    return acls(lam_w, lam_h) if method == "acls" else ahcls(lam_w, lam_h, 0.5, 0.5)


def _fit(
    context: Context, matrix: sp.csr_array, rank: int, algorithm: Algorithm, seed: int, iterations: int
) -> Factorization:
    stop = MaxIterations(iterations)
    return context.fit(matrix, rank, algorithm=algorithm, init="random", stop=stop, seed=seed, keep="last")


def _mean(fits: list[Factorization], opt: float) -> Record:
    measures = []
    for fit in fits:
        w, h = fit.certificate.w, fit.certificate.h
        zeros = (w.zeros * fit.w.size + h.zeros * fit.h.size) / (fit.w.size + fit.h.size)
        measures.append((w.sparsity_by_row, h.sparsity_by_row, w.sparsity_by_topic, h.sparsity_by_topic, zeros,
                      above(fit.error, opt)))  # fmt: skip
    return dict(zip(MEASURES, rounded(np.mean(measures, axis=0), 4), strict=True))


def _clipping(
    context: Context, matrix: sp.csr_array, rank: int, iterations: int, seeds: int, opt: float
) -> list[Record]:
    """The same penalty, clipped and solved properly; Lawson and Hanson's NNLS for a few iterations only."""
    rows = []
    methods = {
        "acls (clipped)": acls(),
        "anls (pivoting)": anls(0.5, 0.5),
        "anls (Lawson–Hanson)": anls_lawson_hanson(0.5, 0.5),
    }
    for name, method in context.track("clipping", list(methods.items())):
        length = iterations if "Lawson" not in name else min(iterations, 5)
        fits = [_fit(context, matrix, rank, method, seed, length) for seed in range(seeds)]
        times = [np.diff(fit.history.seconds) for fit in fits]
        mean = _mean(fits, opt)
        rows.append({"method": name + ("" if length == iterations else f", {length} iterations"),
                     "ms": rounded(1e3 * median(np.concatenate(times)), 3), "zeros": mean["zeros"], "w": mean["row_w"],
                     "h": mean["row_h"], "error": mean["error"]})  # fmt: skip
    return rows


def _chosen(rows: list[Record], sweep: str, method: str) -> list[Record]:
    return [row for row in rows if row["sweep"] == sweep and row["method"] == method]


def _rising(rows: list[Record], measure: str) -> float:
    known = [(row["value"], row[measure]) for row in rows if row[measure] is not None]
    return rank_correlation([v for v, _ in known], [m for _, m in known])


def _claims(rows: list[Record], clipped: list[Record]) -> list[Claim]:
    sweeps = {(s, m): _chosen(rows, s, m) for s in ("λ", "λ relative") for m in ("acls", "ahcls")}
    rho = {case: {m: _rising(swept, m) for m in ("row_w", "row_h", "zeros")} for case, swept in sweeps.items()}
    pairs = [(a, b) for s in ("λ", "λ relative") for a, b in zip(sweeps[s, "acls"], sweeps[s, "ahcls"], strict=True)]
    sparser = [(b["row_w"] or 0) > (a["row_w"] or 0) and (b["row_h"] or 0) > (a["row_h"] or 0) for a, b in pairs]
    alphas, targets = _chosen(rows, "α", "ahcls"), _chosen(rows, "target", "hoyer")
    missed = max(abs((r[m] or 0) - r["value"]) for r in alphas for m in ("row_w", "row_h"))
    met = max(abs((r[m] or 0) - r["value"]) for r in targets for m in ("row_w", "row_h"))
    clip, proper, slow = clipped
    return [
        Claim(
            "increasing λ increases the sparsity of the two NMF factors",
            judge(value > 0.7 for each in rho.values() for value in each.values()),
            "Rank correlation of λ with the sparsity of W and H by row and with the zeros: "
            + "; ".join(f"{m} ({s}) {', '.join(f'{r:.2f}' for r in each.values())}" for (s, m), each in rho.items())
            + ".",
            "3.1",
        ),
        Claim(
            "AHCLS does a better job of enforcing sparsity than ACLS does",
            judge([sum(sparser) > len(sparser) / 2, all(sparser)]),
            f"At the same λ both factors are sparser by row with AHCLS (α = .5) in {sum(sparser)} of "
            f"{len(sparser)} cases.",
            "3.2",
        ),
        Claim(
            "α represents a user's desired sparsity in each column of the factors",
            judge([missed < 0.1, min(_rising(alphas, m) for m in ("row_w", "row_h")) > 0.9]),
            f"What is reached misses α by up to {missed:.2f}; its rank correlation with α is "
            f"{_rising(alphas, 'row_w'):.2f} for W and {_rising(alphas, 'row_h'):.2f} for H. The hoyer mode "
            "misses its target "
            f"by at most {met:.3f}.",
            "3.2",
        ),
        Claim(
            "ad-hoc enforcement of nonnegativity drastically speeds up the algorithm",
            judge([clip["ms"] < 0.67 * proper["ms"], clip["ms"] < 0.1 * slow["ms"]]),
            f"An iteration takes {clip['ms']:.3g} ms clipped, {proper['ms']:.3g} ms with block pivoting, "
            f"{slow['ms']:.3g} ms with "
            "Lawson and Hanson's NNLS.",
            "3.3.3",
        ),
        Claim(
            "and improves sparsity",
            judge([clip["zeros"] > proper["zeros"], clip["w"] > proper["w"], clip["h"] > proper["h"]]),
            f"Zeros {clip['zeros']:.1%} clipped, {proper['zeros']:.1%} proper; sparsity by row of W "
            f"{clip['w']:.3f} against "
            f"{proper['w']:.3f}, of H {clip['h']:.3f} against {proper['h']:.3f}; Error {clip['error']:.3f} against "
            f"{proper['error']:.3f} %.",
            "3.3.3",
        ),
    ]  # fmt: skip


def draw(result: Result) -> Figure:
    """Sparsity against λ, against α and target, and what it costs in error."""
    rows = result.series["rows"]
    figure, axes = canvas(1, 3, 12.5, 3.7)
    for method in ("acls", "ahcls"):
        for sweep, style in (("λ", "o-"), ("λ relative", "s--")):
            curve = _chosen(rows, sweep, method)
            legend = f"{method}, {'absolute' if sweep == 'λ' else 'relative'} λ"
            axes[0, 0].plot(
                [r["value"] for r in curve],
                [r["row_w"] for r in curve],
                style,
                ms=4,
                color=COLORS[method],
                label=legend,
            )
            axes[0, 2].plot(
                [r["zeros"] for r in curve],
                [r["error"] for r in curve],
                style,
                ms=4,
                color=COLORS[method],
                label=legend,
            )
    plain_log(axes[0, 0].xaxis)
    label(axes[0, 0], "λ swept", "λ", "sparsity of W by row")
    targets, alphas = _chosen(rows, "target", "hoyer"), _chosen(rows, "α", "ahcls")
    axes[0, 1].plot([0, 1], [0, 1], color="#cccccc", lw=1)
    for curve, name, color in ((alphas, "ahcls, α", COLORS["ahcls"]), (targets, "hoyer, target", COLORS["hals"])):
        axes[0, 1].plot(
            [r["value"] for r in curve], [r["row_w"] for r in curve], "o-", ms=4, color=color, label=f"{name}, W"
        )
        axes[0, 1].plot(
            [r["value"] for r in curve], [r["row_h"] for r in curve], "s--", ms=4, color=color, label=f"{name}, H"
        )
    label(axes[0, 1], "asked and reached", "α or target", "sparsity by row that is reached")
    axes[0, 2].plot(
        [r["zeros"] for r in targets], [r["error"] for r in targets], "^:", ms=4, color=COLORS["hals"], label="hoyer"
    )
    label(axes[0, 2], "what it costs", "zeros in W and H", "above the SVD's error, %")
    for axis in axes.flat:
        axis.legend(fontsize=7, frameon=False)
    return figure


NEEDS = ("medlars",)
EXPERIMENT = Experiment("Sparsity", "Sections 3.1 to 3.3", run, draw, NEEDS)
