"""What one iteration costs against its two bare threaded products, and what ``import partwise`` costs.

Medians of alternating repeats in one run, on Reuters tf-idf (all documents with a body). Needs the collection: see
``partwise.datasets``. Run it with ``make bench-iteration``; it writes ``benchmarks/results/iteration.json``.
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
from partwise.blocks import Workers, product
from partwise.data import as_data

REPEATS = 31
LIMITS = {"acls": 1.4, "hals, 1 sweep": 2.2, "hals, 3 sweeps": None, "als-hals (the default)": None}
METHODS = {
    "acls": pw.acls(),
    "hals, 1 sweep": pw.hals(sweeps=1),
    "hals, 3 sweeps": pw.hals(sweeps=3),
    "als-hals (the default)": pw.als_hals(),
}


def seconds(task):
    """The time that one call takes."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def iteration_rows(matrix, rank, dtype):
    """For each method the median iteration, the median pair of bare products, and their ratio."""
    data = as_data(matrix.astype(dtype))
    rng = np.random.default_rng(0)
    w, h = (rng.random((size, rank)).astype(dtype) for size in data.shape)
    runs = {name: pw.iterate(data, rank, algorithm=made) for name, made in METHODS.items()}
    for run in runs.values():
        list(islice(run, 4))
    times = {name: [] for name in ["products", *runs]}
    with Workers() as workers:
        for _ in range(REPEATS):
            times["products"].append(seconds(lambda: (product(data.T, w, workers), product(data, h, workers))))
            for name, run in runs.items():
                times[name].append(seconds(lambda run=run: next(run)))
    bare = float(np.median(times["products"]))
    for name in runs:
        found = float(np.median(times[name]))
        yield {
            "method": name,
            "rank": rank,
            "dtype": np.dtype(dtype).name,
            "iteration_ms": round(1e3 * found, 2),
            "two_products_ms": round(1e3 * bare, 2),
            "ratio": round(found / bare, 3),
            "limit": LIMITS[name],
        }


def import_seconds():
    """The median time of ``import partwise`` after ``import numpy, scipy.sparse``, in fresh processes."""
    code = (
        "import time, numpy, scipy.sparse; began = time.perf_counter(); import partwise; "
        "print(time.perf_counter() - began)"
    )
    found = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(7)
    ]
    return float(np.median(found))


def main():
    """Measure, print, write."""
    matrix = reuters().matrix
    rows = [row for dtype in (np.float64, np.float32) for k in (10, 50) for row in iteration_rows(matrix, k, dtype)]
    print(f"Reuters tf-idf, {matrix.shape[0]:,} x {matrix.shape[1]:,}, {matrix.nnz:,} nonzeros, {os.cpu_count()} cores")
    print(f"{'method':<24}{'k':>4}{'dtype':>9}{'iteration':>12}{'2 products':>12}{'ratio':>7}  limit")
    for row in rows:
        verdict = "" if row["limit"] is None else "met" if row["ratio"] <= row["limit"] else "MISSED"
        print(
            f"{row['method']:<24}{row['rank']:>4}{row['dtype']:>9}{row['iteration_ms']:>9.2f} ms"
            f"{row['two_products_ms']:>9.2f} ms{row['ratio']:>7.2f}  {row['limit'] or ''} {verdict}"
        )
    loading = import_seconds()
    verdict = "met" if loading <= 0.6 else "MISSED"
    print(f"import partwise: {loading:.3f} s over numpy and scipy.sparse (limit 0.6 {verdict})")
    out = Path(__file__).parent / "results" / "iteration.json"
    out.parent.mkdir(exist_ok=True)
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    made = {"rows": rows, "import_seconds": round(loading, 3), "repeats": REPEATS, **machine}
    out.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
