"""What one iteration costs against its two bare threaded products, and what ``import partwise`` costs.

The limits are for the two products as the iteration itself makes them; beside those stand two by the plain row loop
(``plain_csr_product``) on the same blocks and threads, which are slower. Medians of alternating repeats in one
run, on Reuters tf-idf (all documents with a body). Needs the collection: see ``partwise.datasets``. Run it with
``make bench-iteration``; it writes ``benchmarks/results/iteration.json``.
"""

import json
import os
import platform
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
from matrices import reuters

import partwise as pw
from partwise.data.as_data import as_data
from partwise.data.products import product
from partwise.kernels.products import plain_csr_product
from partwise.threads.pool import Workers

REPEATS = 101
LIMITS = {"acls": 1.4, "hals, 1 sweep": 2.2, "hals, 3 sweeps": None, "als-hals (the default)": None}
METHODS = {
    "acls": pw.acls(0.5, 0.5),
    "hals, 1 sweep": pw.hals(sweeps=1),
    "hals, 3 sweeps": pw.hals(sweeps=3),
    "als-hals (the default)": pw.als_hals(),
}


def seconds(task):
    """The time that one call takes."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def plain_product(data, factor, workers):
    """A · factor by the plain row loop."""
    out = np.empty((data.shape[0], factor.shape[1]), data.dtype)
    workers.map(lambda lo, hi: plain_csr_product(*data.arrays, factor, lo, hi, out[lo:hi]), data.blocks)
    return out


def iteration_rows(matrix, rank, dtype):
    """For each method the median iteration, the median pair of bare products, and their ratio."""
    data = as_data(matrix.astype(dtype))
    rng = np.random.default_rng(0)
    w, h = (rng.random((size, rank)).astype(dtype) for size in data.shape)
    runs = {name: pw.iterate(data, rank, algorithm=method) for name, method in METHODS.items()}
    for run in runs.values():
        list(islice(run, 4))
    bare = {"plain": plain_product, "own": product}
    times = {name: [] for name in [*bare, *runs]}
    with Workers() as workers:
        for method in bare.values():
            method(data.T, w, workers), method(data, h, workers)
        for _ in range(REPEATS):
            for name, method in bare.items():
                both = seconds(lambda method=method: (method(data.T, w, workers), method(data, h, workers)))
                times[name].append(both)
            for name, run in runs.items():
                times[name].append(seconds(lambda run=run: next(run)))
    plain, own = (float(np.median(times[name])) for name in bare)
    for name in runs:
        typical = float(np.median(times[name]))
        yield {
            "method": name,
            "rank": rank,
            "dtype": np.dtype(dtype).name,
            "iteration_ms": round(1e3 * typical, 2),
            "two_products_ms": round(1e3 * plain, 2),
            "ratio": round(typical / plain, 3),
            "own_products_ms": round(1e3 * own, 2),
            "own_ratio": round(typical / own, 3),
            "limit": LIMITS[name],
        }


def import_seconds():
    """The median time of ``import partwise`` after ``import numpy, scipy.sparse``, in fresh processes."""
    code = (
        "import time, numpy, scipy.sparse; began = time.perf_counter(); import partwise; "
        "print(time.perf_counter() - began)"
    )
    durations = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(7)
    ]
    return float(np.median(durations))


def main():
    """Measure, print, write."""
    matrix = reuters().matrix
    rows = [row for dtype in (np.float64, np.float32) for k in (10, 50) for row in iteration_rows(matrix, k, dtype)]
    print(f"Reuters tf-idf, {matrix.shape[0]:,} x {matrix.shape[1]:,}, {matrix.nnz:,} nonzeros, {os.cpu_count()} cores")
    head = f"{'method':<24}{'k':>4}{'dtype':>9}{'iteration':>12}{'plain':>12}{'ratio':>7}{'our own':>12}{'ratio':>7}"
    print(f"{head}  limit")
    for row in rows:
        verdict = "" if row["limit"] is None else "met" if row["own_ratio"] <= row["limit"] else "MISSED"
        print(
            f"{row['method']:<24}{row['rank']:>4}{row['dtype']:>9}{row['iteration_ms']:>9.2f} ms"
            f"{row['two_products_ms']:>9.2f} ms{row['ratio']:>7.2f}"
            f"{row['own_products_ms']:>9.2f} ms{row['own_ratio']:>7.2f}  {row['limit'] or ''} {verdict}"
        )
    loading = import_seconds()
    verdict = "met" if loading <= 0.6 else "MISSED"
    print(f"import partwise: {loading:.3f} s over numpy and scipy.sparse (limit 0.6 {verdict})")
    out = Path(__file__).parent / "results" / "iteration.json"
    out.parent.mkdir(exist_ok=True)
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    content = {"rows": rows, "import_seconds": round(loading, 3), "repeats": REPEATS, **machine}
    out.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
