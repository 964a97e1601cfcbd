"""The 2,429 faces of 19 × 19 pixels of Lee and Seung (MIT CBCL), grey values from 0 to 1.

On 0 to 255 scikit-learn's start is so far off in scale that its default stops after two iterations, with an error of
0.44; its users divide by 255.
"""

LABEL, RANK = "CBCL faces", 49
CURVES = 1


def load():
    """Images × pixels."""
    import numpy as np
    from scipy.io import loadmat

    from partwise.datasets import find

    return np.ascontiguousarray(loadmat(find("cbcl-faces", "CBCL.mat"))["X"].T, dtype=np.float64) / 255
