"""Search and clustering against human judgement: word vectors, LSI and NMF on MEDLARS, CISI and Reuters.

Run it with ``make bench-retrieval``; it writes ``benchmarks/results/retrieval.json``.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np

import partwise as pw
from partwise import datasets
from partwise.experiments.clustering import nmf_clusters, single_label, svd_clusters
from partwise.experiments.retrieval import Judged, compare_retrieval, difference
from partwise.text import Weighting
from partwise.text.clusters import label_scores

RANKS, SEEDS = (10, 25, 50, 100, 200), range(5)
METHODS = {"nmf": {}, "acls": {"algorithm": pw.acls(0.5, 0.5), "init": "svd-centroid"}}
COLLECTIONS = {"MEDLARS": datasets.load_medlars, "CISI": datasets.load_cisi}


def retrieval(name, weight):
    """One collection and one weighting; each NMF beside the LSI of its rank."""
    judged = Judged.of(COLLECTIONS[name](), Weighting(weight))
    rows, lsi = [], None
    for measured in compare_retrieval(judged, RANKS, SEEDS, METHODS):
        row = {
            "collection": name,
            "weight": weight,
            "method": measured.method,
            "rank": measured.rank,
            "map": round(measured.map, 4),
            "spread": round(float(measured.by_seed.std(ddof=1)), 4) if len(measured.by_seed) > 1 else None,
            "eleven": round(measured.eleven, 4),
            "points": measured.points.round(4).tolist(),
        }
        if measured.method == "lsi":
            lsi = measured
        elif lsi is not None:
            gap, error = difference(measured, lsi)
            row |= {"behind_lsi": round(-gap, 4), "standard_error": round(error, 4)}
        print(*row.values(), flush=True)
        rows.append(row)
    shape = {"collection": name, "weight": weight, "terms": judged.A.shape[0], "documents": judged.A.shape[1]}
    return rows, shape | {"queries": judged.Q.shape[1]}


def clustering():
    """Reuters articles of a single topic: as many clusters as topics."""
    texts, labels = single_label(datasets.reuters10(datasets.load_reuters()))
    _, matrix = Weighting(min_df=3).fit(texts)
    sizes = Counter(labels)
    svd = pw.truncated_svd(matrix, len(sizes))
    methods = {
        "NMF, strongest topic": lambda seed: nmf_clusters(pw.factorize(matrix, len(sizes), seed=seed)),
        "NMF, the best of ten starts": lambda seed: nmf_clusters(
            pw.factorize(matrix, len(sizes), seed=10 * seed, restarts=10)
        ),
        "SVD and k-means, the best of ten starts": lambda seed: svd_clusters(svd, len(sizes), seed),
    }
    rows = []
    for method, clusters in methods.items():
        scores = [label_scores(clusters(seed), labels) for seed in SEEDS]
        row = {"method": method}
        for name in ("purity", "nmi", "ari"):
            values = [getattr(score, name) for score in scores]
            row |= {name: round(float(np.mean(values)), 4), f"{name}_spread": round(float(np.std(values, ddof=1)), 4)}
        print(*row.values(), flush=True)
        rows.append(row)
    return {"topics": dict(sizes.most_common()), "terms": matrix.shape[0], "documents": len(texts), "rows": rows}


def main():
    """Measure, print, write."""
    collections = [retrieval(name, weight) for name in COLLECTIONS for weight in ("tfidf", "log-entropy")]
    result = {
        "seeds": len(SEEDS),
        "collections": [shape for _, shape in collections],
        "rows": [row for rows, _ in collections for row in rows],
        "clustering": clustering(),
    }
    (Path(__file__).parent / "results" / "retrieval.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
