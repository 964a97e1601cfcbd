"""Generated text of 1e7 nonzeros."""

LABEL, RANK = "generated, 1e7 nonzeros", 50
CURVES = 0
SOLVERS = ("partwise", "partwise_float32", "partwise_iterations", "sklearn_cd")


def load():
    """Documents × words."""
    from generated import text

    return text(10_000_000, 63_000)
