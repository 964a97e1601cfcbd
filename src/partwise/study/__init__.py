"""Questions asked of many runs: stability, the rank, methods side by side."""
