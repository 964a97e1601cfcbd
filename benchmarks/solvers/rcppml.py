"""RcppML's nmf through Rscript: the matrix goes over as files, R's own clock is around the fit alone.

Version 0.3 takes no start, only a seed, so its curve is from a start of its own.
"""

import shutil
import subprocess

LABEL = "RcppML"
OWN_START = True
ASK = 'cat(as.character(packageVersion("RcppML")), as.character(getRversion()))'


def missing():
    """Why it cannot be run here."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed; on Debian: apt install r-cran-rcppml"
    process = subprocess.run(["Rscript", "-e", ASK], capture_output=True, check=False)
    return None if process.returncode == 0 else "R has no package RcppML; on Debian: apt install r-cran-rcppml"


def versions():
    """R's and the package's."""
    process = subprocess.run(["Rscript", "-e", ASK], capture_output=True, text=True, check=True)
    return dict(zip(("RcppML", "R"), process.stdout.split(), strict=True))


def warm():
    """Nothing: R's clock starts after its packages are loaded."""


def fit(matrix, rank, seed, target):
    """As a user calls it: tol 1e-4, at most 100 iterations, all threads."""
    return in_r(matrix, rank, seed, "1e-4", 100)


def fit_from(matrix, w, h, seed, iterations):
    """So many iterations from its own start."""
    return in_r(matrix, w.shape[1], seed, "0", iterations)


def in_r(matrix, rank, seed, tol, iterations):
    """Hand over, run, take back; A = Xᵀ in R, features × samples, as RcppML's users have it."""
    import json
    import tempfile
    from pathlib import Path

    import numpy as np

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = ("data", "indices", "indptr") if hasattr(matrix, "indptr") else ("dense",)
        for part in parts:
            array = matrix if part == "dense" else getattr(matrix, part)
            array.astype("f8" if part in ("data", "dense") else "i4", copy=False).tofile(folder / part)
        rows, columns = matrix.shape
        arguments = [
            str(each) for each in (folder, rows, columns, getattr(matrix, "nnz", 0), rank, seed + 1, tol, iterations)
        ]
        script = Path(__file__).resolve().parents[1] / "harness" / "rcppml.R"
        subprocess.run(["Rscript", script, *arguments], check=True, stdout=subprocess.DEVNULL)
        figures = json.loads((folder / "figures.json").read_text())
        h = np.fromfile(folder / "w").reshape(rank, columns)
        w = np.fromfile(folder / "h").reshape(rows, rank)
    return {"W": w, "H": h, **figures}
