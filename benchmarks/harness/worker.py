"""One solver on one matrix in a process of its own: ``python -m harness.worker JOB.json``.

It needs only numpy, scipy and the solver's package, in the solver's own interpreter. The clock is around the fit alone;
the peak is the process's own, matrix included, counted from the moment before the fit.
"""

import contextlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from harness import modules
from harness.reading import locked, random_start, read_matrix


def main():
    """Read the job, run it, write factors and figures."""
    job = json.loads(Path(sys.argv[1]).read_text())
    solver = modules.load_path(Path(job["solver"]))
    matrix = read_matrix(job["matrix"], getattr(solver, "DTYPE", "float64"))
    getattr(solver, "warm", lambda: warm(solver, matrix))()
    matrix = prepared(solver, matrix)
    rows = []
    for row in curve(solver, matrix, job) if job["kind"] == "curve" else once(solver, matrix, job):
        rows.append(row)
        text = json.dumps({"rows": rows, "threads": threads()})
        (Path(job["out"]) / "rows.part").write_text(text)
        (Path(job["out"]) / "rows.part").replace(Path(job["out"]) / "rows.json")


def warm(solver, matrix):
    """A tiny fit of the same kind, so that nobody's imports are timed."""
    tiny = np.random.default_rng(0).random((40, 30)).astype(matrix.dtype)
    tiny = sp.csr_matrix(tiny * (tiny > 0.5)) if sp.issparse(matrix) else tiny
    solver.fit(prepared(solver, tiny), 3, 0, None)


def prepared(solver, matrix):
    """The matrix as the solver takes it, made before the clock starts."""
    return solver.prepare(matrix) if hasattr(solver, "prepare") else matrix


def once(solver, matrix, job):
    """One call as a user makes it."""
    yield timed(lambda: solver.fit(matrix, job["rank"], job["seed"], job["target"]), job, 0)


def curve(solver, matrix, job):
    """The same start with more and more iterations, each from the beginning, until the time is used up."""
    start = [locked(part.astype(matrix.dtype)) for part in random_start(matrix, job["rank"], job["seed"])]
    began = time.perf_counter()
    for number, iterations in enumerate(job["iterations"]):
        yield timed(lambda i=iterations: solver.fit_from(matrix, *start, job["seed"], i), job, number)
        if time.perf_counter() - began > job["budget"]:
            return


def timed(task, job, number):
    """Call it under the clock and put its factors on disk; a solver outside this process brings its own figures."""
    before = forget_peak()
    began = time.perf_counter()
    result = task()
    seconds = time.perf_counter() - began
    peak = memory("VmHWM")
    for side in ("W", "H"):
        np.save(Path(job["out"]) / f"{side}{number}.npy", np.asarray(result.pop(side)))
    return {"seconds": seconds, "peak_bytes": peak, "bytes_before": before, **result}


def forget_peak():
    """Start the kernel's peak anew where that is allowed; the memory in use now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def memory(field):
    """A field of /proc/self/status in bytes, None where there is no such file."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field + ":")), None)


def threads():
    """The threads of every pool in this process, as threadpoolctl sees them."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return None
    return sorted({(pool["user_api"], pool["num_threads"]) for pool in threadpool_info()})


if __name__ == "__main__":
    main()
