"""From a file of 20,000 documents to a saved model: how long each part takes.

The articles of Reuters-21578 with their titles, written to a CSV file first, which is not counted. One small fit
before the clock starts loads and compiles what a process needs once. Run it with ``make bench-pipeline``; it writes
``benchmarks/results/pipeline.json``. The limit: the factorisation takes under a third of the whole.
"""

import csv
import json
import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from partwise import datasets
from partwise.text import TopicModel, Weighting, collect, load_model, read_documents

COUNT, RANKS, LIMIT = 20_000, (10, 20), 1 / 3


def written(path):
    """The first 20,000 articles that have a text, as a CSV file."""
    articles = [article for article in datasets.load_reuters() if article.text][:COUNT]
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "title", "label", "text"])
        rows.writerows([a.id, a.title, a.topics[0] if a.topics else "", a.text] for a in articles)
    return len(articles)


def measured(source, target, rank):
    """One way from the file to the model."""
    clock = [time.perf_counter()]
    columns = {"column": "text", "id_column": "id", "title_column": "title", "label_column": "label"}
    collection = collect(read_documents(source, **columns, warn=lambda said: None), Weighting())
    clock.append(time.perf_counter())
    model = TopicModel(rank).fit_collection(collection)
    clock.append(time.perf_counter())
    model.save(target)
    clock.append(time.perf_counter())
    load_model(target)
    clock.append(time.perf_counter())
    reading, fitting, saving, loading = (b - a for a, b in pairwise(clock))
    whole = reading + fitting + saving
    return {
        "rank": rank,
        "terms": collection.A.shape[0],
        "documents": collection.A.shape[1],
        "nonzeros": int(collection.A.nnz),
        "read_seconds": round(reading, 2),
        "factor_seconds": round(fitting, 2),
        "save_seconds": round(saving, 2),
        "load_seconds": round(loading, 2),
        "iterations": model.certificate.iterations,
        "factor_share": round(fitting / whole, 3),
        "megabytes": round(target.stat().st_size / 1e6, 1),
        "met": fitting / whole < LIMIT,
    }


def main():
    """Measure, print, write."""
    warm = TopicModel(2, weighting=Weighting(min_df=1, stop_words=None))
    warm.fit([f"{a} {b} again" for a in ("red", "blue") for b in ("sea", "sky", "sand")])
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "reuters.csv"), Path(folder, "reuters.partwise")
        written(source)
        size = source.stat().st_size
        rows = [measured(source, target, rank) for rank in RANKS]
    print(f"{'k':>4}{'documents':>11}{'read':>9}{'factor':>9}{'save':>9}{'load':>9}{'factor share':>14}")
    for row in rows:
        parts = "".join(f"{row[f'{name}_seconds']:>7.2f} s" for name in ("read", "factor", "save", "load"))
        verdict = "met" if row["met"] else "MISSED"
        print(f"{row['rank']:>4}{row['documents']:>11,}{parts}{row['factor_share']:>13.1%}  {verdict}")
    content = {"cores": os.cpu_count(), "limit": round(LIMIT, 3), "csv_megabytes": round(size / 1e6, 1), "rows": rows}
    path = Path(__file__).parent / "results" / "pipeline.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
