"""Matrices from files, and their conversion to a matrix on disk."""
