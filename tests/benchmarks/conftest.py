"""The benchmarks are scripts beside the package: their folder comes on the path here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
