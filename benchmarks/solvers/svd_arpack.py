"""Truncated SVD by scipy's ``svds``: the yardstick, not a factorisation with nonnegative parts."""

PACKAGES = ("scipy", "numpy")
LABEL = "SVD, scipy svds"


def fit(matrix, rank, seed, target):
    """As a user calls it; W holds U Σ."""
    import numpy as np
    from scipy.sparse.linalg import svds

    u, s, v = svds(matrix, k=rank, rng=np.random.default_rng(seed))
    return {"W": u * s, "H": v, "iterations": None}
