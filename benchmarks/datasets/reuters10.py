"""Reuters-21578, the ten most frequent categories of the training split, tf-idf."""

LABEL, RANK = "Reuters, ten categories", 10
CURVES = 1


def load():
    """Documents × terms."""
    from matrices import reuters10

    return reuters10().matrix.T.tocsr()
