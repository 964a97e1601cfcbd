"""The command line: results on stdout, progress and errors on stderr, exit code 2 for misuse."""

from __future__ import annotations

import sys

import typer

from partwise.cli.data import data
from partwise.cli.ranks import ranks
from partwise.cli.reproduce import reproduce

app = typer.Typer(
    help="Factor nonnegative matrices into additive parts, and say how good the result is.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(ranks)
app.command()(reproduce)
app.add_typer(data, name="data")


@app.callback()
def _root() -> None:
    """Factor nonnegative matrices into additive parts, and say how good the result is."""


def main() -> None:
    """Run the command; bad input is one sentence and exit code 2, Ctrl-C is exit code 130."""
    try:
        app(standalone_mode=True)
    except (ValueError, TypeError, OSError) as error:
        sys.stderr.write(f"partwise: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("partwise: interrupted.\n")
        sys.exit(130)
