"""What it costs to begin: the import, the first fit of a process, and the first fit ever (compilation)."""

import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from harness.records import partwise_source
from harness.summary import save

IMPORT = "import partwise"
FIT = "pw.NMF(5, random_state=0).fit({matrix})"
MADE = (
    "import numpy as np, scipy.sparse as sp; dense = np.random.default_rng(0).random((300, 200)); "
    "sparse = sp.csr_matrix(dense * (dense > 0.9)); "
)
TIMED = "import time; began = time.perf_counter(); {code}; print(time.perf_counter() - began)"


def timed(before: str, code: str, times: int, **environment: str) -> float:
    """The median seconds of some code in fresh processes."""
    line = [sys.executable, "-W", "ignore", "-c", before + TIMED.format(code=code)]
    figures = []
    for _ in range(times):
        process = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, **environment})
        figures.append(float(process.stdout))
    return round(statistics.median(figures), 3)


def rows() -> dict[str, float]:
    """Every row in seconds."""
    fits = {kind: FIT.format(matrix=kind) for kind in ("sparse", "dense")}
    figures = {"import partwise, after numpy and scipy.sparse": timed("import numpy, scipy.sparse; ", IMPORT, 7)}
    figures["the same with NMF, which imports scikit-learn"] = timed(
        "import numpy, scipy.sparse; ", "import partwise; partwise.NMF", 5
    )
    for kind, fit in fits.items():
        timed(MADE, f"import partwise as pw; {fit}", 1)
        name = f"first fit of a fresh process, {kind} 300 × 200, compile cache warm"
        figures[name] = timed(f"{MADE}import partwise as pw; pw.NMF; ", fit, 5)
    for kind, fit in fits.items():
        with tempfile.TemporaryDirectory() as empty:
            name = f"first fit ever, {kind} 300 × 200, everything is compiled"
            figures[name] = timed(f"{MADE}import partwise as pw; pw.NMF; ", fit, 1, NUMBA_CACHE_DIR=empty)
    return figures


def measure() -> dict[str, Any]:
    """Measure, write, return."""
    result = {"rows": rows(), "source": partwise_source()}
    save("startup", result)
    return result


if __name__ == "__main__":
    for what, seconds in measure()["rows"].items():
        print(f"{what:<72}{seconds:>7.3f} s")
