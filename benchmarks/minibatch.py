"""Streams of twenty batches: ``NMF.partial_fit`` beside scikit-learn's ``MiniBatchNMF``, both as they come.

Every data set is cut into twenty batches, once in a random order and once sorted by class, and each batch is given to
``partial_fit`` once. What the components are worth is the relative error ‖X − UV‖/‖X‖ over all samples, with the exact
nonnegative weights U for either's components V. Seconds are processor time of all threads for the twenty calls; the two
take turns in one process that has done it once before, and the fastest turn counts, since others share the machine; of
the errors the median over the seeds. Where there are no classes the clusters of k-means stand for them. ``FADING`` of
engine/online.py was chosen on the sets that say so.
``make bench-minibatch`` writes ``benchmarks/results/minibatch.json``.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matrices
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import MiniBatchNMF

from partwise import ALGORITHMS, NMF, datasets
from partwise.data.as_data import as_data
from partwise.data.products import residual2
from partwise.engine.half_step import fold_in
from partwise.losses.table import loss_of
from partwise.threads.pool import Workers

RESULT = Path(__file__).parent / "results" / "minibatch.json"
BATCHES, SEEDS = 20, 5
SLOWER = 1 / 3
"""The most of MiniBatchNMF's time that partial_fit may take."""


@dataclass(frozen=True)
class Stream:
    """Samples with their classes."""

    name: str
    load: Callable[[], tuple[Any, Any]]
    rank: int
    tuned: bool = False


def clusters(samples: Any) -> Any:
    """Classes for samples that have none."""
    return KMeans(10, n_init=1, random_state=0).fit_predict(samples)


def reuters10() -> tuple[Any, Any]:
    """The ten categories, by the first that an article has."""
    articles = datasets.reuters10(datasets.load_reuters(), "train")
    topics = [article.topics[0] for article in articles]
    return sp.csr_matrix(matrices.reuters10("train").matrix.T), np.unique(topics, return_inverse=True)[1]


def reuters() -> tuple[Any, Any]:
    """All articles, by the first topic; those without one are a class."""
    articles = [article for article in datasets.load_reuters() if article.body]
    topics = [article.topics[0] if article.topics else "" for article in articles]
    return sp.csr_matrix(matrices.reuters().matrix.T), np.unique(topics, return_inverse=True)[1]


def cisi() -> tuple[Any, Any]:
    """Abstracts, by cluster."""
    samples = sp.csr_matrix(matrices.cisi().matrix.T)
    return samples, clusters(samples)


def cbcl() -> tuple[Any, Any]:
    """Faces of 19 × 19 points, by cluster."""
    samples = datasets.load_cbcl().pixels.T.astype(float)
    return samples, clusters(samples)


def orl() -> tuple[Any, Any]:
    """Faces of 112 × 92 points, by person."""
    faces = datasets.load_orl()
    return faces.pixels.T.astype(float), np.unique(faces.people, return_inverse=True)[1]


def planted() -> tuple[Any, Any]:
    """20,000 samples of 400 features in twelve classes: three parts of its own, two that all share, noise."""
    rng = np.random.default_rng(0)
    classes = rng.integers(12, size=20_000)
    parts = rng.random((38, 400)) * (rng.random((38, 400)) < 0.1)
    weights = np.zeros((20_000, 38))
    rows = np.arange(20_000)
    for part in range(3):
        weights[rows, 3 * classes + part] = rng.gamma(2.0, size=20_000)
    weights[:, 36:] = rng.gamma(2.0, size=(20_000, 2))
    samples = weights @ parts
    return samples + rng.random(samples.shape) * samples.mean() / 2, classes


STREAMS = (
    Stream("digits", lambda: load_digits(return_X_y=True), 10, tuned=True),
    Stream("reuters10", reuters10, 10, tuned=True),
    Stream("cbcl", cbcl, 10),
    Stream("orl", orl, 10),
    Stream("cisi", cisi, 10),
    Stream("reuters", reuters, 20),
    Stream("planted", planted, 15),
)


def orders(classes: Any, seed: int) -> dict[str, Any]:
    """The samples in a random order, and sorted by class from it."""
    shuffled = np.random.default_rng(seed).permutation(len(classes))
    return {"shuffled": shuffled, "sorted by class": shuffled[np.argsort(classes[shuffled], kind="stable")]}


def relative_error(samples: Any, components: Any) -> float:
    """‖X − UV‖/‖X‖ for the exact weights U of components V."""
    data, algorithm = as_data(samples), ALGORITHMS["anls"]()
    basis = np.ascontiguousarray(components.T, data.dtype)
    with Workers() as workers:
        weights = fold_in(data, loss_of(algorithm), algorithm, basis, workers).factor.rows
        return float(np.sqrt(residual2(data, weights, basis, workers) / data.norm2))


def one_pass(model: Any, batches: list[Any]) -> float:
    """The processor seconds of a pass."""
    begin = time.process_time()
    for batch in batches:
        model.partial_fit(batch)
    return time.process_time() - begin


def measured(stream: Stream) -> Iterator[dict[str, Any]]:
    """A row for each order."""
    samples, classes = stream.load()
    kinds: dict[str, Callable[[int], Any]] = {
        "partwise": lambda seed: NMF(stream.rank, random_state=seed),
        "sklearn": lambda seed: MiniBatchNMF(stream.rank, random_state=seed),
    }
    for order in orders(classes, 0):
        seconds: dict[str, list[float]] = {name: [] for name in kinds}
        errors: dict[str, list[float]] = {name: [] for name in kinds}
        for turn in range(-1, SEEDS):
            seed = max(turn, 0)
            batches = [samples[rows] for rows in np.array_split(orders(classes, seed)[order], BATCHES)]
            for name, make in kinds.items():
                model = make(seed)
                spent = one_pass(model, batches)
                if turn >= 0:  # the turn before loads and compiles
                    seconds[name].append(spent)
                    errors[name].append(relative_error(samples, model.components_))
        yield row(stream, order, samples, seconds, errors)


def row(stream: Stream, order: str, samples: Any, seconds: Any, errors: Any) -> dict[str, Any]:
    """The fastest turn and the median error, and whether they are good enough."""
    spent = {name: min(values) for name, values in seconds.items()}
    error = {name: float(np.median(values)) for name, values in errors.items()}
    return {
        "data": stream.name,
        "order": order,
        "tuned": stream.tuned,
        "batch": [samples.shape[0] // BATCHES, samples.shape[1]],
        "rank": stream.rank,
        "errors": error,
        "seconds": spent,
        "time_share": spent["partwise"] / spent["sklearn"],
        "error_met": error["partwise"] <= error["sklearn"],
        "time_met": spent["partwise"] <= SLOWER * spent["sklearn"],
    }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of data sets; the result file is then left as it is")
    only = parser.parse_args().only
    rows = []
    for stream in STREAMS:
        if only and stream.name not in only:
            continue
        for line in measured(stream):
            rows.append(line)
            print(
                f"{line['data']:10} {line['order']:16} error {line['errors']['partwise']:.4f} against "
                f"{line['errors']['sklearn']:.4f}, time {line['time_share']:.2f} of its own",
                flush=True,
            )
    if not only:
        content = {"batches": BATCHES, "seeds": SEEDS, "load": os.getloadavg()[0], "rows": rows}
        RESULT.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
