"""Search, clusters and topics against human judgement: words, BM25, LSI, NMF and the blend; and which weights are best.

Run it with ``make bench-retrieval``; it writes ``benchmarks/results/retrieval.json``. Some parts alone, the others kept
from that file: ``python benchmarks/retrieval.py categories demo``.

Tuned here: the default blend on every second query of MEDLARS and CISI, judged on the other half and on Reuters'
categories asked for by their names; the dimensions of ``clusters --by space`` on Reuters' eight categories and MEDLARS.
"""

import json
import random
import sys
from collections import Counter
from pathlib import Path

import bm25s
import numpy as np

import partwise as pw
from partwise import datasets
from partwise.cli.demo import demo_documents, demo_weighting
from partwise.data.as_data import as_data
from partwise.experiments.clustering import single_label, svd_clusters
from partwise.experiments.retrieval import Judged, difference, lsi_scores, measure, nmf_scores, vector_scores
from partwise.result.coherence import mean_coherence
from partwise.study.stability import strongest_topics
from partwise.text import TopicModel, Weighting, collect
from partwise.text.clusters import label_scores, space_clusters
from partwise.text.search import default_blend

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parent / "docs")]

from cli.test_demo import EXPECTED  # noqa: E402, the queries and answers that the tests hold
from retrieval_page import floors  # noqa: E402, what must be reached

FILE = HERE / "results" / "retrieval.json"
RANKS, SEEDS = (10, 20, 50), range(5)
BLENDS = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1)
WEIGHTS = ("log-entropy", "tfidf", "counts")
SLOPES = (1, 0.9, 0.8, 0.7, 0.6, 0.5)

# Names of Reuters' categories, from the descriptions that come with the collection.
CATEGORIES = {
    "money-fx": "Money Foreign Exchange", "ship": "Shipping", "interest": "Interest Rates",
    "bop": "Balance of Payments", "trade": "Trade", "cpi": "Consumer Price Index", "wpi": "Wholesale Price Index",
    "jobs": "Unemployment", "ipi": "Industrial Production Index", "gnp": "Gross National Domestic Product",
    "money-supply": "Money Supply", "reserves": "Reserves", "housing": "Housing Starts", "retail": "Retail Sales",
    "dlr": "U.S. Dollar", "yen": "Japanese Yen", "acq": "Mergers Acquisitions",
    "earn": "Earnings and Earnings Forecasts", "crude": "crude oil", "nat-gas": "natural gas", "gold": "gold",
    "coffee": "coffee", "sugar": "sugar", "cocoa": "cocoa", "grain": "grain", "wheat": "wheat", "corn": "corn",
    "iron-steel": "iron steel", "copper": "copper", "livestock": "livestock", "cotton": "cotton", "rubber": "rubber",
    "veg-oil": "vegetable oil", "oilseed": "oilseed", "rice": "rice", "tin": "tin", "soybean": "soybean",
    "hog": "hog", "carcass": "carcass", "rapeseed": "rapeseed", "barley": "barley", "palm-oil": "palm oil",
    "meal-feed": "meal feed",
}  # fmt: skip


def smart(load):
    """(texts, queries, relevant) of a judged collection."""
    collection = load()
    judged = [query for query in collection.queries if query.id in collection.judgements]
    relevant = [[d.id in collection.judgements[q.id] for d in collection.documents] for q in judged]
    texts, queries = ([f"{one.title}\n{one.text}" for one in many] for many in (collection.documents, judged))
    return texts, queries, np.array(relevant)


def reuters_names():
    """The test articles of Reuters; a query is the name of a category with five articles or more."""
    articles = [article for article in datasets.load_reuters() if article.split == "test"]
    counts = Counter(topic for article in articles for topic in article.topics)
    chosen = [category for category in CATEGORIES if counts[category] >= 5]
    relevant = [[category in article.topics for article in articles] for category in chosen]
    return [article.text for article in articles], [CATEGORIES[c] for c in chosen], np.array(relevant)


JUDGED = {
    "MEDLARS": lambda: smart(datasets.load_medlars),
    "CISI": lambda: smart(datasets.load_cisi),
    "Reuters, names of categories": reuters_names,
}


def bm25_scores(texts, queries):
    """BM25 by bm25s with its own defaults, on the words that the vectors have."""
    tokenizer = Weighting().analyzer()
    index = bm25s.BM25()
    index.index([tokenizer(text) for text in texts], show_progress=False)
    return np.array([index.get_scores(tokenizer(query)) for query in queries])


def search():
    """Every method at every rank, and every blend at every rank with the halves of the queries apart."""
    rows, blends, shapes = [], [], []
    for name, read in JUDGED.items():
        texts, queries, relevant = read()
        half = np.arange(len(queries)) % 2 == 0
        for weight in WEIGHTS[:2] if name != "Reuters, names of categories" else WEIGHTS[:1]:
            vocabulary, matrix = Weighting(weight).fit(texts)
            judged = Judged(matrix, vocabulary.transform(queries), relevant)
            words = vector_scores(judged.A, judged.Q)
            scores = {"vectors": words, "bm25": bm25_scores(texts, queries)}
            common = {"collection": name, "weight": weight}
            shapes.append(common | {"terms": matrix.shape[0], "documents": matrix.shape[1], "queries": len(queries)})
            rows += [common | as_row(measure(m, None, [s], relevant), half) for m, s in scores.items()]
            svd = pw.truncated_svd(matrix, max(RANKS))
            for rank in RANKS:
                lsi = measure("lsi", rank, [lsi_scores(svd.truncate(rank), judged.Q)], relevant)
                rows.append(common | as_row(lsi, half))
                fits = (pw.factorize(matrix, rank, seed=seed, settle=True) for seed in SEEDS)
                topics, beta = [nmf_scores(fit, judged.Q) for fit in fits], default_blend(rank)
                measured = {
                    b: measure("nmf", rank, [(1 - b) * words + b * part for part in topics], relevant)
                    for b in (*BLENDS, beta)
                }
                gap, error = difference(measured[1], lsi)
                behind = {"behind_lsi": round(-gap, 4), "standard_error": round(error, 4)}
                rows.append(common | as_row(measured[1], half) | behind)
                rows.append(common | as_row(measured[beta], half) | {"method": "blend", "blend": beta})
                blends += [common | as_row(measured[b], half) | {"blend": b} for b in BLENDS]
                print(*(f"{row['method']} {row['map']:.3f}" for row in rows[-3:]), name, weight, rank, flush=True)
    return {"rows": rows, "blends": blends, "collections": shapes}


def lengths():
    """The blend with words that favour short documents less: cosine · ‖d‖ / ((1 − s) mean ‖d‖ + s ‖d‖)."""
    rows = []
    for name, read in JUDGED.items():
        texts, queries, relevant = read()
        half = np.arange(len(queries)) % 2 == 0
        vocabulary, matrix = Weighting().fit(texts)
        _, unscaled = Weighting(normalize=False).fit(texts)
        length = np.sqrt(np.asarray(unscaled.multiply(unscaled).sum(axis=0))).ravel()
        judged = Judged(matrix, vocabulary.transform(queries), relevant)
        words = vector_scores(judged.A, judged.Q)
        for rank in RANKS:
            fits = (pw.factorize(matrix, rank, seed=seed, settle=True) for seed in SEEDS[:2])
            topics, beta = [nmf_scores(fit, judged.Q) for fit in fits], default_blend(rank)
            for slope in SLOPES:
                scaled = words * length / ((1 - slope) * length.mean() + slope * length)
                measured = measure("blend", rank, [(1 - beta) * scaled + beta * part for part in topics], relevant)
                rows.append({"collection": name, "slope": slope} | as_row(measured, half))
        print(name, [row["map"] for row in rows if (row["collection"], row["rank"]) == (name, RANKS[-1])], flush=True)
    return rows


def as_row(measured, half):
    """MAP over all queries and over both halves; half 1 is the one that the blend was chosen on."""
    return {
        "method": measured.method,
        "rank": measured.rank,
        "map": round(measured.map, 4),
        "half_1": round(float(measured.by_query[half].mean()), 4),
        "half_2": round(float(measured.by_query[~half].mean()), 4),
        "spread": round(float(measured.by_seed.std(ddof=1)), 4) if len(measured.by_seed) > 1 else None,
    }


def capped(pairs, most, least):
    """(texts, labels) of the labels with at least ``least`` texts, at most ``most`` of each, drawn with seed 0."""
    rng, by_label = random.Random(0), {}
    for text, label in pairs:
        by_label.setdefault(label, []).append(text)
    kept = {label: rng.sample(own, min(most, len(own))) for label, own in by_label.items() if len(own) >= least}
    return [text for own in kept.values() for text in own], [label for label, own in kept.items() for _ in own]


def medlars_labels():
    """The documents of MEDLARS that are relevant to one query, labelled by it."""
    collection = datasets.load_medlars()
    judged = [(document, query) for query, documents in collection.judgements.items() for document in documents]
    counts, label = Counter(document for document, _ in judged), dict(judged)
    chosen = [document for document in collection.documents if counts[document.id] == 1]
    return [document.text for document in chosen], [str(label[document.id]) for document in chosen]


def single_topics():
    """Reuters articles of the ModApte split that have one topic."""
    return [(a.text, a.topics[0]) for a in datasets.load_reuters() if a.split != "unused" and len(a.topics) == 1]


LABELLED = {
    "Reuters, eight categories": (lambda: single_label(datasets.reuters10(datasets.load_reuters())), 3),
    "Reuters, up to 100 articles of a category": (lambda: capped(single_topics(), 100, 50), 3),
    "MEDLARS, one query": (medlars_labels, 2),
    "Python's packages": (lambda: capped([(d.text, d.label) for d in datasets.load_standard_library()], 150, 50), 2),
}


def clusters():
    """Agreement with labels and coherence of topics for every weight; as many clusters as labels."""
    rows = []
    for name, (read, min_df) in LABELLED.items():
        texts, labels = read()
        k = len(set(labels))
        for weight in WEIGHTS:
            _, matrix = Weighting(weight, min_df=min_df).fit(texts)
            svd = pw.truncated_svd(matrix, k)
            ways = {"topics": [], "space": [], "svd": [], "coherence": []}
            for seed in SEEDS:
                fit = pw.factorize(matrix, k, seed=seed, settle=True)
                topic = strongest_topics(fit.w, fit.h)
                ways["topics"].append(label_scores(topic, labels).nmi)
                ways["space"].append(label_scores(space_clusters(matrix, topic, k), labels).nmi)
                ways["svd"].append(label_scores(svd_clusters(svd, k, seed), labels).nmi)
                ways["coherence"].append(mean_coherence(as_data(matrix), fit.w))
            means = {way: round(float(np.mean(values)), 4) for way, values in ways.items()}
            spread = {f"{way}_spread": round(float(np.std(values, ddof=1)), 4) for way, values in ways.items()}
            shape = {"labels": k, "documents": len(texts), "terms": matrix.shape[0]}
            rows.append({"collection": name, "weight": weight, **shape, **means, **spread})
            print(name, weight, means, flush=True)
    return rows


def categories():
    """How many of Reuters' ten categories are the commonest of a topic at k = 10, as in the paper's table, by seed."""
    articles = datasets.reuters10(datasets.load_reuters())
    rows = []
    for weight in WEIGHTS:
        for normalize in (True, False):
            _, matrix = Weighting(weight, min_df=3, normalize=normalize).fit(article.text for article in articles)
            found = []
            for seed in SEEDS:
                fit = pw.factorize(matrix, 10, seed=seed)
                topic = strongest_topics(fit.w, fit.h)
                members = [[articles[j].topics for j in np.flatnonzero(topic == t)] for t in range(10)]
                counts = [Counter(c for own in many for c in own if c in datasets.TOP_TEN) for many in members]
                found.append(len({count.most_common(1)[0][0] for count in counts if count}))
            rows.append({"weight": weight, "normalize": normalize, "found": found})
            print(*rows[-1].values(), flush=True)
    return rows


def demo():
    """The demo's ten queries by topics alone, by words alone and by the default blend."""
    weighting = demo_weighting()
    model = TopicModel(20, weighting=weighting).fit_collection(collect(demo_documents(), weighting))
    rows = []
    for query, modules in EXPECTED.items():
        answers = {name: [hit.id for hit in model.search(query, 3, blend)]
                   for name, blend in (("blend", None), ("words", 0), ("topics", 1))}  # fmt: skip
        right = {name: any(id_.split(".")[0] in modules.split() for id_ in ids) for name, ids in answers.items()}
        rows.append({"query": query, "expected": modules.split(), "found": answers["blend"], "right": right})
        print(query, right, answers["blend"], flush=True)
    return rows


def draw(blends):
    """docs/images/blend.svg: MAP over that of words alone against the share of topics, a panel for each collection."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "partwise", "font.size": 9, "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(JUDGED), figsize=(9, 3), layout="constrained")
    for axes, name in zip(panels, JUDGED, strict=True):
        for rank, colour in zip(RANKS, ("#e59866", "#1f618d", "#c0392b"), strict=True):
            own = [r for r in blends if (r["collection"], r["weight"], r["rank"]) == (name, "log-entropy", rank)]
            shares, maps = [row["blend"] for row in own], [row["map"] for row in own]
            axes.plot(shares, maps, color=colour, marker=".", ms=4, lw=1.2, label=f"k = {rank}")
            axes.axvline(default_blend(rank), color=colour, lw=0.8, ls=":")
        axes.set(title=name, xlabel="β, the share of topics", ylim=(0, None))
    panels[0].set_ylabel("MAP")
    panels[0].legend(frameon=False)
    figure.savefig(HERE.parent / "docs" / "images" / "blend.svg", metadata={"Date": None})


PARTS = {"search": search, "lengths": lengths, "clusters": clusters, "categories": categories, "demo": demo}


def main():
    """Measure, print, write; each part is written when it is ready."""
    result = json.loads(FILE.read_text()) if FILE.exists() else {}
    result = {name: part for name, part in result.items() if name in PARTS} | {"seeds": len(SEEDS)}
    for name in sys.argv[1:] or PARTS:
        result[name] = PARTS[name]()
        FILE.write_text(json.dumps(result, indent=1) + "\n")
    if "search" in result:
        draw(result["search"]["blends"])
        print(floors(result["search"]["rows"], lambda head, lines: "\n".join(map(" | ".join, (head, *lines)))))
    if "demo" in result:
        right = sum(row["right"]["blend"] for row in result["demo"])
        print(f"The demo's queries: {right} of {len(result['demo'])} right, 9 asked for")


if __name__ == "__main__":
    main()
