"""Eight iterations through partwise's estimator, for the peak of memory: every array of a whole fit is made."""

from harness.partwise_nmf import PACKAGES, fitted, warm  # noqa: F401

LABEL = "partwise NMF, max_iter=8"
ONLY = ("text1e8",)
SEEDS = 1


def fit(matrix, rank, seed, target):
    """The estimator with few iterations."""
    import partwise as pw

    return fitted(pw.NMF(rank, max_iter=8, tol=0, random_state=seed), matrix)
