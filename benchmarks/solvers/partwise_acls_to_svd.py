"""partwise's ACLS from random-acol until it is within 1 % of the error of the SVD of the same rank."""

from harness import partwise_nmf
from harness.partwise_nmf import PACKAGES, factored  # noqa: F401

LABEL = "partwise ACLS to 1.01 of the SVD's error"
ONLY = ("reuters10", "medlars")
NEEDS = ("svd_arpack", "error", 1.01)
"""The target is 1.01 times the median error of scipy's svds."""


def warm():
    """Compile what ACLS needs too."""
    partwise_nmf.warm(algorithm="acls")


def fit(matrix, rank, seed, target):
    """Until the level is reached."""
    import partwise as pw

    stop = [pw.Frobenius(level=target, every=1), pw.MaxIterations(200)]
    return factored(matrix, rank, algorithm=pw.acls(0.5, 0.5), init="random-acol", stop=stop, seed=seed, keep="last")
