"""``partwise data`` as a user runs it: in a process of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from partwise.datasets.registry import DATASETS


@pytest.fixture
def partwise(warm: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """The command where no data set is known but those in ``tmp_path``."""
    own = {"PARTWISE_DATA": str(tmp_path / "named"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return lambda *arguments: warm("data", *arguments, cwd=tmp_path, env=own)


def test_the_list_has_every_data_set_and_its_terms(partwise: Callable[..., Any]) -> None:
    done = partwise("list")
    assert done.returncode == 0, done.stderr
    for name, dataset in DATASETS.items():
        assert name in done.stdout
        assert dataset.terms in done.stdout
        assert f"not here; partwise data fetch {name} brings it" in done.stdout


def test_where_looks_in_data_then_in_the_variable(partwise: Callable[..., Any], tmp_path: Path) -> None:
    for root in ("named", "chosen"):
        (tmp_path / root / "orl-faces").mkdir(parents=True)
        (tmp_path / root / "orl-faces" / "att_faces.zip").write_bytes(b"")
    assert partwise("where", "orl-faces").stdout.strip() == str(tmp_path / "named" / "orl-faces")
    chosen = partwise("where", "orl-faces", "--data", str(tmp_path / "chosen"))
    assert chosen.stdout.strip() == str(tmp_path / "chosen" / "orl-faces")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["where", "medlar"], "did you mean 'medlars'"),
        (["fetch", "reuters"], "did you mean 'reuters-21578'"),
        (["fetch", "golub-leukemia"], "put ALL_AML_5000x38.gct and samples.tsv in"),
    ],
)
def test_misuse_is_one_sentence(partwise: Callable[..., Any], arguments: list[str], sentence: str) -> None:
    """Exit code 2, the sentence last on stderr, no traceback, nothing on stdout."""
    done = partwise(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("command", ["list", "where", "fetch"])
def test_help_has_an_example(partwise: Callable[..., Any], command: str) -> None:
    done = partwise(command, "--help")
    assert done.returncode == 0
    assert f"Example: partwise data {command}" in " ".join(done.stdout.split())
