"""README.md, of which only the measured part is written here, from ``benchmarks/results/``."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE, RESULTS = ROOT / "README.md", ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- measured: written by make docs from benchmarks/results -->", "<!-- end of measured -->"
Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
PAIRS = (
    ("reuters", "partwise", "sklearn_cd", ""),
    ("reuters", "partwise_float32", "sklearn_cd_float32", ", float32"),
    ("reuters10", "partwise", "sklearn_cd", ""),
    ("cbcl", "partwise", "sklearn_cd", ""),
)


def result(name: str) -> dict[str, Any]:
    """What a benchmark wrote."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return content


def page(table: Table) -> str:
    """The page with its figures made anew."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    parts = [
        defaults_text(),
        table(("default against default", "partwise", "scikit-learn CD", ""), pairs()),
        table(("what", "measured", "command"), figures()),
    ]
    return f"{before}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{rest.split(END)[1]}".rstrip("\n")


def defaults_text() -> str:
    """Default against default on all data sets, in a paragraph."""
    rows = result("defaults")["rows"]
    judging = [row for row in rows if row["judging"]]
    lower, judged = (sum(row["above"] <= 1e-6 for row in some) for some in (rows, judging))
    sparse, dense = ([row["ratio"] for row in rows if row["sparse"] is kind] for kind in (True, False))
    slower = sum(row["ratio"] < 1 for row in rows)
    return (
        f"Default against default, `NMF(k)` of each as it comes, on {len({row['data'] for row in rows})} data sets "
        f"(`make bench-defaults`, [all rows](docs/benchmarks.md)): the error is at most scikit-learn's in {lower} of "
        f"{len(rows)} fits and never more than {100 * max(0.0, max(row['above'] for row in rows)):.3f} % above; on the "
        f"data that nothing was tuned on, in {judged} of {len(judging)}. scikit-learn takes {median(sparse):.1f} "
        f"times as long in the median on sparse data, {median(dense):.2f} times on dense data: {slower} of {len(rows)} "
        "fits take longer than scikit-learn's, nearly all on small or dense data, where it stops at a higher error. "
        "The rows below are medians of the seeds of `make bench-quick`."
    )


def pairs() -> list[tuple[str, ...]]:
    """The data sets of the quick benchmark."""
    rows = []
    for name, ours, theirs, kind in PAIRS:
        content = result(f"bench-{name}")
        own, other = content["fits"][ours], content["fits"][theirs]
        faster = other["seconds"]["median"] / own["seconds"]["median"]
        rows.append((f"{content['label']}{kind}, k = {content['rank']}", fit(own), fit(other), f"{faster:.1f} ×"))
    return rows


def fit(row: dict[str, Any]) -> str:
    """Seconds and error of a fit."""
    return f"{row['seconds']['median']:.3g} s, error {row['error']['median']:.5f}"


def figures() -> list[tuple[str, ...]]:
    """One figure a row, with the command that measures it."""
    return [*iteration_rows(), *text_rows(), *scale_rows(), *study_rows()]


def iteration_rows() -> list[tuple[str, ...]]:
    """What an iteration costs, and the first fit ever."""
    rows = {(row["method"], row["rank"], row["dtype"]): row for row in result("iteration")["rows"]}
    what = "one iteration on Reuters tf-idf (994,252 nonzeros) against its two bare products"
    cells = [
        f"{label} {rows[method, 10, 'float64']['own_ratio']:.2f} at k = 10, "
        f"{rows[method, 50, 'float64']['own_ratio']:.2f} at k = 50"
        for label, method in (("ACLS", "acls"), ("HALS of one sweep", "hals, 1 sweep"))
    ]
    first = {row["what"]: row["cpu_seconds"] for row in result("first_minute")["first"]}
    compiling = (
        f"{first['factorize, dense']:.1f} s for `factorize`, {first['NMF().fit_transform, dense']:.1f} s for `NMF`; "
        "`partwise warm-up` does all of it at once"
    )
    return [
        (what, "; ".join(cells), "`make bench-iteration`"),
        ("compiling, once on a machine, in the first fit ever", compiling, "`make bench-first-minute`"),
    ]


def text_rows() -> list[tuple[str, ...]]:
    """Texts, search, the page."""
    model, collections = result("words")["model"], ("MEDLARS", "CISI")
    rows = [row for row in result("retrieval")["search"]["rows"] if row["weight"] == "log-entropy"]
    search = {(row["collection"], row["method"]): row["map"] for row in rows if row["rank"] in (None, 50)}
    methods = {"the default blend": "blend", "BM25": "bm25", "LSI": "lsi", "words alone": "vectors"}
    scores = [
        f"{label} " + " / ".join(f"{search[one, method]:.3f}" for one in collections)
        for label, method in methods.items()
    ]
    report = result("report")["rows"][0]
    articles = f"{model['documents']:,} Reuters articles from CSV to a saved model, k = {model['rank']}, whole process"
    return [
        (
            articles,
            f"{model['seconds']:.1f} s; a script of scikit-learn's {model['sklearn_seconds']:.1f} s",
            "`make bench-words`",
        ),
        (
            f"search, MAP at k = 50: {' / '.join(collections)}",
            ", ".join(scores),
            "`make bench-retrieval` ([all](docs/retrieval.md))",
        ),
        (
            f"report of {report['documents']:,} documents and {report['topics']} topics, with their words",
            f"{report['bytes'] / 1e6:.1f} MB, searched {report['search_ms'] / 1000:.1f} s after it is opened",
            "`make bench-report`",
        ),
    ]


def scale_rows() -> list[tuple[str, ...]]:
    """Disk and Dask."""
    disk, dask = result("disk")["parts"], [row["ratio"] for row in result("dask")["rows"]]
    warm = [row["ratio"] for row in disk["warm"]["algorithms"].values()]
    return [
        (
            f'{disk["memory"]["bytes_on_disk"] / 1e9:.0f} GB on disk, k = 50, `memory_limit="1 GB"`',
            f"{disk['memory']['peak_bytes'] / 1e6:.0f} MB at the peak; a warm iteration {min(warm):.2f} to "
            f"{max(warm):.2f} of one in memory",
            "`make bench-disk` ([more](docs/scale.md))",
        ),
        (
            "two Dask worker processes against two threads, 1e7 nonzeros, k = 50",
            f"{min(dask):.2f} to {max(dask):.2f} times the iteration",
            "`make bench-dask` ([more](docs/scale.md))",
        ),
    ]


def study_rows() -> list[tuple[str, ...]]:
    """Further losses, restarts and ranks."""
    losses, races, ranks = result("losses")["parts"], result("restarts")["rows"], result("ranks")["rows"]
    counts = [f"{row['ratios']['processor_seconds']:.0f} × at k = {row['rank']}" for row in losses["poisson"]["rows"]]
    runs, above = [row["race_in_runs"] for row in races], max(row["race_above_best_percent"] for row in races)
    noise = ", ".join(f"{row['noise']:.0%}" for row in ranks)
    near, exact = (", ".join(f"{row[kind]} of {row['of']}" for row in ranks) for kind in ("near", "exact"))
    return [
        (
            "Reuters as counts, Poisson, to the divergence at which scikit-learn's ends, by processor time",
            " and ".join(counts),
            "`make bench-losses` ([more](docs/losses.md))",
        ),
        (
            "a race of 100 restarts, in units of one run",
            f"{min(runs):.0f} to {max(runs):.0f}, at most {above:.4f} % above the best of all",
            "`make bench-restarts`",
        ),
        (
            f"planted rank recommended, noise {noise}",
            f"it or its neighbour in {near}; exactly in {exact}",
            "`make bench-ranks`",
        ),
    ]
