"""Studies of many runs: stability, choice of the rank, comparison of methods."""
