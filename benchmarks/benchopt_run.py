"""benchopt's benchmark_nmf with partwise among its solvers: which of them is first near the best objective.

The benchmark is not part of this repository: give the folder of a clone of github.com/benchopt/benchmark_nmf, and run
this with a Python that has benchopt 1.6, joblib 1.4, tensorly, scikit-learn, pyarrow and partwise (later ones
refuse the benchmark as it is). ``benchopt/partwise.py`` goes into a
copy of its folder ``solvers``. Simulated data of two sizes, the start that its objective shares among all solvers, one
thread for BLAS; for each solver the seconds, as benchopt measures them, until ½‖X − WH‖² is at most (1 + ε) times the
least value that any of them reached, all by medians over the repetitions; "never" is null. The limit of
``SECONDS`` is benchopt's for all runs of a solver; those that begin anew for every point of their curve make many.

    python benchmarks/benchopt_run.py path/to/benchmark_nmf
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
RESULT = HERE / "results" / "benchopt.json"
SIZES = {"200 × 200, k = 5": (200, 200, 5, 5), "1000 × 500, k = 10": (1000, 500, 10, 10)}
NEAR = (1e-3, 1e-5)
SOLVERS = ("sklearn[loss=frobenius]", "tensorly", "apg", "partwise")
SECONDS, REPETITIONS, POINTS = 10, 3, 400


def curves(folder, size):
    """benchopt's own table of (solver, repetition, time, objective)."""
    dataset = f'simulated["m_dim, n_dim, true_rank, estimated_rank"=[{size}]]'
    command = str(Path(sys.executable).parent / "benchopt")
    line = [command, "run", str(folder), "--local", "-d", dataset, "--no-plot", "--no-html"]
    line += ["-n", str(POINTS), "-r", str(REPETITIONS), "--timeout", str(SECONDS), "--output", "partwise_run"]
    for solver in SOLVERS:
        line += ["-s", solver]
    subprocess.run(line, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return pd.read_parquet(next((folder / "outputs").glob("partwise_run*.parquet")))


def rows(name, table):
    """When each solver came near the best of all."""
    lowest = table.groupby(["solver_name", "idx_rep"])["objective_value"].min()
    best = lowest.groupby("solver_name").median().min()
    for near in NEAR:
        good = table[table["objective_value"] <= best * (1 + near)]
        first = good.groupby(["solver_name", "idx_rep"])["time"].min()
        seconds = {}
        for solver in sorted(table["solver_name"].unique()):
            times = [first.get((solver, turn), np.inf) for turn in table["idx_rep"].unique()]
            middle = float(np.median(times))
            seconds[solver] = round(middle, 4) if np.isfinite(middle) else None
        reached = {solver: value for solver, value in seconds.items() if value is not None}
        winner = min(reached, key=reached.get)
        yield {"data": name, "near": near, "seconds": seconds, "first": winner, "met": "partwise" in winner.lower()}


def main():
    """Run both sizes, print, keep."""
    found = []
    for name, size in SIZES.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "benchmark_nmf"
            shutil.copytree(sys.argv[1], folder, ignore=shutil.ignore_patterns(".git", "outputs"))
            shutil.copy(HERE / "benchopt" / "partwise.py", folder / "solvers" / "partwise.py")
            found += rows(name, curves(folder, size))
    print(json.dumps(found, indent=1, ensure_ascii=False))
    result = {"rows": found, "limit_seconds": SECONDS, "repetitions": REPETITIONS, "cores": os.cpu_count()}
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
