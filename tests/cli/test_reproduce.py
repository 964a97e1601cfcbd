"""``partwise reproduce`` as a user runs it: in a process of its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

SMALL = ["--set", "rank=4", "--set", "iterations=6", "--set", "seeds=1"]


@pytest.fixture
def cisi(tmp_path: Path) -> Path:
    """A folder with a small CISI alone."""
    folder = tmp_path / "data"
    (folder / "cisi").mkdir(parents=True)
    text = "".join(
        f".I {i}\n.W\nword{'abcd'[i % 4]} common{'xyz'[i % 3]} shared term{'pqrs'[i % 4]}\n" for i in range(1, 25)
    )
    for kind, content in (("ALL", text), ("QRY", text), ("REL", "1 0 1 1\n")):
        (folder / "cisi" / f"CISI.{kind}").write_text(content)
    return folder


@pytest.fixture
def partwise(warm: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """The command where no data set is known but those given."""
    own = {"PARTWISE_DATA": "", "XDG_CACHE_HOME": str(tmp_path / "cache"), "MPLCONFIGDIR": mpl.get_cachedir()}
    return lambda *arguments: warm("reproduce", *arguments, cwd=tmp_path, env=own)


def test_an_experiment_is_run_once(partwise: Callable[..., Any], tmp_path: Path, cisi: Path) -> None:
    """The second call finds the result; --again makes it anew; another setting too."""
    call = ("convergence", "--data", cisi, "--out", tmp_path / "out", *SMALL)
    first = partwise(*call)
    assert first.returncode == 0, first.stderr
    assert "convergence took" in first.stdout
    assert "it does not maintain continual descent" in first.stdout
    assert first.stderr == ""
    path = tmp_path / "out" / "convergence" / "result.json"
    written = path.stat().st_mtime_ns
    assert json.loads(path.read_text("utf-8"))["key"]["settings"]["rank"] == 4
    assert "was finished" in partwise(*call).stdout
    assert path.stat().st_mtime_ns == written
    assert "convergence took" in partwise(*call, "--again", "--set", "weight=tfidf, stem=none").stdout
    assert json.loads(path.read_text("utf-8"))["key"]["settings"]["stem"] == "none"
    assert path.stat().st_mtime_ns > written


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["initialisations"], "did you mean 'initializations'"),
        (["convergence", "--set", "rnk=3"], "did you mean 'rank'"),
        (["convergence", "--set", "rank"], "name=value"),
        (["convergence", "--set", "rank=many"], "must be like 10"),
        (["all", "--set", "splt=both"], "did you mean 'split'"),
        (["convergence", "--set", "weight=tfidff,stem=none"], "did you mean 'tfidf'"),
        (["convergence", "--set", "weight=tfidf, stem=klingon"], "klingon"),
        (["convergence", "--data", "nowhere"], "--data nowhere is no folder"),
        (["interpretation"], "medlars/MED.ALL was not found: put MED.ALL in"),
        (["all"], "was not found: put"),
    ],
)
def test_misuse_is_one_sentence(
    partwise: Callable[..., Any], tmp_path: Path, cisi: Path, arguments: list[str], sentence: str
) -> None:
    """Exit code 2 and one line on stderr, no traceback, nothing on stdout."""
    done = partwise(arguments[0], "--data", cisi, "--out", tmp_path / "out", *arguments[1:])
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_help_has_an_example(partwise: Callable[..., Any]) -> None:
    done = partwise("--help")
    assert done.returncode == 0
    assert "Example: partwise reproduce" in " ".join(done.stdout.split())
