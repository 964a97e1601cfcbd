"""Golub's leukemia expression values, the 5,000 genes and 38 samples of Brunet and others."""

LABEL, RANK = "Golub leukemia", 3
CURVES = 0
SEEDS = 3


def load():
    """Samples × genes."""
    import numpy as np

    from partwise.datasets import find

    lines = find("golub-leukemia", "ALL_AML_5000x38.gct").read_text(encoding="latin-1").splitlines()[3:]
    return np.array([line.split("\t")[2:] for line in lines if line], dtype=np.float64).T.copy()
