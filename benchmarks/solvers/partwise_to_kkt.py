"""partwise until it is as near to a stationary point as scikit-learn's default ends."""

from harness.partwise_nmf import PACKAGES, factored, warm  # noqa: F401

LABEL = "partwise to scikit-learn's KKT"
ONLY = ("reuters", "reuters10", "medlars", "cbcl")
NEEDS = ("sklearn_cd", "kkt", 1.0)
"""The target is the median KKT residual of scikit-learn's default."""


def fit(matrix, rank, seed, target):
    """Until the level is reached."""
    import partwise as pw

    stop = [pw.Stationarity(target, every=5), pw.MaxIterations(2000)]
    return factored(matrix, rank, stop=stop, seed=seed)
