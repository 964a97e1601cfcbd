"""docs/retrieval.md, every number and verdict of it from retrieval.json and search_time.json in benchmarks/results."""

from collections.abc import Callable
from typing import Any

Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]
Row = dict[str, Any]

SHORT = "Reuters, names of categories"
INTRODUCTION = (
    "This page is written by `make docs` from `benchmarks/results/retrieval.json`, which `make bench-retrieval` "
    "writes (`make bench-search` for the time of a query)."
)
METHOD = (
    "MEDLARS and CISI have queries of whole sentences with human judgements; documents are titles and abstracts. "
    "The third collection asks the 3,299 test articles of Reuters-21578 for its categories by their names (`crude "
    "oil`, `interest rates`), short queries as people type them; relevant is what the editors filed there. Words "
    "are those of the default `Weighting`: English stop words left out, no stemming, in at least two documents. "
    "**Vectors**: the cosine of the weighted words. **BM25**: the package bm25s with its defaults on the same "
    "words. **LSI**: Uᵀq against the rows of VS. **Topics**: `blend=1`, cos(W h_q, W h_d) of the default NMF. "
    "**Blend**: what `model.search` does, (1 − β) · vectors + β · topics with the default β = min(0.1 + k/500, "
    "0.2). Topics and blend are means over {seeds} seeds ± their standard deviation. Cells are mean average "
    "precision (MAP) over all judged queries, log-entropy weights."
)
CHOICE = (
    "The default was chosen on half of the queries of MEDLARS and CISI, every second one from the first on; a look "
    "at all queries had shown before that small k want a smaller share. Cells are the mean over both collections of"
    " MAP over the MAP of vectors, on the half that was chosen on, then on **the other half**; the default lies "
    "between the columns. Nothing was chosen on Reuters."
)
LENGTHS = (
    "A cosine divides by the length of a document, so that a long one that deals with many things comes late. Pivoted "
    "lengths (Singhal, Buckley and Mitra 1996) multiply the cosine of the words by ‖d‖ / ((1 − s) mean ‖d‖ + s ‖d‖); s"
    " = 1 is the cosine. Cells are MAP of the blend over that with s = 1, the mean over k = 10, 20 and 50. What is "
    "best on the half that was chosen on must also win on the other half of the same collections to be adopted: "
    "{verdict}."
)
WEIGHTS = (
    "One default for all of it. Vectors, LSI and blend are MAP at k = 50; NMI is the agreement of the strongest "
    "topics with labels and NPMI the coherence of their ten strongest terms, means over the four labelled "
    "collections below; categories are how many of Reuters' ten largest are the commonest in one of ten topics, by "
    "seed, with documents of length 1, the default, and with documents as long as they are (the paper finds 8)."
)
CLUSTERS = (
    "As many clusters as labels, normalised mutual information with the labels, log-entropy, means over {seeds} "
    "seeds ± their standard deviation. **Topics**: each document's strongest topic. **Space**: from there by "
    "k-means among the documents' directions in the SVD's space of 2k dimensions; clusters keep the topics' numbers"
    " and names. **SVD and k-means**: k dimensions, the best of ten random starts; its clusters are nobody's "
    "topics. The 2k is what the first and the third collection want among k, 2k, 50 and 100; all four had been "
    "looked at."
)


def page(found: dict[str, Any], speed: dict[str, Any], table: Table) -> str:
    """The whole page."""
    seeds = found["seeds"]
    parts = ["# Search, clusters and weights against human judgement", INTRODUCTION]
    parts += ["## Search", METHOD.format(seeds=seeds), floors(found["search"]["rows"], table)]
    for shape in found["search"]["collections"]:
        if shape["weight"] == "log-entropy":
            parts += [f"### {shape['collection']}", described(shape), methods(found["search"]["rows"], shape, table)]
    parts += ["## How the blend was chosen", CHOICE, choice(found["search"], table)]
    parts += ["![MAP against the share of topics](images/blend.svg)"]
    if "lengths" in found:
        parts += ["## Long documents", *lengths(found["lengths"], table)]
    parts += ["## Weights", WEIGHTS, weights(found, table)]
    parts += ["## Clusters", CLUSTERS.format(seeds=seeds), clusters(found["clusters"], table)]
    parts += ["## The demo's queries", demo(found["demo"], table)]
    parts += ["## How long a query takes", query_time(speed)]
    return "\n\n".join(parts) + "\n"


def described(shape: Row) -> str:
    """The size of a collection."""
    return f"{shape['terms']:,} terms, {shape['documents']:,} documents, {shape['queries']} judged queries."


def pick(rows: list[Row], method: str, rank: int | None, **wanted: str) -> Row:
    """The row of a method at a rank."""
    wanted = {"weight": "log-entropy"} | wanted
    return next(r for r in rows if (r["method"], r["rank"]) == (method, rank) and wanted.items() <= r.items())


def cell(row: Row) -> str:
    """MAP, with the spread over seeds where there are several."""
    return f"{row['map']:.3f}" + ("" if row["spread"] is None else f" ± {row['spread']:.3f}")


def ranks(rows: list[Row]) -> list[int]:
    """The ranks that were measured."""
    return sorted({row["rank"] for row in rows if row["rank"]})


def methods(rows: list[Row], shape: Row, table: Table) -> str:
    """All methods at all ranks, side by side."""
    name = shape["collection"]
    vectors, bm25 = (pick(rows, method, None, collection=name) for method in ("vectors", "bm25"))
    lines = []
    for rank in ranks(rows):
        lsi, nmf, blend = (pick(rows, method, rank, collection=name) for method in ("lsi", "nmf", "blend"))
        against = (f"{blend['map'] / other['map']:.2f}" for other in (vectors, bm25, lsi))
        lines.append((str(rank), *map(cell, (vectors, bm25, lsi, nmf, blend)), f"{blend['blend']:.2f}", *against))
    head = ("k", "vectors", "BM25", "LSI", "topics", "blend", "β", "blend / vectors", "blend / BM25", "blend / LSI")
    return table(head, lines)


def floors(rows: list[Row], table: Table) -> str:
    """What must be reached, and whether it is."""

    def ratio(name: str, rank: int, *others: tuple[str, int | None]) -> float:
        best = max(pick(rows, method, r, collection=name)["map"] for method, r in others)
        return float(pick(rows, "blend", rank, collection=name)["map"] / best)

    vectors, bm25 = ("vectors", None), ("bm25", None)
    asked = [
        ("CISI at k = 50 over the best of vectors, BM25 and LSI", ratio("CISI", 50, vectors, bm25, ("lsi", 50)), 1.06),
        ("MEDLARS at k = 50 over BM25", ratio("MEDLARS", 50, bm25), 1.28),
        ("MEDLARS at k = 50 over LSI", ratio("MEDLARS", 50, ("lsi", 50)), 0.94),
    ]
    asked += [
        (f"{name} at k = {rank} over BM25", ratio(name, rank, bm25), 1.0)
        for name in ("MEDLARS", "CISI")
        for rank in (10, 20)
    ]
    lines = [(what, f"{got:.2f}", f"{floor:.2f}", "yes" if got >= floor else "**no**") for what, got, floor in asked]
    return table(("MAP of the blend", "reached", "asked for", "met"), lines)


def choice(found: dict[str, Any], table: Table) -> str:
    """The relative MAP of every share of topics on both halves, and of the default."""
    rows, lines = found["rows"], []
    shares = sorted({row["blend"] for row in found["blends"]})

    def relative(row: Row, half: str) -> float:
        return float(row[half] / pick(rows, "vectors", None, collection=row["collection"])[half])

    def both(many: list[Row], half: str) -> float:
        return sum(relative(row, half) for row in many) / len(many)

    for rank in ranks(rows):
        for half, name in (("half_1", "chosen on"), ("half_2", "**the other half**")):
            cells = []
            for share in shares:
                many = [r for r in found["blends"] if (r["rank"], r["blend"]) == (rank, share)]
                kept = [r for r in many if r["collection"] != SHORT and r["weight"] == "log-entropy"]
                cells.append(both(kept, half))
            best = max(cells)
            own = both([pick(rows, "blend", rank, collection=c) for c in ("MEDLARS", "CISI")], half)
            marked = (f"**{value:.2f}**" if value == best else f"{value:.2f}" for value in cells)
            lines.append((str(rank), name, *marked, f"{own:.2f}"))
    return table(("k", "queries", *(f"β = {share:g}" for share in shares), "default"), lines)


def lengths(rows: list[Row], table: Table) -> tuple[str, str]:
    """(what was tried and whether it wins, the relative MAP of every slope)"""
    slopes = sorted({row["slope"] for row in rows}, reverse=True)

    def relative(slope: float, names: tuple[str, ...], half: str) -> float:
        own = [row for row in rows if row["collection"] in names and row["slope"] == slope]
        cosine = {(row["collection"], row["rank"]): row[half] for row in rows if row["slope"] == 1}
        return sum(row[half] / cosine[row["collection"], row["rank"]] for row in own) / len(own)

    judged = ("MEDLARS", "CISI")
    groups = {
        "chosen on": (judged, "half_1"), "**the other half**": (judged, "half_2"),
        "MEDLARS, the other half": (judged[:1], "half_2"), "CISI, the other half": (judged[1:], "half_2"),
        "Reuters, all": ((SHORT,), "map"),
    }  # fmt: skip
    cells = {name: [relative(slope, *group) for slope in slopes] for name, group in groups.items()}
    best = max(range(len(slopes)), key=lambda at: cells["chosen on"][at])
    wins = all(cells[name][best] > 1 for name in list(groups)[1:4])
    outcome = "wins on both as well" if wins else "does not win on both, so the cosine stays"
    verdict = f"s = {slopes[best]:g} is best there and {outcome}"
    lines = [(name, *(f"{value:.3f}" for value in own)) for name, own in cells.items()]
    return LENGTHS.format(verdict=verdict), table(("queries", *(f"s = {slope:g}" for slope in slopes)), lines)


def weights(found: dict[str, Any], table: Table) -> str:
    """All measures for each weight."""
    rows, labelled, lines = found["search"]["rows"], found["clusters"], []
    for weight in ("log-entropy", "tfidf", "counts"):
        own = [row for row in labelled if row["weight"] == weight]
        maps = []
        for name in ("MEDLARS", "CISI"):
            for method, rank in (("vectors", None), ("lsi", 50), ("blend", 50)):
                measured = weight != "counts"
                maps.append(
                    f"{pick(rows, method, rank, collection=name, weight=weight)['map']:.3f}" if measured else ""
                )
        nmi, npmi = (sum(row[key] for row in own) / len(own) for key in ("topics", "coherence"))
        categories = [", ".join(map(str, r["found"])) for r in found["categories"] if r["weight"] == weight]
        lines.append((weight, *maps, f"{nmi:.3f}", f"{npmi:.3f}", *categories))
    names = (f"{name}: {what}" for name in ("MEDLARS", "CISI") for what in ("vectors", "LSI", "blend"))
    return table(("weight", *names, "NMI", "NPMI", "categories", "as long as they are"), lines)


def clusters(rows: list[Row], table: Table) -> str:
    """Agreement with labels, by collection."""
    lines = [
        (
            f"{row['collection']} ({row['labels']} labels, {row['documents']:,} documents)",
            *(f"{row[way]:.3f} ± {row[f'{way}_spread']:.3f}" for way in ("topics", "space", "svd")),
        )
        for row in rows
        if row["weight"] == "log-entropy"
    ]
    return table(("collection", "topics", "space (the default)", "SVD and k-means"), lines)


def demo(rows: list[Row], table: Table) -> str:
    """The ten queries with what was found."""
    right = {way: sum(row["right"][way] for row in rows) for way in ("blend", "words", "topics")}
    lines = [(row["query"], ", ".join(row["found"]), "yes" if row["right"]["blend"] else "**no**") for row in rows]
    sentence = (
        f"Right, a module that a reader would name is among the first three: {right['blend']} of {len(rows)} by the "
        f"blend, {right['words']} by words alone, {right['topics']} by topics alone (k = 20). That the demo counts "
        "stems and the words of names was settled while looking at nineteen such queries, most of these among them."
    )
    return f"{sentence}\n\n{table(('query', 'found', 'right'), lines)}"


def query_time(speed: dict[str, Any]) -> str:
    """The time of a query in a large model."""
    return (
        f"A loaded model of {speed['documents']:,} generated documents, {speed['terms']:,} terms, "
        f"{speed['entries'] / 1e6:.1f} million entries and {speed['topics']} topics answers in "
        f"{speed['median_ms']:.1f} ms (the median of a hundred queries on {speed['cores']} cores at a load of "
        f"{speed['load']:g}; "
        f"{speed['best_ms']:.1f} ms the fastest, {speed['processor_ms']:.1f} ms of processor time); the first query of "
        f"a process takes {speed['first_ms']:,.0f} ms. The limit of {speed['limit_ms']} ms of processor time is "
        f"{'met' if speed['met'] else 'not met'}."
    )
