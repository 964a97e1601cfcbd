"""The command line: results on stdout, progress and errors on stderr, exit code 2 for misuse."""

from __future__ import annotations

import contextlib
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer

from partwise.cli.clusters import clusters
from partwise.cli.compare import compare
from partwise.cli.convert import convert
from partwise.cli.data import data
from partwise.cli.demo import demo
from partwise.cli.factorize import factorize
from partwise.cli.fitting import Interrupted
from partwise.cli.lsi import lsi
from partwise.cli.output import printable
from partwise.cli.plugins import load_installed_plugins
from partwise.cli.ranks import ranks
from partwise.cli.report import report
from partwise.cli.reproduce import reproduce
from partwise.cli.resume import plan, resume
from partwise.cli.search import search
from partwise.cli.topics import topics
from partwise.cli.transform import transform
from partwise.cli.warm_up import warm_up

app = typer.Typer(
    help="Topics, clusters and search from documents, parts from any nonnegative matrix, and how good they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (
    demo, topics, search, clusters, transform, lsi, factorize, resume, plan, convert, compare, report, ranks,
    reproduce, warm_up,
):  # fmt: skip
    app.command()(verb)
app.add_typer(data, name="data")


def _version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"partwise {version('partwise')}\n")
        raise typer.Exit()


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Factor nonnegative matrices into additive parts: topics, clusters and search from documents."""


def main() -> None:
    """Run the command; bad input is one sentence and exit code 2, Ctrl-C is exit code 130."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        with contextlib.redirect_stdout(sys.stdout):  # a verb whose result goes to stdout prints to stderr
            load_installed_plugins()
            code = app(prog_name="partwise", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_pipe()
    except KeyboardInterrupt:
        _end("interrupted; no file is left half written.", 130)
    except Interrupted as error:
        _end(str(error), 130)
    except Exception as error:
        _end(*_describe(error))
    else:
        if code == 130:
            _end("interrupted; no file is left half written.", 130)
        sys.exit(code if isinstance(code, int) else 0)


def _describe(error: Exception) -> tuple[str, int]:
    """(the sentence, the exit code) for what is the user's to mend; every other error is ours and is raised."""
    usage: Any = getattr(error, "format_message", None)
    if usage is not None:
        return " ".join(str(usage()).split()), 2  # empty where the help has been shown instead
    if isinstance(error, typer.Abort):
        return "interrupted; no file is left half written.", 130
    if isinstance(error, MemoryError):
        return "the memory does not suffice; use fewer documents, --max-terms or a smaller -k.", 2
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}.", 2
    if isinstance(error, (ValueError, TypeError, OSError)):
        return str(error), 2
    raise error


def _end(sentence: str, code: int) -> None:
    if sentence:
        sys.stderr.write(f"partwise: {printable(sentence)}\n")
    sys.exit(code)


def _leave_pipe() -> None:
    """The reader of our output has gone: leave quietly, and keep the interpreter from flushing into nothing."""
    with contextlib.suppress(OSError):
        sys.stdout.close()
    sys.exit(141)
