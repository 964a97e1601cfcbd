"""The 2,429 faces of 19 × 19 pixels of Lee and Seung (MIT CBCL), grey values 0 to 255 as they are."""

LABEL, RANK = "CBCL faces", 49
CURVES = 1


def load():
    """Images × pixels."""
    import numpy as np
    from scipy.io import loadmat

    from partwise.datasets import find

    return np.ascontiguousarray(loadmat(find("cbcl-faces", "CBCL.mat"))["X"].T, dtype=np.float64)
