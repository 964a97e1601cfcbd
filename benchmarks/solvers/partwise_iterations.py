"""Eight iterations of partwise's default, for the seconds of one of them."""

from harness.partwise_nmf import PACKAGES, factored, warm  # noqa: F401

LABEL = "partwise, 8 iterations"
ONLY = ("text1e6", "text1e7", "text1e8")
SEEDS = 3


def fit(matrix, rank, seed, target):
    """The loop alone, without the estimator."""
    import partwise as pw

    return factored(matrix, rank, stop=pw.MaxIterations(8), seed=seed)
