"""The MEDLARS abstracts, tf-idf."""

LABEL, RANK = "MEDLARS", 10
CURVES = True


def load():
    """Documents × terms."""
    from matrices import medlars

    return medlars().matrix.T.tocsr()
