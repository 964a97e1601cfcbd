"""The first minute and small data, beside scikit-learn: compiling, imports, an iteration, a grid search.

``first``: CPU seconds of a fresh process with an empty compile cache, less those of the same process with a warm one;
Python keeps its byte code, as an installed package has it.
``imports``: CPU seconds of ``from partwise import NMF`` and ``import sklearn.decomposition``, fresh processes by turns.
``iterations``: CPU microseconds of one iteration, (long run − short run)/difference, by turns in one process, best of
some: ``hals`` against ``solver="cd"``, BLAS at one thread for both: more of them go on spinning after scikit-learn's
run and would be counted with the next one. ``grid``: wall seconds of the same GridSearchCV(n_jobs=2) on digits, workers
warm, by turns. Run it with ``make bench-first-minute``; it writes ``benchmarks/results/first_minute.json``.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import sklearn.decomposition
from matrices import medlars
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import partwise as pw

OUT = Path(__file__).parent / "results" / "first_minute.json"
ROUNDS = 5
MATRIX = "import numpy as np; A = np.random.default_rng(0).random((300, 200)); "
SPARSE = MATRIX + "import scipy.sparse as sp; A = sp.csr_array(A * (A > .9)); "
FIRST = {
    "factorize, dense": (MATRIX + "import partwise as pw; pw.factorize(A, 5)", 4),
    "factorize, sparse": (SPARSE + "import partwise as pw; pw.factorize(A, 5)", 4),
    "NMF().fit_transform, dense": (MATRIX + "import partwise as pw; pw.NMF().fit_transform(A)", 6),
    "NMF().fit_transform, sparse": (SPARSE + "import partwise as pw; pw.NMF().fit_transform(A)", 6),
    "partwise demo": ("from partwise.cli import application; application()(['demo'], standalone_mode=False)", 8),
}
IMPORTS = {"from partwise import NMF": 0.4, "import sklearn.decomposition": None, "import partwise": None}


def cpu(code, **environment):
    """The CPU seconds of some code in a fresh process, in a folder of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-W", "ignore", "-c", code]
        subprocess.run(line, check=True, capture_output=True, env={**kept, **environment}, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_rows():
    """What compiling adds to the first call ever."""
    for what, (code, limit) in FIRST.items():
        with tempfile.TemporaryDirectory() as cache:
            cold = cpu(code, NUMBA_CACHE_DIR=cache)
            warm = min(cpu(code, NUMBA_CACHE_DIR=cache) for _ in range(2))
        yield {"what": what, "cpu_seconds": round(cold - warm, 2), "limit": limit, "met": cold - warm <= limit}


def import_rows():
    """The imports, by turns."""
    figures = {code: [] for code in IMPORTS}
    for _ in range(ROUNDS):
        for code, durations in figures.items():
            durations.append(cpu(code))
    best = {code: min(durations) for code, durations in figures.items()}
    for code, over in IMPORTS.items():
        limit = None if over is None else round(best["import sklearn.decomposition"] + over, 2)
        seconds = round(best[code], 2)
        yield {"what": code, "cpu_seconds": seconds, "limit": limit, "met": None if limit is None else seconds <= limit}


def per_iteration(fit, few=10, many=210):
    """CPU microseconds of one iteration, less all that does not depend on their number."""
    times = []
    for iterations in (few, many):
        began = time.process_time()
        fit(iterations)
        times.append(time.process_time() - began)
    return 1e6 * (times[1] - times[0]) / (many - few)


def iteration_rows():
    """One iteration of each, on one thread."""
    matrices = {"200 × 200 dense, k = 5": (np.random.default_rng(0).random((200, 200)), 5)}
    matrices["MEDLARS tf-idf, k = 10"] = (medlars().matrix, 10)
    methods = {"hals": pw.hals(), "hals, 1 sweep": pw.hals(sweeps=1), "als-hals (the default)": pw.als_hals()}
    for (name, (matrix, rank)), (method, algorithm) in product(matrices.items(), methods.items()):

        def ours(count, matrix=matrix, rank=rank, algorithm=algorithm):
            pw.factorize(matrix, rank, algorithm=algorithm, stop=pw.MaxIterations(count), seed=0, threads=1)

        def theirs(count, matrix=matrix, rank=rank):
            nmf = sklearn.decomposition.NMF(rank, init="random", solver="cd", tol=0, max_iter=count, random_state=0)
            nmf.fit_transform(matrix)

        with threadpool_limits(1, user_api="blas"):
            ours(3), theirs(3)
            rounds = [(per_iteration(ours), per_iteration(theirs)) for _ in range(ROUNDS)]
        own, other = (min(figures) for figures in zip(*rounds, strict=True))
        figures = {"partwise_us": round(own), "sklearn_us": round(other), "ratio": round(own / other, 2)}
        yield {"data": name, "method": method, **figures, "limit": 1.0, "met": own <= other}


def grid_seconds(nmf, samples, labels):
    """The seconds of one grid search on two workers."""
    pipeline = make_pipeline(nmf, MaxAbsScaler(), LinearSVC())
    search = GridSearchCV(pipeline, {"nmf__n_components": [8, 16, 32]}, cv=3, n_jobs=2)
    began = time.perf_counter()
    search.fit(samples, labels)
    return time.perf_counter() - began, float(search.best_score_)


def grid_row():
    """Grid searches by turns; the first of each only warms the workers."""
    samples, labels = load_digits(return_X_y=True)
    models = {"partwise": pw.NMF(random_state=0), "sklearn": sklearn.decomposition.NMF(random_state=0)}
    rounds = [{name: grid_seconds(nmf, samples, labels) for name, nmf in models.items()} for _ in range(4)][1:]
    seconds = {name: min(each[name][0] for each in rounds) for name in models}
    ratio = seconds["sklearn"] / seconds["partwise"]
    scores = {f"{name}_score": round(rounds[-1][name][1], 3) for name in models}
    rounded = {f"{name}_seconds": round(value, 2) for name, value in seconds.items()}
    return {**rounded, **scores, "faster": round(ratio, 2), "limit": 2.0, "met": ratio >= 2}


def main():
    """Measure what is asked for (all of it where nothing is), print, and keep the rest of the file as it was."""
    warnings.simplefilter("ignore")
    sections = {
        "first": lambda: list(first_rows()),
        "imports": lambda: list(import_rows()),
        "iterations": lambda: list(iteration_rows()),
        "grid": grid_row,
    }
    result = json.loads(OUT.read_text()) if OUT.exists() else {}
    for name in sys.argv[1:] or sections:
        result[name] = sections[name]()
        print(json.dumps({name: result[name]}, indent=1, ensure_ascii=False), flush=True)
    result |= {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    OUT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
