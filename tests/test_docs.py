"""What the texts say is what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path):
    """The Python blocks of a page."""
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_examples_run(path):
    """The Python blocks of a page run from top to bottom, as a reader would run them."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks(path))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_has_an_example():
    """There is a block to run, of about ten lines."""
    assert 5 <= len(blocks(ROOT / "README.md")[0].strip().splitlines()) <= 14


def test_generated_pages_are_up_to_date():
    """The tables in docs are what make docs would write."""
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("digits", "stationary"), ("recommender", "film"), ("counts", "deviance explained"), ("holes", "RMSE on them")],
)
def test_the_examples_run(name, wanted, tmp_path):
    """Each example says what it is about; a picture goes where it is told."""
    where = [tmp_path / "holes.png"] if name == "holes" else []
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *where],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert wanted in done.stdout
    assert all(picture.exists() for picture in where)


def test_links_lead_somewhere():
    """Every relative link and picture of a page exists."""
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
