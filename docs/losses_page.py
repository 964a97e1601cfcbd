"""docs/losses.md, every number and verdict of it from ``benchmarks/results/losses.json``."""

from collections.abc import Callable
from typing import Any

Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
Part = dict[str, Any]

INTRODUCTION = (
    "This page is written by `make docs` from `benchmarks/results/losses.json`, which `make bench-losses` "
    "writes. Each run is a process of its own after a tiny fit that loads everything; runs that are compared "
    "take turns. Processor seconds are those of all threads together, and what is judged where other work was on "
    "the machine (its load average is given): partwise uses every core, scikit-learn's multiplicative updates "
    "one."
)
COUNTS = (
    "Reuters-21578 as counts of words, {terms:,} terms × {documents:,} documents, {nnz:,} nonzeros, whole. "
    'scikit-learn: `NMF(k, solver="mu", beta_loss="kullback-leibler")` with its own start, tolerance and 200 '
    'iterations. partwise: `factorize(A, k, loss="poisson")`, which is `kl-sweeps` from the start `spa`; the '
    "time until its divergence is scikit-learn's last one, then its own end. D is computed by numpy from W and H "
    "of either."
)
START = (
    "The start was chosen among nine on MEDLARS and CISI as counts at k = 10 and 30, by the divergence at the end: "
    "`spa` and `centroid` did best on average, `random-acol` worst, and `spa` costs about one iteration. On Reuters "
    "and the digits, where nothing was chosen, `spa` ended lower than `random-acol`, on the digits on average over "
    "seeds. Methods for a matrix on disk or on Dask keep `random-acol`, since `spa` reads A once for every component."
)
RATINGS = (
    "MovieLens-100k, the folds u1 to u5 that come with it, k = 10, predictions clipped to 1 to 5, the mean where "
    'a film is unknown. partwise: `missing="zeros"`, exact rows with momentum. cmfrec: `CMF(k=10, nonneg=True, '
    "center=False, scale_lam=True)`, the same objective. λ is chosen for each fold among {count} values on a "
    "tenth of its training ratings. cmfrec's error is that of 30 iterations, its time that of its default of 10, "
    "where its error is higher; the time of a fit is the least of three. The default λ (.03 here), and that biases "
    "are held at half the root of the mean, were chosen on the training parts of u1 to u3."
)
HOLES = (
    'CBCL faces, a tenth of the pixels unknown at random, k = 25, `missing="nan"`, beside the fit of all pixels; '
    "medians of three turns."
)
SQUARED = (
    "The squared loss on complete data, version 0.1 against now by turns: the same number of `als-hals` "
    "iterations from one W, and `factorize(A, k)` with the defaults of the time. Up to 5 % is taken as noise."
)


UNKNOWN = (
    "The default penalty by observation is λ = .001 + .036 u⁴ of the mean entry, u the unknown share. It was chosen on "
    "Olivetti faces, generated products with noise of 5 and 30 %, expression data (Golub) and the ratings, where λ = "
    ".03 is good at u = .95; here are data that it was not chosen on (`python benchmarks/unknown.py`): RMSE on the "
    "unknown entries over the standard deviation of all, beside fixed λ. Before, λ was .001 up to half unknown and .03 "
    "from there on. What is best depends on the noise, which nobody knows before a fit: where there is little, a "
    "smaller λ is much better; where there is much, a larger one. `PerObservation(λ)` sets it. "
    "On Golub's raw values, a tenth unknown, the default predicts worse than the mean does: "
    "take logarithms of data with such tails."
)


def page(found: dict[str, Any], ranks: Part | None, unknown: Part | None, table: Table) -> str:
    """The whole page; ``ranks`` and ``unknown`` are what further benchmarks wrote, where they have."""
    more = {"ranks": ranks, "unknown": unknown}
    parts = found["parts"] | {name: part for name, part in more.items() if part}
    shown = [piece for name, tell in SECTIONS.items() if name in parts for piece in tell(parts[name], table)]
    return "\n\n".join(["# Counts, ratings, holes: measured", INTRODUCTION, floors(parts, table), *shown]) + "\n"


def verdict(met: bool) -> str:
    """In a table's cell."""
    return "met" if met else "**missed**"


def floors(parts: dict[str, Part], table: Table) -> str:
    """What must be reached, and whether it is."""
    rows = [row for name, tell in FLOORS.items() if name in parts for row in tell(parts[name])]
    return table(("what", "measured", "asked for", ""), rows)


def poisson_floors(part: Part) -> list[tuple[str, ...]]:
    """Time and divergence beside scikit-learn."""
    rows = []
    for row in part["rows"]:
        name, ratio = f"Poisson, Reuters, k = {row['rank']}", row["ratios"]["processor_seconds"]
        share = row["whole"]["divergence"] / row["sklearn"]["divergence"]
        asked = f"{part['least_ratio']} ×"
        rows.append((f"{name}: to scikit-learn's divergence", f"{ratio:.0f} × faster", asked, verdict(row["met"])))
        rows.append((f"{name}: last divergence", f"{share:.4f} of scikit-learn's", "lower", verdict(row["lower"])))
    missing = {10, 50} - {row["rank"] for row in part["rows"]}
    return rows + [(f"Poisson, Reuters, k = {k}", "not measured yet", f"{part['least_ratio']} ×", "") for k in missing]


def memory_floors(part: Part) -> list[tuple[str, ...]]:
    """The peak beside what A and the factors hold."""
    name = f"Poisson, peak over the idle process, {part['nnz']:,} nonzeros, k = 50, A itself in it"
    asked = f"{part['limit_bytes'] / 1e6:.0f} MB, 3 × A in CSR and 8 × the factors"
    return [(name, f"{part['peak_bytes'] / 1e6:.0f} MB", asked, verdict(part["met"]))]


def rating_floors(part: Part) -> list[tuple[str, ...]]:
    """Error and time beside cmfrec."""
    ours, theirs = part["rows"][0]["partwise"], part["rows"][0]["cmfrec"]
    rows = [("MovieLens-100k: RMSE", f"{ours['rmse']:.4f}", f"{part['limit']}", verdict(part["met"]["rmse"]))]
    if theirs:
        asked = f"{theirs['rmse']:.4f} + {part['margin']}"
        rows.append(
            ("MovieLens-100k: RMSE beside cmfrec", f"{ours['rmse']:.4f}", asked, verdict(part["met"]["beside"]))
        )
        spent, limit = (f"{side['processor_seconds']:.2f} s" for side in (ours, theirs))
        rows.append(("MovieLens-100k: processor time of a fit", spent, limit, verdict(part["met"]["time"])))
    return rows


def hole_floors(part: Part) -> list[tuple[str, ...]]:
    """Time and error of the fit with holes."""
    ratio, limits = part["ratios"]["processor_seconds"], part["limits"]
    return [
        ("CBCL with holes: time", f"{ratio:.2f} × without", f"{limits['time']} ×", verdict(part["met"]["time"])),
        ("CBCL with holes: error on the holes", f"{part['error_ratio']:.3f} × on the rest", f"{limits['error']} ×",
         verdict(part["met"]["error"])),
    ]  # fmt: skip


def squared_floors(part: Part) -> list[tuple[str, ...]]:
    """The slowest of the data sets."""
    ratio = max(row["same"]["ratio"] for row in part["rows"])
    return [("Squared loss, iterations, the slowest of three", f"{ratio:.2f} × version 0.1", "1", verdict(part["met"]))]


def rank_floors(part: Part) -> list[tuple[str, ...]]:
    """The rank by held-out entries on planted data."""
    names = {"squared": "squared loss", "poisson": "Poisson", "holes": "a tenth of the entries unknown"}
    return [
        (
            f"The rank by held-out entries, planted k = 3 to 20, {names[row['data']]} (`make bench-ranks`)",
            f"k or a neighbour in {row['near']} of {row['of']}",
            f"{row['floor']:.0%}",
            verdict(row["met"]),
        )
        for row in part["rows"]
    ]


def poisson(part: Part, table: Table) -> list[str]:
    """Every figure of the counts."""
    lines = []
    for row in part["rows"]:
        theirs, until, whole = row["sklearn"], row["until"], row["whole"]
        for name, run, value in (
            ("scikit-learn", theirs, theirs["divergence"]),
            ("partwise, to that divergence", until, None),
            ("partwise, to its end", whole, whole["divergence"]),
        ):
            spent = (f"{run['processor_seconds']:.1f} s", f"{run['seconds']:.1f} s")
            lines.append((str(row["rank"]), name, str(run["iterations"]), *spent, f"{value:,.0f}" if value else ""))
    head = ("k", "method", "iterations", "processor time", "time", "divergence")
    return ["## Counts", COUNTS.format(**part), table(head, lines), loads(part), START]


def memory(part: Part, table: Table) -> list[str]:
    """What the memory was measured on."""
    return [
        "## Memory",
        f"Generated text as counts, {part['terms']:,} words × {part['documents']:,} documents. A in CSR holds "
        f"{part['matrix_bytes'] / 1e6:.0f} MB, the factors {part['factor_bytes'] / 1e6:.0f} MB, the process before A "
        f"was read {part['idle_bytes'] / 1e6:.0f} MB.",
    ]


def ratings(part: Part, table: Table) -> list[str]:
    """Both solvers, with biases and without."""
    also = {"partwise": ("default", "default λ"), "cmfrec": ("rmse_10", "10 iterations")}
    lines = []
    for row in part["rows"]:
        for name, (key, what) in also.items():
            if not row[name]:
                continue
            own, folds = row[name], row["folds"][name]
            spent = (f"{own['processor_seconds']:.2f} s", f"{own['seconds']:.2f} s")
            each = ", ".join(f"{fold['rmse']:.3f}" for fold in folds)
            lambdas = ", ".join(f"{fold['lambda']:g}" for fold in folds)
            errors = (f"{own['rmse']:.4f}", each, lambdas, f"{own[key]:.4f} ({what})")
            lines.append((name, "yes" if row["biases"] else "no", *errors, *spent))
    head = ("method", "biases", "RMSE", "by fold", "λ", "also", "processor time", "time")
    notes = [part["note"]] if "note" in part else []
    published = "Published on random folds: Surprise's NMF .963, SVD .934, SVD++ .919, its baseline .944."
    return [
        "## Ratings",
        RATINGS.format(count=len(part["lambdas"])),
        table(head, lines),
        *notes,
        loads(part),
        published,
    ]


def holes(part: Part, table: Table) -> list[str]:
    """The fits with holes and without."""
    lines = [
        (name, str(run["iterations"]), f"{run['processor_seconds']:.2f} s", f"{run['seconds']:.2f} s",
         f"{run['on_holes']:.4f}", f"{run['on_rest']:.4f}")
        for name, run in (("all pixels known", part["whole"]), ("a tenth unknown", part["holes"]))
    ]  # fmt: skip
    head = ("fit", "iterations", "processor time", "time", "RMSE on the holes", "RMSE on the rest")
    return ["## Holes", HOLES, table(head, lines), loads(part)]


def unknown(part: Part, table: Table) -> list[str]:
    """The default penalty beside fixed ones."""
    lams = list(part["rows"][0]["fixed"])
    lines = [
        (row["data"], str(row["rank"]), f"{row['unknown']:.0%}", f"{row['default']:.3f}",
         *(f"{row['fixed'][lam]:.3f}" for lam in lams))
        for row in part["rows"]
    ]  # fmt: skip
    head = ("data", "k", "unknown", "default", *(f"λ = {lam}" for lam in lams))
    return ["## The penalty where entries are unknown", UNKNOWN, table(head, lines)]


def squared(part: Part, table: Table) -> list[str]:
    """Then and now."""
    lines = [
        (row["data"], str(row["rank"]), str(row["iterations"]),
         *(f"{row['same'][key]:.2f} s" for key in ("before", "now")), f"{row['same']['ratio']:.2f}",
         *(f"{row['whole'][key]:.2f} s" for key in ("before", "now")), f"{row['whole']['ratio']:.2f}",
         " / ".join(f"{row['whole']['errors'][key]:.5f}" for key in ("before", "now")))
        for row in part["rows"]
    ]  # fmt: skip
    head = ("data", "k", "iterations", "0.1", "now", "ratio", "default fit, 0.1", "now", "ratio", "error, 0.1 / now")
    return ["## The squared loss", SQUARED, table(head, lines), loads(part)]


def loads(part: Part) -> str:
    """How busy the machine was."""
    return f"Load average of the machine, of two cores: {part['load']}."


FLOORS: dict[str, Callable[[Part], list[tuple[str, ...]]]] = {
    "poisson": poisson_floors,
    "memory": memory_floors,
    "ratings": rating_floors,
    "holes": hole_floors,
    "squared": squared_floors,
    "ranks": rank_floors,
}
SECTIONS: dict[str, Callable[[Part, Table], list[str]]] = {
    "poisson": poisson,
    "memory": memory,
    "ratings": ratings,
    "holes": holes,
    "unknown": unknown,
    "squared": squared,
}
