"""Faults that the tests should see."""
