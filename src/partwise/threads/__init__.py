"""Threads over row blocks, and BLAS held at one thread meanwhile."""
