"""The benchmark: data sets and solvers are one file each; what is here owns the clock and checks the results."""

from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
RESULTS = BENCH / "results"
RAW = RESULTS / "raw"
CACHE = BENCH / "cache"
