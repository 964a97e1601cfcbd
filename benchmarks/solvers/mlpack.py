"""mlpack's NMF through its Python package, which takes dense matrices alone."""

PACKAGES = ("mlpack", "numpy")
LABEL = "mlpack multdist"
SEEDS = 3
LARGEST = 10_000_000
"""Entries; a larger sparse matrix is not made dense for it."""


def refuses(problem):
    """Why it is not run on a matrix."""
    entries = problem.shape[0] * problem.shape[1]
    if problem.sparse and entries > LARGEST:
        return f"it takes dense matrices alone, and this one has {entries:,} entries"
    return None


def prepare(matrix):
    """The matrix as mlpack wants it, before the clock."""
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix.copy()


def fit(matrix, rank, seed, target):
    """As a user calls it; a seed of 0 would mean the time of day."""
    import mlpack

    factors = mlpack.nmf(input_=matrix, rank=rank, seed=seed + 1)
    return {"W": factors["w"], "H": factors["h"], "iterations": None}


def fit_from(matrix, w, h, seed, iterations):
    """From a given start."""
    import mlpack

    start = {"initial_w": w.copy(), "initial_h": h.copy()}
    limits = {"max_iterations": iterations, "min_residue": 1e-300}
    factors = mlpack.nmf(input_=matrix, rank=w.shape[1], seed=1, **limits, **start)
    return {"W": factors["w"], "H": factors["h"], "iterations": iterations}
