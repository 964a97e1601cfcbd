"""Default against default: ``partwise.NMF(k)`` beside ``sklearn.decomposition.NMF(k)``, error and time.

``make bench-defaults`` runs every data set of ``default_sets.py`` at k = 5, 10 and 20, and those of FLOORS at their own
k (the largest one at that alone), by turns in one process a data set, both after a small fit that loads everything.
Medians are over 5 seeds where a pair of fits takes up to 12 s, above that over 3: some 10 minutes on an idle machine of
two cores. What is on record for the same source of partwise and the same versions is not run again, so the command goes
on where it was interrupted; ``--quick`` runs the named floors and one seed of the smaller data sets, ``--only``,
``--seeds`` and ``--again`` choose. Seconds are those of the clock with all cores free to both, processor seconds those
of all threads. BLAS has one thread, where partwise holds it anyway: on a busy machine more of them cost scikit-learn up
to ten times the processor time. Errors are computed here from W and H. Where there are 5 seeds the time until our error
is down to theirs is measured too: on some data scikit-learn stops far above ours. ``benchmarks/results/defaults.json``.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from default_sets import JUDGING, TUNING
from harness.checks import check
from harness.records import partwise_source

RESULT = Path(__file__).parent / "results" / "defaults.json"
RANKS, SEEDS = (5, 10, 20), 5
FLOORS = {("reuters", 50): 10.0, ("reuters10", 10): 3.0, ("cbcl", 49): 3.0, ("text1e7", 50): 6.0}
"""(data set, k) -> how many times faster; others above ENTRIES are to be 1.5 times faster."""
USUAL_FLOOR, ENTRIES = 1.5, 100_000
ABOVE, EQUAL, NIL = 2e-4, 1e-6, 1e-3
"""How far above scikit-learn's error ours may be anywhere, what counts as equal, and errors too small to compare."""
LARGEST = "text1e7"
TURNS = ((12.0, 5), (float("inf"), 3))
"""The seconds of a pair of fits up to which there are so many seeds."""
QUICK = (
    "medlars",
    "digits",
    "golub",
    "cisi",
    "docstrings",
    "planted",
    "breast cancer",
    "wine",
    "diabetes",
    "movielens",
)


def solver(name):
    """The estimator of a side."""
    if name == "partwise":
        from partwise import NMF
    else:
        from sklearn.decomposition import NMF
    return NMF


def timed(name, matrix, rank, seed, **settings):
    """One fit: seconds, processor seconds, error, iterations."""
    model = solver(name)(rank, random_state=seed, **settings)
    began, used = time.perf_counter(), sum(os.times()[:2])
    weights = model.fit_transform(matrix)
    seconds, processor = time.perf_counter() - began, sum(os.times()[:2]) - used
    worth = check(matrix, weights, model.components_)
    figures = {"seconds": seconds, "processor": processor, "iterations": int(model.n_iter_)}
    return {**figures, "error": worth.error, "kkt": worth.kkt}


def seconds_to(matrix, rank, seed, error):
    """Seconds until partwise's error is at most the given one, by a fit that stops there; None where it stops above.

    The start and the iterations are those of ``NMF(rank, random_state=seed)``.
    """
    from partwise import INITS, Frobenius, MaxIterations, factorize

    began = time.perf_counter()
    start = INITS["svd-best"](random_state=seed)
    fit = factorize(matrix.T, rank, init=start, stop=[Frobenius(level=error, every=1), MaxIterations(300)])
    return time.perf_counter() - began if fit.error <= error else None


def measure(name, ranks, seeds):
    """The runs of one data set, printed as JSON lines; this is a process of its own."""
    matrix = (TUNING | JUDGING)[name]()
    sample = matrix[: min(60, matrix.shape[0])]
    for side in ("partwise", "sklearn"):
        solver(side)(2, random_state=0, max_iter=20).fit(sample)
    for rank in ranks:
        if rank > min(matrix.shape):
            continue
        seed, turns = 0, seeds
        while seed < turns:
            run = {side: timed(side, matrix, rank, seed) for side in ("partwise", "sklearn")}
            if seed == 0:
                pair = sum(figures["seconds"] for figures in run.values())
                turns = min(seeds, next(count for limit, count in TURNS if pair <= limit))
            if turns == seeds:
                run["seconds_to"] = seconds_to(matrix, rank, seed, run["sklearn"]["error"] * (1 + EQUAL))
            print(json.dumps({"rank": rank, "seed": seed, **run}), flush=True)
            seed += 1
    print(json.dumps({"shape": matrix.shape, "entries": entries(matrix), "sparse": sp.issparse(matrix)}), flush=True)


def entries(matrix):
    """The numbers that are stored."""
    return int(matrix.nnz if sp.issparse(matrix) else matrix.size)


def summary(runs, about, name, rank):
    """Medians of the runs of one row."""
    row = {"data": name, "rank": rank, "judging": name in JUDGING, **about, "seeds": len(runs)}
    for side in ("partwise", "sklearn"):
        row[side] = {figure: statistics.median(run[side][figure] for run in runs) for figure in runs[0][side]}
    reached = [run["seconds_to"] for run in runs if "seconds_to" in run]
    if reached:
        row["seconds_to"] = None if None in reached else statistics.median(reached)
    ours, theirs = row["partwise"], row["sklearn"]
    row["above"] = ours["error"] / theirs["error"] - 1 if max(ours["error"], theirs["error"]) > NIL else 0.0
    row["ratio"] = theirs["seconds"] / ours["seconds"]
    row["processor_ratio"] = theirs["processor"] / ours["processor"] if ours["processor"] > 0 else None
    return row


def run_set(name, ranks, seeds):
    """The rows of one data set, from a process of its own."""
    command = [sys.executable, __file__, "--measure", name, "--seeds", str(seeds), "--ranks", *map(str, ranks)]
    alone = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "BLIS")}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **alone})
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        print(f"{name}: left out, {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return []
    *runs, about = lines
    found = dict.fromkeys(run["rank"] for run in runs)
    return [summary([run for run in runs if run["rank"] == rank], about, name, rank) for rank in found]


def show(row):
    """One line."""
    print(
        f"{row['data']:<30}{row['rank']:>3}{100 * row['above']:>+10.4f} %{row['partwise']['seconds']:>9.3f} s"
        f"{row['sklearn']['seconds']:>9.3f} s{row['ratio']:>7.1f} ×   processor {row['processor_ratio'] or 0:.1f} ×",
        flush=True,
    )


def main():
    """Run what is not on record, and write after each data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--only", nargs="+", help="these data sets")
    parser.add_argument("--ranks", nargs="+", type=int, help="these k")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--quick", action="store_true", help="the floors and the smaller data sets, one seed")
    parser.add_argument("--again", action="store_true", help="repeat what is on record")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.measure:
        measure(chosen.measure, chosen.ranks, chosen.seeds)
        return
    seeds = 1 if chosen.quick else chosen.seeds
    stamp = {"source": partwise_source(), "sklearn": __import__("sklearn").__version__, "numpy": np.__version__}
    content = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {"rows": []}
    rows = {(row["data"], row["rank"]): row for row in content["rows"]}
    for name in chosen.only or (TUNING | JUDGING):
        usual = RANKS if name != LARGEST and (not chosen.quick or name in QUICK) else ()
        ranks = list(chosen.ranks or usual)
        ranks += [] if chosen.ranks else [k for data, k in FLOORS if data == name]
        asked = {"stamp": stamp, "asked": seeds}
        known = [k for k in ranks if asked.items() <= rows.get((name, k), {}).items()]
        missing = [k for k in ranks if chosen.again or k not in known]
        for row in run_set(name, missing, seeds) if missing else []:
            rows[name, row["rank"]] = {**row, **asked, "load": round(os.getloadavg()[0], 1)}
            show(row)
        content = {"cores": os.cpu_count(), "rows": list(rows.values())}
        temporary = RESULT.with_suffix(".new")
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        temporary.replace(RESULT)


if __name__ == "__main__":
    main()
