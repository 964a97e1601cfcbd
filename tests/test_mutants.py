"""The table of faults fits the sources."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from mutants.faults import listed  # noqa: E402


def test_every_fault_can_be_put_in():
    """At least a hundred still fit their files; each changes something, and its tests exist."""
    faults = listed()
    assert len(faults) >= 100
    for _, old, new, tests in faults:
        assert old != new
        assert all((ROOT / word).is_file() for word in tests.split() if word.startswith("tests/"))
