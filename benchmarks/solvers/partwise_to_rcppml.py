"""partwise until RcppML's own final error is reached."""

from harness.partwise_nmf import PACKAGES, factored, warm  # noqa: F401

LABEL = "partwise to RcppML's error"
ONLY = ("reuters", "medlars")
NEEDS = ("rcppml", "error", 1.0)
"""The target is the median error of RcppML."""


def fit(matrix, rank, seed, target):
    """Until the level is reached."""
    import partwise as pw

    stop = [pw.Frobenius(level=target, every=1), pw.MaxIterations(500)]
    return factored(matrix, rank, stop=stop, seed=seed)
