"""Bad input by the thousand; ``python fuzz/run.py``."""
