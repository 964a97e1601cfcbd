"""Peak memory of a fit beside scikit-learn's: 10⁷ nonzeros, k = 20, each in a process of its own.

The matrix is written to a file first and read by each process, so that making it counts for nobody. The peak is the
largest resident set of the process. Run it with ``make bench-memory``; it writes ``benchmarks/results/memory.json``.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

OUT = Path(__file__).parent / "results" / "memory.json"
ROWS, COLUMNS, NONZEROS, RANK, ITERATIONS = 50_000, 100_000, 10_000_000, 20, 5
SPARE = 100e6
"""What may be taken beyond scikit-learn's peak and a copy of A."""
FITS = {
    "sklearn": f"from sklearn.decomposition import NMF; NMF({RANK}, max_iter={ITERATIONS}).fit_transform(A)",
    "partwise": f"from partwise import NMF; NMF({RANK}, max_iter={ITERATIONS}).fit_transform(A)",
    "partwise, factorize": f"import partwise as pw; pw.factorize(A.T, {RANK}, stop=pw.MaxIterations({ITERATIONS}))",
}


def matrix():
    """Samples × features with a heavy-tailed column frequency, as texts have it."""
    rng = np.random.default_rng(0)
    columns = np.minimum(COLUMNS * rng.random(NONZEROS) ** 3, COLUMNS - 1).astype(np.int32)
    entries = (rng.random(NONZEROS), (rng.integers(ROWS, size=NONZEROS, dtype=np.int32), columns))
    return sp.csr_matrix(entries, shape=(ROWS, COLUMNS))


def peak(path, fit):
    """The largest resident set of a process that reads the matrix and fits it, in bytes."""
    code = (
        f"import resource, warnings, scipy.sparse as sp; warnings.simplefilter('ignore'); A = sp.load_npz({path!r}); "
        f"{fit}; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main():
    """Measure, print, write."""
    samples = matrix()
    copy = samples.data.nbytes + samples.indices.nbytes + samples.indptr.nbytes
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "samples.npz")
        sp.save_npz(path, samples, compressed=False)
        nonzeros = int(samples.nnz)
        del samples
        peaks = {name: peak(path, fit) for name, fit in FITS.items()}
    limit = peaks["sklearn"] + copy + SPARE
    rows = [
        {"what": name, "peak_mb": round(value / 1e6), "limit_mb": round(limit / 1e6), "met": value <= limit}
        for name, value in peaks.items()
    ]
    result = {"nonzeros": nonzeros, "rank": RANK, "copy_mb": round(copy / 1e6), "rows": rows, "cores": os.cpu_count()}
    print(json.dumps(result, indent=1))
    OUT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
