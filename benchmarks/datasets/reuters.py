"""Reuters-21578, every document with a body, tf-idf."""

LABEL, RANK = "Reuters, all documents", 50
CURVES = 5


def load():
    """Documents × terms."""
    from matrices import reuters

    return reuters().matrix.T.tocsr()
