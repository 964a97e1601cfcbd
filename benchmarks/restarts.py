"""What 100 restarts cost with and without the race, against one run of the same length, and what the race loses.

Three collections, k = 10, random starts, 50 iterations. Run it with ``make bench-restarts``; it writes
``benchmarks/results/restarts.json``.
"""

import json
import os
import time
from pathlib import Path

import numpy as np
from matrices import cisi, medlars, reuters10

import partwise as pw

COUNT, LENGTH, RANK = 100, 50, 10
METHODS = {"acls": pw.acls(0.5, 0.5), "als-hals": "als-hals"}
SETS = {"medlars": medlars, "cisi": cisi, "reuters10": reuters10}


def timed(matrix, **settings):
    """(seconds, result) of one call."""
    began = time.perf_counter()
    fit = pw.factorize(matrix, RANK, init="random", stop=pw.MaxIterations(LENGTH), **settings)
    return time.perf_counter() - began, fit


def row(name, matrix, algorithm):
    """One collection and one algorithm."""
    method = METHODS[algorithm]
    one = float(np.median([timed(matrix, algorithm=method, seed=seed)[0] for seed in range(5)]))
    raced_seconds, raced = timed(matrix, algorithm=method, restarts=COUNT)
    all_seconds, every = timed(matrix, algorithm=method, restarts=COUNT, racing=None)
    return {
        "data": name,
        "algorithm": algorithm,
        "one_run_seconds": round(one, 3),
        "race_in_runs": round(raced_seconds / one, 1),
        "all_in_runs": round(all_seconds / one, 1),
        "race_above_best_percent": round(100 * (raced.error / every.error - 1), 5),
        "worst_above_best_percent": round(100 * (max(r.error for r in every.restarts) / every.error - 1), 4),
    }


def main():
    """Measure, print, write."""
    rows = []
    print(f"{COUNT} random starts of {LENGTH} iterations, k = {RANK}; limits: race 30 runs, 0.01 % above the best")
    names = ("algorithm", "one run", "race", "all", "above best", "worst start")
    print(f"{'data':<11}" + "".join(f"{name:>13}" for name in names))
    for name, load in SETS.items():
        matrix = load().matrix
        for algorithm in ("acls", "als-hals"):
            timed(matrix, algorithm=METHODS[algorithm], restarts=2)
            result = row(name, matrix, algorithm)
            rows.append(result)
            met = result["race_in_runs"] <= 30 and result["race_above_best_percent"] <= 0.01
            print(
                f"{name:<11}{algorithm:>13}{result['one_run_seconds']:>11.3f} s{result['race_in_runs']:>11.1f} x"
                f"{result['all_in_runs']:>11.1f} x{result['race_above_best_percent']:>11.4f} %"
                f"{result['worst_above_best_percent']:>11.3f} %  {'met' if met else 'MISSED'}",
                flush=True,
            )
    out = Path(__file__).parent / "results" / "restarts.json"
    out.write_text(
        json.dumps({"rows": rows, "count": COUNT, "iterations": LENGTH, "cores": os.cpu_count()}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
