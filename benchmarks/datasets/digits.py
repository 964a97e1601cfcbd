"""scikit-learn's handwritten digits, 8 × 8 pixels."""

LABEL, RANK = "digits", 10
CURVES = 0
SEEDS = 3


def load():
    """Images × pixels."""
    from sklearn.datasets import load_digits

    return load_digits().data
