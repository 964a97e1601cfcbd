"""Matrices of every kind behind one protocol."""
