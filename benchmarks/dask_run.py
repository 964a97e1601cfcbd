"""Two worker processes against two threads in one process, by turns, and the bytes that move in an iteration.

Text-like data of 1e7 nonzeros (a Zipf vocabulary), rank 50, float64. The bytes that workers fetch from each other and
hand to the client are read from the workers' own counters; what the client sends is W, once for each worker. Writes
``results/dask.json``.
"""

import json
import os
import time
from itertools import islice, pairwise
from pathlib import Path
from statistics import median

import dask.array as da
import numpy as np
import scipy.sparse as sp
from distributed import Client, LocalCluster

import partwise as pw

NNZ, WORDS, LENGTH, RANK, WORKERS, PARTS = 10_000_000, 20_000, 80, 50, 2, 4
RESULT = Path(__file__).parent / "results" / "dask.json"


def text(seed: int = 0) -> sp.csr_array:
    """Documents × words: about LENGTH different words each, drawn by Zipf's law, columns of unit length."""
    rng = np.random.default_rng(seed)
    tokens = int(1.35 * NNZ)
    words = np.minimum(WORDS ** rng.random(tokens), WORDS - 1).astype(np.int32)
    documents = np.repeat(np.arange(tokens // 108 + 1, dtype=np.int32), 108)[:tokens]
    matrix = sp.csr_array((np.ones(tokens), (documents, words)))
    matrix.sum_duplicates()
    matrix.data = 1 + np.log(matrix.data)
    matrix.data /= np.repeat(np.sqrt(np.add.reduceat(matrix.data**2, matrix.indptr[:-1])), np.diff(matrix.indptr))
    return matrix


def seconds(*runs, turns: int = 15) -> list[float]:
    """The median seconds of an iteration of each run, by turns, so that a slow minute of the machine meets all."""
    times = [[] for _ in runs]
    for steps in runs:
        for _ in islice(steps, 4):
            pass
    for _ in range(turns):
        for steps, durations in zip(runs, times, strict=True):
            began = time.perf_counter()
            next(steps)
            durations.append(time.perf_counter() - began)
    return [median(durations) for durations in times]


def moved(client: Client) -> int:
    """Bytes that workers have handed to anybody so far."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def main() -> None:
    """Measure both, and write what came out."""
    matrix = text()
    terms_first = sp.csr_array(matrix.T)
    n, m = matrix.shape
    edges = np.linspace(0, n, PARTS + 1).astype(int)
    rows = []
    options = {"n_workers": WORKERS, "processes": True, "threads_per_worker": 1, "dashboard_address": None}
    for algorithm in ("acls", "hals", "als-hals"):
        start = np.random.default_rng(0).random((m, RANK))
        with LocalCluster(host="127.0.0.1", **options) as cluster, Client(cluster, direct_to_workers=True) as client:
            there = sorted(client.nthreads())
            pieces = [
                client.scatter(sp.csr_matrix(matrix[lo:hi].T), workers=[there[part * WORKERS // PARTS]], hash=False)
                for part, (lo, hi) in enumerate(pairwise(edges))
            ]
            blocks = [
                da.from_delayed(_delayed(piece), (m, int(hi - lo)), meta=sp.csr_matrix((0, 0)))
                for piece, (lo, hi) in zip(pieces, pairwise(edges), strict=True)
            ]
            steps = pw.iterate(da.concatenate(blocks, axis=1), RANK, algorithm=algorithm, init=start)
            here = pw.iterate(terms_first, RANK, algorithm=algorithm, init=start, threads=WORKERS)
            near, far = seconds(here, steps)
            before = moved(client)
            betas = [step.momentum.beta if step.momentum else 0 for step in islice(steps, 10)]
            # The first worker of a broadcast gets W from the client, which no worker's counter sees.
            measured = (moved(client) - before) / 10 + m * RANK * 8
        tall = {"acls": 0, "hals": 1, "als-hals": 2}[algorithm]
        # A try with momentum that raised the error was made again without it, with less momentum from then on.
        tries = 1 + sum(after < before for before, after in pairwise(betas)) / 10
        formula = tries * 2 * WORKERS * m * RANK * 8 + tall * n * RANK * 8 / 5
        rows.append(
            {"algorithm": algorithm, "threads_seconds": near, "dask_seconds": far, "ratio": far / near, "limit": 1.6,
             "bytes_measured": measured, "bytes_formula": formula, "bytes_ratio": measured / formula}
        )  # fmt: skip
        print(f"{algorithm:<10} {near:.3f} s in threads, {far:.3f} s on Dask, {far / near:.2f} times", flush=True)
        print(f"{measured / 1e6:.1f} MB moved, formula {formula / 1e6:.1f} MB, {measured / formula:.2f}", flush=True)
    content = {
        "shape": [m, n],
        "nnz": int(matrix.nnz),
        "rank": RANK,
        "parts": PARTS,
        "workers": WORKERS,
        "cores": os.cpu_count(),
        "rows": rows,
    }
    RESULT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _delayed(piece):
    from dask.delayed import delayed

    return delayed(piece)


if __name__ == "__main__":
    main()
