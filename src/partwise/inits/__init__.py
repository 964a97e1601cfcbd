"""Starts: W at iteration 0, by name."""
