"""scikit-learn: ``NMF(rank, init="nndsvda", solver="mu", random_state=seed)``."""

from harness.sklearn_nmf import PACKAGES, fitted  # noqa: F401

LABEL = "scikit-learn MU"
SEEDS = 3


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    from sklearn.decomposition import NMF

    return fitted(NMF(rank, init="nndsvda", solver="mu", random_state=seed), matrix)


def fit_from(matrix, w, h, seed, iterations):
    """From a given start."""
    from sklearn.decomposition import NMF

    model = NMF(w.shape[1], solver="mu", init="custom", tol=0, max_iter=iterations)
    return fitted(model, matrix, W=w.copy(), H=h.copy())
