"""Generated text of 1e8 nonzeros."""

LABEL, RANK = "generated, 1e8 nonzeros", 50
CURVES = 0
SOLVERS = ("partwise_iterations", "partwise_memory")


def load():
    """Documents × words."""
    from generated import text

    return text(100_000_000, 200_000)
