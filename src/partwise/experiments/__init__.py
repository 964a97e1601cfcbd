"""Experiments on public collections: what the methods are worth, in numbers that a command prints."""
