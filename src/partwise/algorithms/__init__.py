"""Algorithms: a half-step and a penalty for each side, by name."""
