"""Groups of options: the command line sees the fields, the verb gets the group."""

from dataclasses import dataclass
from inspect import signature
from typing import Annotated, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from partwise.cli.options import grouped


@dataclass(frozen=True)
class Pair:
    left: Annotated[int, typer.Option()] = 1
    right: Annotated[int, typer.Option()] = 2


def grouped_verb(*left_out):
    """A verb of its own for each test, and what it was called with."""
    calls = []

    @grouped(*left_out)
    def verb(path: Annotated[str, typer.Argument()], *, pair: Pair, last: Annotated[int, typer.Option()] = 3) -> None:
        calls.append((path, pair, last))

    return verb, calls


@pytest.mark.parametrize(
    ("left_out", "names"),
    [((), ["path", "left", "right", "last"]), (("right",), ["path", "left", "last"])],
)
def test_fields_stand_where_the_group_stood(left_out, names):
    """In the signature and in the type hints, which the generated page reads."""
    verb, _ = grouped_verb(*left_out)
    assert list(signature(verb).parameters) == list(get_type_hints(verb)) == names


def test_the_verb_gets_the_group():
    """What is given arrives in the group; the rest has its default."""
    verb, calls = grouped_verb()
    app = typer.Typer()
    app.command()(verb)
    assert CliRunner().invoke(app, ["here", "--right", "7"]).exit_code == 0
    assert calls == [("here", Pair(1, 7), 3)]


def test_what_is_left_out_cannot_be_given():
    """And keeps its default."""
    verb, calls = grouped_verb("right")
    app = typer.Typer()
    app.command()(verb)
    assert CliRunner().invoke(app, ["here", "--right", "7"]).exit_code == 2
    assert CliRunner().invoke(app, ["here", "--left", "5", "--last", "4"]).exit_code == 0
    assert calls == [("here", Pair(5, 2), 4)]
