"""How long a query takes in a loaded model of 200,000 documents, and what the first one takes.

Generated documents of 65 words by Zipf's law, 50,000 terms, 50 topics. W is fitted on the first 3,000 documents; H is
drawn, one entry in five not zero, since what a query costs does not depend on how good the fit is. Queries have one to
six words. The limit is 20 ms, held against processor time, which a crowded machine does not lengthen. Run it with
``make bench-search``; it writes ``benchmarks/results/search_time.json``.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import partwise as pw
from partwise.text import TopicModel

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser.examples import large_collection  # noqa: E402, the generated collection of the report's benchmark

DOCUMENTS, TERMS, WORDS, TOPICS, QUERIES, LIMIT = 200_000, 50_000, 65, 50, 100, 20


def generated_model() -> TopicModel:
    """A model of so many documents."""
    whole = large_collection(DOCUMENTS, TERMS, WORDS)
    names = {name: getattr(whole, name)[:3000] for name in ("ids", "titles", "labels", "snippets")}
    model = TopicModel(TOPICS, init="random", stop=pw.MaxIterations(3), weighting=whole.vocabulary.weighting)
    model.fit_collection(replace(whole, A=whole.A[:, :3000], **names))
    rng = np.random.default_rng(0)
    h = rng.random((DOCUMENTS, TOPICS)) * (rng.random((DOCUMENTS, TOPICS)) < 0.2)
    certificate = replace(model.certificate, shape=whole.A.shape)
    model._set_factorization(replace(model.factorization, h=h, certificate=certificate))
    model._collection = replace(whole, A=whole.in_memory())
    return model


def milliseconds(clock, model, query) -> float:
    """What one query takes by a clock."""
    began = clock()
    model.search(query)
    return 1000 * (clock() - began)


def main() -> None:
    """Measure, print, write."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.partwise"
        generated_model().save(path)
        model = pw.load(path)
    rng = random.Random(0)
    queries = [" ".join(rng.choices(model.terms[: TERMS // 2], k=rng.randint(1, 6))) for _ in range(QUERIES)]
    first = milliseconds(time.perf_counter, model, queries[0])
    wall = [milliseconds(time.perf_counter, model, query) for query in queries]
    worked = [milliseconds(time.process_time, model, query) for query in queries]
    content = {
        "documents": DOCUMENTS,
        "terms": TERMS,
        "topics": TOPICS,
        "entries": int(model.collection.A.nnz),
        "first_ms": round(first, 1),
        "median_ms": round(statistics.median(wall), 2),
        "best_ms": round(min(wall), 2),
        "processor_ms": round(statistics.median(worked), 2),
        "limit_ms": LIMIT,
        "met": statistics.median(worked) <= LIMIT,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(content, indent=1))
    (HERE / "results" / "search_time.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
