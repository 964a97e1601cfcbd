"""scikit-learn: ``MiniBatchNMF(rank, random_state=seed)``."""

from harness.sklearn_nmf import PACKAGES, fitted  # noqa: F401

LABEL = "scikit-learn MiniBatchNMF"
SEEDS = 3


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    from sklearn.decomposition import MiniBatchNMF

    return fitted(MiniBatchNMF(rank, random_state=seed), matrix)
