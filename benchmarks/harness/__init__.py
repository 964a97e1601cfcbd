"""The benchmark: data sets and solvers are one file each; what is here owns the clock and checks the results."""

import os
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
RESULTS = BENCH / "results"
RAW = RESULTS / "raw"
CACHE = BENCH / "cache"


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
