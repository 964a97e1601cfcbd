"""The iterations: one driver, one iteration, one half-step; stopping, restarts, checkpoints."""
