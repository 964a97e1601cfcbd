"""Generated text of 1e6 nonzeros."""

LABEL, RANK = "generated, 1e6 nonzeros", 50
CURVES = 0
SOLVERS = ("partwise", "partwise_float32", "partwise_iterations", "sklearn_cd", "rcppml", "svd_randomized")


def load():
    """Documents × words."""
    from generated import text

    return text(1_000_000, 20_000)
