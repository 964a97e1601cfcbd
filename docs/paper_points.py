"""The lines of docs/paper.md: claims worth a line, what lies behind their verdicts, and the numbers in them."""

from collections.abc import Mapping
from dataclasses import dataclass

from partwise.experiments.algorithm_claims import NEAR, OTHERS, time_of, until
from partwise.experiments.basis_claims import covered, shared_terms
from partwise.experiments.convergence import rises
from partwise.experiments.experiment import Record
from partwise.experiments.nonnegativity_claims import CLIPPED, FAST_NNLS, LOG, NNLS, PIVOTING, PRODUCT, SERIAL, SOLVE


@dataclass(frozen=True)
class Point:
    """A claim worth a line: its experiment and first words, a headline, and what lies behind the verdict."""

    experiment: str
    says: str
    headline: str
    why: str


POINTS = (
    Point(
        "basis-vectors",
        "cover 8 of the 10",
        "The topics",
        "Ten ACLS topics cover {covered} of the 10 Reuters categories and share {shared} of the 60 terms of table 3, "
        "once words are weighted by log-entropy and stemmed; tf-idf in columns of length 1 covers {tfidf}. More than "
        "8 cannot be had: nearly all wheat and corn articles are grain too.",
    ),
    Point(
        "initializations",
        "The best method, SVD-centroid",
        "The best start",
        "Error(10) from svd-centroid is {svd_centroid:.3f} %, from random {random:.3f} %; the paper has .06 and .28.",
    ),
    Point(
        "locking",
        "once an element in either",
        "Locking",
        "No zero of W ever comes back in Lee–Seung or GDCLS; {back:,} did in ALS. From a sparse start locking costs "
        "Lee–Seung {locked:.2f} points of error.",
    ),
    Point(
        "polish",
        "we recommend using",
        "A fast run, then a slow one",
        "All {pairs} pairs of an ALS-type run and a polish by HALS, NNLS or projected gradient end stationary, which "
        "no ALS-type run does alone; {lower} of them with a lower objective than it reaches alone.",
    ),
    Point(
        "algorithms",
        "ACLS and AHCLS require less time than the SVD",
        "Faster than the SVD",
        "ACLS is within 1 % of the SVD's error in {acls:.0f} ms on MEDLARS, the SVD takes {svd:.0f} ms or more.",
    ),
    Point(
        "nonnegativity",
        "The speed improvement results",
        "One solve, not many",
        "Solving for H column by column takes {serial:.0f} times as long on MEDLARS as one system for all columns.",
    ),
    Point(
        "nonnegativity",
        "Even the faster version",
        "NNLS is the bottleneck",
        "Bro and de Jong's NNLS takes {share:.0%} of the half-step on MEDLARS, though it is {gain:.0f} times as fast "
        "as Lawson and Hanson's.",
    ),
    Point(
        "nonnegativity",
        "improves sparsity",
        "Clipping makes factors sparser",
        "Exact NNLS with the same λ leaves {exact:.0%} zeros on MEDLARS, clipping {clipped:.0%}. What clipping does "
        "is save time: an iteration of NNLS by pivoting takes {pivoting:.0f} times as long.",
    ),
    Point(
        "nonnegativity",
        "add negativity penalties",
        "The logarithmic penalty",
        "Left to future work by the paper. It ends where exact NNLS does, at {log:.0f} times the time of clipping.",
    ),
    Point(
        "algorithms",
        "the ALS-type algorithms outperform",
        "More accurate than Lee–Seung",
        "After 10 iterations yes; after {iterations} the two are level, since Lee–Seung is slow, not poor.",
    ),
    Point(
        "algorithms",
        "ACLS and AHCLS are the fastest",
        "The fastest available",
        "To within 1 % of the SVD: {order}.",
    ),
    Point(
        "algorithms",
        "Most other NMF algorithms",
        "Others orders of magnitude slower than the SVD",
        "That was so for NNLS by Lawson and Hanson ({nnls:.0f} times the SVD's time); Lee–Seung needs {lee:.1f} times.",
    ),
    Point(
        "polish",
        "the ALS fixed points can be superior",
        "ALS fixed points",
        "They can be: from the same start ALS ends lower than Lee–Seung in {wins} of {starts} runs, lower than exact "
        "NNLS in {exact}.",
    ),
    Point(
        "basis-vectors",
        "This first basis vector does break",
        "Wheat and corn part at k = 12",
        "The field does become two topics, American farm policy and harvests abroad: corn and wheat stay together.",
    ),
    Point(
        "applications",
        "the NMF works nearly as well as the SVD on points … (2)",
        "Retrieval nearly as good as the SVD's",
        "Mean average precision on MEDLARS {nmf:.3f} against {svd:.3f}.",
    ),
    Point(
        "convergence",
        "The angular convergence measure is much less",
        "The angle is cheaper",
        "Than an error computed for its own sake, yes. But in ALS the error is a by-product of the iteration, and "
        "then it is the cheaper one.",
    ),
    Point(
        "algorithms",
        "On average the ACLS",
        "Two thirds of GDCLS's time",
        "An iteration of ACLS takes {ratio:.2f} of one of GDCLS on Reuters: the two products with A, which both need, "
        "are nearly all of either.",
    ),
    Point(
        "sparsity",
        "Increasing these values",
        "λ makes factors sparse",
        "λI is a ridge: it shrinks entries and spreads them. From λ = .01 to 3 the zeros of ACLS go from {few:.0%} to "
        "{many:.0%}. What looks sparse at a strong λ are runs that lost topics.",
    ),
    Point(
        "sparsity",
        "the four AHCLS parameters",
        "AHCLS is easy to set",
        "Inside the guideline, λ up to 1, {lost} of {runs} runs lose topics, since λ is measured against the scale of "
        "A. In partwise the bare name means `relative(.01)`, a share of that scale.",
    ),
    Point(
        "sparsity",
        "represent a user's desired sparsity",
        "α is the sparsity wanted",
        "Nothing in the algorithm holds it there. `hoyer` projects each row on the cone of the sparsity asked for.",
    ),
    Point(
        "basis-vectors",
        "the relative error for this global",
        ".009 % above the SVD",
        "The best of 500 starts ends {above:.3f} % above, the lowest stationary point {lowest:.3f} %, and no "
        "weighting tried comes below {least:.2f} %: on our data it is nonnegativity that costs this, not the search.",
    ),
    Point(
        "convergence",
        "because the basis vectors compared",
        "Columns change places",
        "They never do: in {iterations:,} iterations no column was nearer to another than to itself, and with the "
        "columns matched the angle rises {matched} times, without {plain}.",
    ),
    Point(
        "initializations",
        "Co-occurrence: large, dense",
        "Co-occurrence is too expensive",
        "C = AAᵀ is never formed here: {seconds:.2g} s in place of 3,287 s.",
    ),
)


def figures(series: Mapping[str, Record]) -> Record:
    """The numbers of the lines, by experiment."""
    return {
        "algorithms": _algorithms(series["algorithms"]),
        "initializations": _starts(series["initializations"]),
        "basis-vectors": _basis(series["basis-vectors"]),
        "convergence": _angles(series["convergence"]["paths"]),
        "sparsity": _sparsity(series["sparsity"]),
        "nonnegativity": _ways(series["nonnegativity"]),
        "locking": _locking(series["locking"]),
        "polish": _polish(series["polish"]),
        "applications": {
            method.lower(): next(
                row["precision"]
                for row in series["applications"]["queries"]
                if (row["data"], row["method"]) == ("medlars", method)
            )
            for method in ("NMF", "SVD")
        },
    }


def _algorithms(series: Record) -> Record:
    medlars, methods = series["collections"]["medlars"], ("acls", "ahcls", *OTHERS[:4])
    svd = min(medlars["svd_seconds"], medlars["arpack_seconds"])
    near = {method: until(medlars, method, NEAR) for method in (*methods, *OTHERS)}
    times = {method: 1e3 * seconds for method, seconds in near.items() if seconds is not None}
    ranked = sorted((method for method in methods if method in times), key=lambda method: times[method])
    return {
        "acls": times["acls"],
        "svd": 1e3 * svd,
        "iterations": series["iterations"],
        "order": ", ".join(f"{method} {times[method]:.3g} ms" for method in ranked) + " (MEDLARS)",
        "nnls": times["anls-lawson-hanson"] / (1e3 * svd),
        "lee": times["multiplicative"] / (1e3 * svd),
        "ratio": time_of(series["large"], "acls") / time_of(series["large"], "gdcls"),
    }


def _starts(series: Record) -> Record:
    rows = {row["init"]: row for row in series["rows"]}
    ten = {name.replace("-", "_"): row["error"][1] for name, row in rows.items()}
    return ten | {"seconds": rows["co-occurrence"]["seconds"]}


def _basis(series: Record) -> Record:
    moved = {one["weight"]: one["topics"] for one in series["moved"]}
    return {
        "covered": len(covered(series["topics"])),
        "shared": shared_terms(series["topics"])[2].sum(),
        "tfidf": len(covered(moved["tfidf"])),
        "above": series["runs"][0]["above"],
        "lowest": min(run["above"] for run in series["runs"]),
        "least": min(one["above"] for one in series["moved"]),
    }


def _angles(paths: list[Record]) -> Record:
    plain, matched = (sum(rises(path[key]) for path in paths) for key in ("angle", "matched"))
    return {"iterations": sum(len(path["angle"]) for path in paths), "plain": plain, "matched": matched}


def _sparsity(series: Record) -> Record:
    rows = {(row["sweep"], row["method"], row["value"]): row for row in series["rows"]}
    inside = [row for (sweep, method, lam), row in rows.items() if (sweep, method) == ("λ", "ahcls") and lam <= 1]
    return {
        "few": rows["λ", "acls", 0.01]["zeros"],
        "many": rows["λ", "acls", 3.0]["zeros"],
        "lost": sum(row["collapsed"] for row in inside),
        "runs": series["seeds"] * len(inside),
    }


def _ways(series: Record) -> Record:
    costs, rows = series["costs"]["medlars"], {(row["data"], row["way"]): row for row in series["rows"]}
    return {
        "serial": costs[SERIAL] / costs[SOLVE],
        "share": costs[FAST_NNLS] / (costs[FAST_NNLS] + costs[PRODUCT]),
        "gain": costs[NNLS] / costs[FAST_NNLS],
        "log": rows["medlars", LOG]["ms"] / rows["medlars", CLIPPED]["ms"],
        "pivoting": rows["medlars", PIVOTING]["ms"] / rows["medlars", CLIPPED]["ms"],
        "exact": rows["medlars", PIVOTING]["zeros"],
        "clipped": rows["medlars", CLIPPED]["zeros"],
    }


def _locking(series: Record) -> Record:
    last = {name: path["error"][-1] for name, path in series["paths"].items()}
    free = min(last["als from random-acol"], last["acls from random-acol"])
    back = int(sum(series["paths"]["als from random-acol"]["back"]))
    return {"locked": last["multiplicative from random-acol"] - free, "back": back}


def _polish(series: Record) -> Record:
    ends: dict[str, list[float]] = {}
    for row in series["rows"]:
        if row["first"] == "als":
            ends.setdefault(row["method"], []).extend(row["ends"])
    wins = {
        name: sum(ours < theirs for ours, theirs in zip(ends["als alone"], ends[f"{name} alone"], strict=True))
        for name in ("multiplicative", "anls")
    }
    by = {(row["data"], row["first"], row["method"]): row for row in series["rows"]}
    pairs = [row for row in series["rows"] if ", then " in row["method"]]
    lower = [row["objective"] < by[row["data"], row["first"], f"{row['first']} alone"]["objective"] for row in pairs]
    return {
        "wins": wins["multiplicative"],
        "exact": wins["anls"],
        "starts": len(ends["als alone"]),
        "pairs": len(pairs),
        "lower": sum(lower),
    }
