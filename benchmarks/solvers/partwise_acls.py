"""partwise's ACLS, the paper's method: ``NMF(rank, algorithm=pw.acls(.5, .5)).fit(X)``."""

from harness import partwise_nmf
from harness.partwise_nmf import PACKAGES, fitted, started  # noqa: F401

LABEL = "partwise ACLS"


def warm():
    """Compile what ACLS needs too."""
    partwise_nmf.warm(algorithm="acls")


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    import partwise as pw

    return fitted(pw.NMF(rank, algorithm=pw.acls(0.5, 0.5), random_state=seed), matrix)


def fit_from(matrix, w, h, seed, iterations):
    """From a given start."""
    import partwise as pw

    return started(matrix, w, h, iterations, algorithm=pw.acls(0.5, 0.5))
