"""Compiled row kernels: plain arrays in, plain arrays out, no lock held; the only folder that imports numba."""
