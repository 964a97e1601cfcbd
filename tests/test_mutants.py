"""The table of faults fits the sources."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from mutants.faults import listed  # noqa: E402


def test_every_fault_can_be_put_in():
    """There are at least a hundred; each stands once in its file, changes something, and its tests exist."""
    faults = listed()
    assert len(faults) >= 100
    for file, old, new, tests in faults:
        text = (ROOT / "src/partwise" / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file}: {old.strip()} stands {text.count(old)} times: mend mutants/faults.py"
        assert old != new
        assert all((ROOT / word).is_file() for word in tests.split() if word.startswith("tests/"))
