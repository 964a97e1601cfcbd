"""partwise on float32 data: ``NMF(rank).fit(X)``."""

from harness import partwise_nmf
from harness.partwise_nmf import PACKAGES, fitted  # noqa: F401

LABEL, DTYPE = "partwise, float32", "float32"


def warm():
    """Compile for float32."""
    partwise_nmf.warm(DTYPE)


def fit(matrix, rank, seed, target):
    """As a user calls it."""
    import partwise as pw

    return fitted(pw.NMF(rank, random_state=seed), matrix)
