"""A matrix on disk: memory, equality, the cost of an iteration. ``python benchmarks/disk.py`` (``make bench-disk``).

Text-like data of long documents (a Zipf vocabulary of 50,000 words, about 1,000 different ones in a document), rank 50,
written block by block. Each part is kept in ``results/disk.json`` as soon as it is measured; ``--only memory`` measures
one part again and leaves the others as they are. Needs up to 9 GB under ``--scratch``, which are freed at the end.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

import generated
import numpy as np
import scipy.sparse as sp

import partwise as pw

WORDS, LENGTH, RANK, SEED = 50_000, 2_400, 50, 0
LARGE = 252_000_000
TWIN = 20_000_000
SCALE = (10_000_000, 50_000_000, LARGE)
LIMITS = {"memory": 1e9, "twin": 1e-6, "warm": 1.6, "scaling": 1.4}
HERE = Path(__file__).parent
RESULT = HERE / "results" / "disk.json"


def say(text: str) -> None:
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def child(*words: object) -> dict:
    """One of the functions of CHILDREN in a process of its own, whose peak memory is then its own too."""
    command = [sys.executable, __file__, "--child", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def peak() -> int:
    """The most memory that this process has had, VmHWM, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def stored(scratch: Path, nnz: int, dtype: str) -> tuple[Path, dict]:
    """A matrix on disk, written unless it is there; (its folder, what writing it took)."""
    folder = scratch / f"{dtype}-{nnz}"
    note = folder.with_suffix(".json")
    if not (folder.exists() and note.exists()):
        shutil.rmtree(folder, ignore_errors=True)
        say(f"writing {nnz:,} nonzeros, {dtype}")
        note.write_text(json.dumps(child("write", folder, nnz, dtype)))
        say("written")
    return folder, json.loads(note.read_text())


def write(folder: str, nnz: str, dtype: str) -> dict:
    """Write a matrix block by block."""
    began = time.perf_counter()
    chunks = generated.blocks(int(nnz), WORDS, LENGTH, np.dtype(dtype), RANK, SEED)
    pw.write_matrix(folder, chunks, long=1, source=f"{nnz} {dtype}")
    matrix = pw.open_matrix(folder)
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    facts = {"terms": matrix.shape[0], "documents": matrix.shape[1], "nnz": matrix.nnz, "bytes_on_disk": size}
    return {**facts, "dtype": dtype, "write_seconds": time.perf_counter() - began, "write_peak_bytes": peak()}


def fit(folder: str, limit: str, iterations: str) -> dict:
    """Factor a matrix on disk as a user does."""
    began, matrix = time.perf_counter(), pw.open_matrix(folder)
    expected = pw.plan(matrix, RANK).memory
    result = pw.factorize(matrix, RANK, stop=pw.MaxIterations(int(iterations)), memory_limit=limit)
    seconds = time.perf_counter() - began
    return {"peak_bytes": peak(), "planned_bytes": expected, "error": result.error, "fit_seconds": seconds}


def memory(scratch: Path) -> dict:
    """4 GB on disk, factored within 1 GB."""
    folder, about = stored(scratch, LARGE, "float32")
    result = child("fit", folder, "1 GB", 5)
    say(f"peak {result['peak_bytes'] / 1e6:.0f} MB of 1,000 MB, {result['fit_seconds']:.0f} s")
    return {**about, **result, "algorithm": "als-hals", "iterations": 5, "value": result["peak_bytes"]}


def loaded(folder: Path) -> sp.csr_array:
    """A stored matrix whole in memory, terms × documents."""
    parts = [sp.csr_array(part.T._matrix.T) for _, _, part in pw.open_matrix(folder).T.parts()]
    return sp.csr_array(sp.vstack(parts).T)


def start() -> np.ndarray:
    """The same W for all."""
    return np.random.default_rng(SEED).random((WORDS, RANK))


def twin(scratch: Path) -> dict:
    """The factors after 15 iterations on disk and in memory."""
    folder, about = stored(scratch, TWIN, "float64")
    here, rows = loaded(folder), {}
    for algorithm in ("acls", "hals", "als-hals"):
        ends = []
        for matrix in (here, pw.open_matrix(folder)):
            *_, last = islice(pw.iterate(matrix, RANK, algorithm=algorithm, init=start()), 16)
            ends.append(last)
        pairs = ((getattr(ends[0], name), getattr(ends[1], name)) for name in ("w", "h"))
        rows[algorithm] = max(float(abs(one - other).max() / abs(one).max()) for one, other in pairs)
        say(f"{algorithm:<9} differs by {rows[algorithm]:.1e} after 15 iterations")
    return {**about, "algorithms": rows, "iterations": 15, "value": max(rows.values())}


def seconds(steps: Iterator[pw.Step]) -> float:
    """What the next iteration takes."""
    began = time.perf_counter()
    next(steps)
    return time.perf_counter() - began


def begun(matrix: object, algorithm: str = "hals") -> Iterator[pw.Step]:
    """Iterations, past the first three."""
    steps = pw.iterate(matrix, RANK, algorithm=algorithm, init=start())
    for _ in islice(steps, 4):
        pass
    return steps


def warm(scratch: Path) -> dict:
    """An iteration with the files in the page cache beside the same iteration in memory, by turns."""
    folder, about = stored(scratch, TWIN, "float64")
    here, rows = loaded(folder), {}
    for algorithm in ("acls", "hals"):
        near, far = begun(here, algorithm), begun(pw.open_matrix(folder), algorithm)
        times = np.array([(seconds(near), seconds(far)) for _ in range(9)])
        in_memory, on_disk = (float(each) for each in np.median(times, axis=0))
        rows[algorithm] = {"memory_seconds": in_memory, "disk_seconds": on_disk, "ratio": on_disk / in_memory}
        say(f"{algorithm:<9} {in_memory:.2f} s in memory, {on_disk:.2f} s on disk, {on_disk / in_memory:.2f} times")
    return {**about, "algorithms": rows, "value": max(row["ratio"] for row in rows.values())}


def scaling(scratch: Path) -> dict:
    """The cost of a nonzero in an iteration, more and more documents of the same kind, the sizes by turns."""
    matrices = [(*stored(scratch, nnz, "float32"), nnz) for nnz in SCALE]
    running = [(begun(pw.open_matrix(folder), "acls"), about) for folder, about, _ in matrices]
    times: dict[int, list[float]] = {about["nnz"]: [] for _, about in running}
    for turn in range(5):
        for steps, about in running:
            times[about["nnz"]] += [seconds(steps) for _ in range(3 if about["nnz"] < SCALE[-1] else 1)]
        say(f"turn {turn + 1} of 5")
    rows = [{**about, "iteration_seconds": median(times[about["nnz"]]), "ns_per_nonzero": 0.0} for _, about in running]
    for row in rows:
        row["ns_per_nonzero"] = 1e9 * row["iteration_seconds"] / row["nnz"]
        say(f"{row['nnz']:>11,} nonzeros: {row['ns_per_nonzero']:.1f} ns each")
    costs = [row["ns_per_nonzero"] for row in rows]
    return {"algorithm": "acls", "rows": rows, "value": max(costs) / min(costs)}


PARTS = {"memory": memory, "twin": twin, "warm": warm, "scaling": scaling}
CHILDREN = {"write": write, "fit": fit}


def cpu() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def keep(name: str, result: dict, took: float) -> None:
    """Put a part into the results, with its limit and whether it was met."""
    known = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {"parts": {}}
    met = result["value"] <= LIMITS[name]
    known |= {"cores": os.cpu_count(), "cpu": cpu(), "rank": RANK, "words": WORDS}
    known["parts"][name] = {**result, "limit": LIMITS[name], "met": met, "seconds": took}
    RESULT.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    say(f"{name}: {result['value']:.4g} of at most {LIMITS[name]:.4g}, {'met' if met else 'missed'} ({took:.0f} s)")


def main() -> None:
    """Measure all parts or those that are asked for, and free the disk."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="some parts of it")
    parser.add_argument("--scratch", type=Path, default=HERE / "cache" / "disk", help="where the matrices are written")
    parser.add_argument("--keep", action="store_true", help="leave the matrices there for another run")
    asked = parser.parse_args()
    asked.scratch.mkdir(parents=True, exist_ok=True)
    try:
        for name in asked.only:
            say(f"{name}: {PARTS[name].__doc__}")
            began = time.perf_counter()
            result = PARTS[name](asked.scratch)
            keep(name, result, time.perf_counter() - began)
    finally:
        if not asked.keep:
            shutil.rmtree(asked.scratch, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(CHILDREN[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
