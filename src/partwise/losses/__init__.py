"""Losses, one file each: how the rows of a factor are made, what a pair is worth, when it is stationary."""
