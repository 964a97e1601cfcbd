"""Plain values of options are converted as typer converts them, without pydantic."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from command import ENVIRONMENT

from partwise.cli import plain_values
from partwise.cli.plain_values import DOUBT, PlainCommand, as_plain

VALUES = [
    "", " ", "0", "-0", "00", "7", "-7", "+7", "1_000", " 3", "3 ", "1.0", "1.", ".5", "0.5", "-0.5", "1e3", "nan",
    "inf", "0x10", "٣", "123456789012345678901234567890", "0.123456789012345", "true", "text", "a/b", "-", ".",
    "/nowhere/at all",
]  # fmt: skip
KINDS = [str, int, float, Path, bool, list[str]]


def outcome(kind, default, arguments, cls):
    """What a command with one option gets, or the refusal."""
    got = []

    def verb(option: Annotated[kind | None, typer.Option("--option")] = default) -> None:
        got.append((type(option), option))

    app = typer.Typer()
    app.command(cls=cls)(verb)
    try:
        app(arguments, standalone_mode=False)
    except Exception as error:
        return type(error), str(error)
    return repr(got)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_as_typer_does_it(kind):
    """Every value, a default of another type, and none at all: the same result or the same refusal."""
    for value in VALUES if kind is not bool else ():
        assert outcome(kind, None, ["--option", value], PlainCommand) == outcome(kind, None, ["--option", value], None)
    defaults = [None, 1, 0.5, "1", True, ["a", "b"], [], Path("a")]
    for default in defaults:
        assert outcome(kind, default, [], PlainCommand) == outcome(kind, default, [], None)


def test_what_is_in_doubt_is_left_to_typer(tmp_path, monkeypatch):
    """Among it a path that may not be read, and an option with limits of its own."""
    monkeypatch.setattr(plain_values.os, "access", lambda path, mode: False)
    assert as_plain(Path, str(tmp_path)) is DOUBT
    assert as_plain(Path, str(tmp_path / "new")) == tmp_path / "new"

    def verb(option: Annotated[int, typer.Option("--option", max=3)] = 1) -> None: ...

    app = typer.Typer()
    app.command(cls=PlainCommand)(verb)
    with pytest.raises(Exception, match="3"):
        app(["--option", "4"], standalone_mode=False)


def test_pydantic_is_not_imported():
    """A command whose values are plain does without it."""
    code = """if True:
        import sys
        sys.argv = ["partwise", "topics", "nowhere.csv", "-k", "3", "-o", "model", "--max-df", ".5", "--plugin", "json"]
        from partwise.cli import main
        try:
            main()
        finally:
            print("pydantic" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (2, "False\n"), done.stderr
