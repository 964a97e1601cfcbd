"""``partwise data`` as a user runs it: in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from partwise.datasets.homes import HOMES


def partwise(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where no data set is known but those in ``folder``."""
    settings = os.environ | {"PARTWISE_DATA": str(folder / "named"), "XDG_CACHE_HOME": str(folder / "cache")}
    command = [sys.executable, "-m", "partwise", "data", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, env=settings, cwd=folder
    )


def test_the_list_has_every_data_set_and_its_terms(tmp_path: Path) -> None:
    done = partwise(tmp_path, "list")
    assert done.returncode == 0, done.stderr
    for name, home in HOMES.items():
        assert name in done.stdout
        assert home.terms in done.stdout


def test_where_looks_in_data_then_in_the_variable(tmp_path: Path) -> None:
    for root in ("named", "given"):
        (tmp_path / root / "orl-faces").mkdir(parents=True)
        (tmp_path / root / "orl-faces" / "att_faces.zip").write_bytes(b"")
    assert partwise(tmp_path, "where", "orl-faces").stdout.strip() == str(tmp_path / "named" / "orl-faces")
    given = partwise(tmp_path, "where", "orl-faces", "--data", str(tmp_path / "given"))
    assert given.stdout.strip() == str(tmp_path / "given" / "orl-faces")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["where", "medlar"], "did you mean 'medlars'"),
        (["fetch", "reuters"], "did you mean 'reuters-21578'"),
        (["fetch", "golub-leukemia"], "put ALL_AML_5000x38.gct and samples.tsv in"),
    ],
)
def test_misuse_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    """Exit code 2, the sentence last on stderr, no traceback, nothing on stdout."""
    done = partwise(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("command", ["list", "where", "fetch"])
def test_help_has_an_example(tmp_path: Path, command: str) -> None:
    done = partwise(tmp_path, command, "--help")
    assert done.returncode == 0
    assert f"Example: partwise data {command}" in " ".join(done.stdout.split())
