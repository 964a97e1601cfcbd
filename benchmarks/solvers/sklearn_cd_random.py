"""scikit-learn: ``NMF(rank, init="random", random_state=seed)``."""

from harness.sklearn_nmf import PACKAGES, fitted  # noqa: F401

LABEL = "scikit-learn CD, random start"
SEEDS = 3


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    from sklearn.decomposition import NMF

    return fitted(NMF(rank, init="random", random_state=seed), matrix)
