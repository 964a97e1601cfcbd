"""benchopt's benchmark_nmf with partwise among its solvers: which of them is first near the best objective.

The benchmark is not part of this repository: give the folder of a clone of github.com/benchopt/benchmark_nmf, and run
this with a Python that has benchopt 1.6, joblib 1.4, tensorly, scikit-learn, pyarrow and partwise (later ones
refuse the benchmark as it is). ``benchopt/partwise.py`` goes into a
copy of its folder ``solvers``. Simulated data of two sizes, the start that its objective shares among all solvers, one
thread for BLAS; for each solver the seconds, as benchopt measures them, until ½‖X − WH‖² is at most (1 + ε) times the
best value, which is the least that any solver reached in any run; null where it was not reached. ``SECONDS`` is
benchopt's limit for all runs of a solver together. Solvers that begin anew for every point of their curve
(scikit-learn, tensorly, partwise) make runs that are longer by half each time, so their longest single run, which is on
record too, is a third of it at most. A solver is first where it has the least seconds and each one that did not come
there had a single run at least as long; else nothing is said. Five minutes.

    python benchmarks/benchopt_run.py path/to/benchmark_nmf
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
RESULT = HERE / "results" / "benchopt.json"
SIZES = {"200 × 200, k = 5": (200, 200, 5, 5), "1000 × 500, k = 10": (1000, 500, 10, 10)}
NEAR = (1e-3, 1e-5)
SOLVERS = ("sklearn[loss=frobenius]", "tensorly", "apg", "partwise")
SECONDS, REPETITIONS, POINTS = 16, 1, 10_000


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
    """When each solver came near the best of all, how long it was tried for, and who is first."""
    best = table["objective_value"].min()
    solvers = sorted(table["solver_name"].unique())
    longest = {solver: float(table.loc[table["solver_name"] == solver, "time"].max()) for solver in solvers}
    for near in NEAR:
        good = table[table["objective_value"] <= best * (1 + near)]
        reached = good.groupby("solver_name")["time"].min()
        winner = reached.idxmin()
        established = all(solver in reached or longest[solver] >= reached[winner] for solver in solvers)
        yield {
            "data": name,
            "near": near,
            "seconds": {solver: round(float(reached[solver]), 4) if solver in reached else None for solver in solvers},
            "longest": {solver: round(seconds, 2) for solver, seconds in longest.items()},
            "first": winner if established else None,
            "met": established and "partwise" in winner.lower(),
        }


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
