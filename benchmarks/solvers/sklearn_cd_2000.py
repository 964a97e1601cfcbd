"""scikit-learn: ``NMF(rank, max_iter=2000, random_state=seed)``."""

from harness.sklearn_nmf import PACKAGES, fitted  # noqa: F401

LABEL = "scikit-learn CD, max_iter=2000"
ONLY = ("cbcl", "medlars", "digits")


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    from sklearn.decomposition import NMF

    return fitted(NMF(rank, max_iter=2000, random_state=seed), matrix)
