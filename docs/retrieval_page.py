"""docs/retrieval.md, every number and every verdict of it from benchmarks/results/retrieval.json."""

from collections.abc import Callable
from typing import Any

Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
Row = dict[str, Any]

NAMES = {"tfidf": "tf-idf", "log-entropy": "log-entropy"}
INTRODUCTION = (
    "This page is written by `make docs` from `benchmarks/results/retrieval.json`, which `make bench-retrieval` "
    "writes. The paper says that NMF works nearly as well as the SVD for text; here is what we find."
)
METHOD = (
    "Documents are titles and abstracts, words of two letters or more in at least two documents, English stop words"
    " left out, no stemming, columns of length 1. **Vectors** ranks by the cosine of query and document. **LSI** "
    "compares Uᵀq with the rows of VS. **NMF** folds the query in by the exact nonnegative half-step and compares "
    "Wh_q with Wh_d; it is the default (`als-hals` from `random-acol`, until it settles). **ACLS** is the paper's "
    "method (λ = .5) from its best start, `svd-centroid`. Both are means over {seeds} seeds, ± their standard "
    "deviation. Cells are mean average precision / 11-point interpolated average precision, over the judged "
    "queries. *Behind* is how much of LSI's MAP at the same rank is lost, with the standard error of the difference"
    " over queries. "
    "NMF and ACLS differ in their start as well as in their method, so the tables do not say which of the two makes a "
    "difference between them."
)


def page(found: dict[str, Any], table: Table) -> str:
    """The whole page."""
    parts = ["# Search and clusters against human judgement", INTRODUCTION, "## What we find", findings(found)]
    parts += ["## Search", METHOD.format(seeds=found["seeds"])]
    for shape in found["collections"]:
        rows = [r for r in found["rows"] if (r["collection"], r["weight"]) == (shape["collection"], shape["weight"])]
        parts += [f"### {shape['collection']}, {NAMES[shape['weight']]}", size(shape), ranks(rows, table)]
    parts += ["### Precision at eleven levels of recall, tf-idf, each method at its best rank", levels(found, table)]
    parts += ["## Clusters", *clusters(found["clustering"], found["seeds"], table)]
    return "\n\n".join(parts)


def size(shape: Row) -> str:
    """How large a collection is."""
    return f"{shape['terms']:,} terms, {shape['documents']:,} documents, {shape['queries']} judged queries."


def cell(row: Row) -> str:
    """MAP / 11 points, with the spread over seeds."""
    spread = "" if row["spread"] is None else f" ± {row['spread']:.3f}"
    return f"{row['map']:.3f}{spread} / {row['eleven']:.3f}"


def behind(row: Row) -> str:
    """The part of LSI's MAP that is lost."""
    lsi = row["map"] + row["behind_lsi"]
    return f"{row['behind_lsi'] / lsi:.0%} ({row['behind_lsi']:.3f} ± {row['standard_error']:.3f})"


def ranks(rows: list[Row], table: Table) -> str:
    """One collection: a line for each rank."""
    by = {(r["method"], r["rank"]): r for r in rows}
    lines = [
        (
            str(rank),
            *(cell(by[method, rank]) for method in ("lsi", "nmf", "acls")),
            *(behind(by[method, rank]) for method in ("nmf", "acls")),
        )
        for rank in sorted({r["rank"] for r in rows if r["rank"]})
    ]
    lines.append(("vectors", cell(by["vectors", None]), "", "", "", ""))
    return table(("rank", "LSI", "NMF", "ACLS", "NMF behind LSI", "ACLS behind LSI"), lines)


def best(rows: list[Row], method: str) -> Row:
    """The row of a method with the highest MAP."""
    return max((r for r in rows if r["method"] == method), key=lambda r: r["map"])


def levels(found: dict[str, Any], table: Table) -> str:
    """The eleven points."""
    lines = []
    for name in dict.fromkeys(r["collection"] for r in found["rows"]):
        rows = [r for r in found["rows"] if (r["collection"], r["weight"]) == (name, "tfidf")]
        for method, shown in (("vectors", "vectors"), ("lsi", "LSI"), ("nmf", "NMF"), ("acls", "ACLS")):
            row = best(rows, method)
            rank = "" if row["rank"] is None else f", k = {row['rank']}"
            lines.append((name, shown + rank, *(f"{p:.2f}" for p in row["points"])))
    return table(("collection", "method", *(f"{level / 10:.1f}" for level in range(11))), lines)


def findings(found: dict[str, Any]) -> str:
    """The verdicts, a sentence each."""
    lines = ["Best ranks are those of the tables below, so they were chosen on the same judgements.\n"]
    for shape in found["collections"]:
        rows = [r for r in found["rows"] if (r["collection"], r["weight"]) == (shape["collection"], shape["weight"])]
        lsi, nmf, acls, vectors = (best(rows, m) for m in ("lsi", "nmf", "acls", "vectors"))
        lines.append(
            f"- {shape['collection']}, {NAMES[shape['weight']]}: at the best rank of each, LSI reaches a MAP of "
            f"{lsi['map']:.3f}, NMF {nmf['map']:.3f} ({nmf['map'] / lsi['map']:.0%} of it), ACLS {acls['map']:.3f} "
            f"({acls['map'] / lsi['map']:.0%}); plain vectors {vectors['map']:.3f}."
        )
    return "\n".join([*lines, same_rank(found["rows"]), cluster_finding(found["clustering"])])


def same_rank(rows: list[Row]) -> str:
    """LSI and NMF at equal rank."""
    pairs = [r for r in rows if "behind_lsi" in r]
    sure = sum(r["behind_lsi"] > 2 * r["standard_error"] for r in pairs)
    ahead = sum(r["behind_lsi"] < 0 for r in pairs)
    lost = sorted(r["behind_lsi"] / (r["map"] + r["behind_lsi"]) for r in pairs)
    return (
        f"- At the same rank NMF (either) is behind LSI by more than two standard errors in {sure} of {len(pairs)} "
        f"comparisons and ahead in {ahead}; it loses from {lost[0]:.0%} to {lost[-1]:.0%} of LSI's MAP, "
        f"{lost[len(lost) // 2]:.0%} in the middle. If *nearly as well* means at least nine tenths of LSI's MAP, it "
        f"holds in {sum(part <= 0.1 for part in lost)} of {len(pairs)}. The comparisons share their queries, so "
        "they are not independent."
    )


def cluster_finding(found: dict[str, Any]) -> str:
    """The verdict on clusters."""
    nmf, svd = found["rows"][1], found["rows"][2]
    better = "NMF agrees better" if nmf["nmi"] > svd["nmi"] else "k-means on the SVD agrees better"
    return (
        f"- Reuters: {better} with the labels, normalised mutual information {nmf['nmi']:.3f} (NMF) against "
        f"{svd['nmi']:.3f} (SVD and k-means), each the best of ten starts; only NMF's clusters are also topics to read."
    )


def clusters(found: dict[str, Any], seeds: int, table: Table) -> list[str]:
    """Reuters."""
    topics = ", ".join(f"{name} {count:,}" for name, count in found["topics"].items())
    lines = [
        (r["method"], *(f"{r[name]:.3f} ± {r[name + '_spread']:.3f}" for name in ("purity", "nmi", "ari")))
        for r in found["rows"]
    ]
    return [
        f"Reuters-21578, the ten largest categories of the ModApte training split, articles with a single topic: "
        f"{found['documents']:,} documents, {found['terms']:,} terms in at least three of them, tf-idf, as many "
        f"clusters as categories of twenty articles or more ({topics}); "
        f"means over {seeds} seeds ± their standard deviation.",
        table(("method", "purity", "NMI", "ARI"), lines),
    ]
