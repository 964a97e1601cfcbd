"""nimfa's lsnmf, in an environment of its own because it needs numpy before 2.

On sparse matrices nimfa's own random start fails in its line search, so a dense random start is handed to it there.
"""

from pathlib import Path

LABEL = "nimfa lsnmf"
SEEDS = 3
INTERPRETER = Path(__file__).resolve().parents[2] / ".venv" / "nimfa" / "bin" / "python"


def missing():
    """Why it cannot be run here."""
    return None if INTERPRETER.exists() else "its environment is not there; make bench sets it up"


def versions():
    """The versions in that environment."""
    import subprocess

    code = "import nimfa, numpy, scipy; print(nimfa.__version__, numpy.__version__, scipy.__version__)"
    process = subprocess.run([INTERPRETER, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    return dict(zip(("nimfa", "numpy", "scipy"), process.stdout.split(), strict=True))


def result(model):
    """Factors and iterations."""
    import numpy as np

    factors = model()
    return {"W": np.asarray(factors.basis()), "H": np.asarray(factors.coef()), "iterations": int(factors.n_iter)}


def fit(matrix, rank, seed, target):
    """As a user calls it; 30 iterations is nimfa's own limit."""
    import nimfa
    import numpy as np

    np.random.seed(seed)  # noqa: NPY002, nimfa draws from it
    if not hasattr(matrix, "indptr"):
        return result(nimfa.Lsnmf(matrix, rank=rank))
    from harness.reading import random_start

    w, h = random_start(matrix, rank, seed)
    return result(nimfa.Lsnmf(matrix, seed=None, rank=rank, W=w, H=h))


def fit_from(matrix, w, h, seed, iterations):
    """From a given start."""
    import nimfa

    return result(nimfa.Lsnmf(matrix, seed=None, rank=w.shape[1], W=w.copy(), H=h.copy(), max_iter=iterations))
