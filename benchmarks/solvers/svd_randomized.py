"""Truncated SVD by scikit-learn's ``randomized_svd``: the yardstick, not a factorisation with nonnegative parts."""

PACKAGES = ("scikit-learn", "scipy", "numpy")
LABEL = "SVD, scikit-learn randomized"


def fit(matrix, rank, seed, target):
    """As a user calls it; W holds U Σ."""
    from sklearn.utils.extmath import randomized_svd

    u, s, v = randomized_svd(matrix, rank, random_state=seed)
    return {"W": u * s, "H": v, "iterations": None}
