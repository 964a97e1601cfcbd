"""partwise as a user calls it: ``NMF(rank).fit(X)``."""

from harness.partwise_nmf import PACKAGES, fitted, started, warm  # noqa: F401

LABEL = "partwise"


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    import partwise as pw

    return fitted(pw.NMF(rank, random_state=seed), matrix)


def fit_from(matrix, w, h, seed, iterations):
    """From a given start."""
    return started(matrix, w, h, iterations)
