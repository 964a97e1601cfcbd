"""The MEDLARS abstracts, tf-idf."""

LABEL, RANK = "MEDLARS", 10
CURVES = 1
SEEDS = 3


def load():
    """Documents × terms."""
    from matrices import medlars

    return medlars().matrix.T.tocsr()
