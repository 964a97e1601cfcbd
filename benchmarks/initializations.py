"""The paper's table 2 for every start: seconds and storage of W⁽⁰⁾, Error(0), (10), (20), (30) of ACLS, λ = .5.

Ten-category Reuters (training split), tf-idf, k = 10, ten seeds, mean and spread. Error(i) is (‖A − WH‖ − opt)/opt with
opt from the rank-10 SVD. Run it with ``make bench-starts``; it writes ``benchmarks/results/initializations.json``.
"""

import json
import os
from itertools import islice
from pathlib import Path

import numpy as np
from matrices import reuters10
from scipy.stats import spearmanr

import partwise as pw

SEEDS, RANK, AT = range(10), 10, (0, 10, 20, 30)
PAPER = {
    "svd-centroid": 0.06,
    "random-acol": 0.21,
    "centroid": 0.27,
    "random": 0.28,
    "random-c": 0.29,
    "co-occurrence": 0.37,
}
"""Error(10) in per cent, table 2."""


def measured(matrix, name, opt):
    """One start over all seeds: means and standard deviations."""
    errors, seconds, storage = [], [], []
    for seed in SEEDS:
        steps = list(islice(pw.iterate(matrix, RANK, algorithm="acls", init=name, seed=seed), AT[-1] + 1))
        errors.append([100 * (steps[i].error - opt) / opt for i in AT])
        seconds.append(steps[0].start.seconds)
        storage.append(steps[0].start.nbytes)
    return {
        "init": name,
        "seconds": round(float(np.median(seconds)), 4),
        "kilobytes": round(float(np.mean(storage)) / 1000, 1),
        "error": [round(float(e), 4) for e in np.mean(errors, axis=0)],
        "spread": [round(float(e), 4) for e in np.std(errors, axis=0)],
    }


def main():
    """Measure, print, write."""
    matrix = reuters10().matrix
    opt = pw.truncated_svd(matrix, RANK).error
    rows = [measured(matrix, name, opt) for name in pw.INITS]
    print(f"reuters10 tf-idf, {matrix.shape[0]:,} x {matrix.shape[1]:,}, k = {RANK}, ACLS, {len(SEEDS)} seeds")
    print(f"{'start':<15}{'seconds':>9}{'kB':>9}" + "".join(f"{f'Error({i})':>18}" for i in AT))
    for row in rows:
        cells = "".join(f"{e:>9.3f} ±{s:>6.3f}%" for e, s in zip(row["error"], row["spread"], strict=True))
        print(f"{row['init']:<15}{row['seconds']:>9.3f}{row['kilobytes']:>9.0f}{cells}")
    ours = {row["init"]: row["error"][1] for row in rows if row["init"] in PAPER}
    order = sorted(ours, key=ours.get)
    rho = float(spearmanr([ours[name] for name in PAPER], list(PAPER.values())).statistic)
    print(f"order at iteration 10: {', '.join(order)}")
    print(f"the paper's:           {', '.join(PAPER)}")
    print(f"rank correlation {rho:.2f}")
    out = Path(__file__).parent / "results" / "initializations.json"
    made = {
        "rows": rows,
        "svd_error": opt,
        "order": order,
        "papers_order": list(PAPER),
        "rank_correlation": round(rho, 3),
    }
    out.write_text(json.dumps({**made, "shape": matrix.shape, "cores": os.cpu_count()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
