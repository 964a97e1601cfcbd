"""The command line: results on stdout, progress and errors on stderr, exit code 2 for misuse."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from partwise.arguments import shortened
from partwise.cli.fitting import Interrupted
from partwise.cli.output import printable
from partwise.cli.plain_values import PlainCommand, PlainGroup
from partwise.cli.plugins import load_installed_plugins
from partwise.start_up import INTERRUPTED, IS_COMMAND, YOUNG
from partwise.storage.atomic import is_full

VERBS = {
    "demo": "demo", "topics": "topics", "search": "search", "clusters": "clusters", "transform": "transform",
    "lsi": "lsi", "factorize": "factorize", "resume": "resume", "plan": "resume", "convert": "convert",
    "compare": "compare", "report": "report", "ranks": "ranks", "reproduce": "reproduce", "warm-up": "warm_up",
    "data": "data",
}  # fmt: skip
"""Verb -> its file here, in the order of ``--help``."""


SWITCH = 0.0001
"""Seconds after which another thread gets the interpreter: with Python's 0.005 a thread that scans texts, most of which
needs no interpreter, waits longer for the one that reads them than it takes to scan."""


def application(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """The command with some of its verbs; a call imports the one that it names alone."""
    app = typer.Typer(
        cls=PlainGroup,
        help="Topics, clusters and search from documents, parts from any nonnegative matrix, and how good they are.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name in verbs:
        verb = getattr(import_module(f"partwise.cli.{VERBS[name]}"), name.replace("-", "_"))
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=name)
        else:
            app.command(cls=PlainCommand)(verb)
    return app


def _version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"partwise {version('partwise')}\n")
        raise typer.Exit()


def _root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Factor nonnegative matrices into additive parts: topics, clusters and search from documents."""


def main() -> None:
    """Run the command; bad input is one sentence and exit code 2, Ctrl-C is 130, SIGTERM 143, a reader gone 141."""
    gc.set_threshold(YOUNG)
    gc.freeze()  # what is imported stays, and is not searched for unreachable objects
    sys.setswitchinterval(SWITCH)
    _open_streams()
    codes = _catch_signals()
    try:
        with contextlib.redirect_stdout(sys.stdout):  # a verb whose result goes to stdout prints to stderr
            load_installed_plugins()
            code = application(_named(sys.argv[1:]))(prog_name="partwise", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_pipe()
    except KeyboardInterrupt:
        _end(INTERRUPTED, codes[-1])
    except Interrupted as error:
        _end(str(error), codes[-1])
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich and typer turn it into exit code 1
            _leave_pipe()
        raise
    except Exception as error:
        _end(*_describe(error))
    else:
        if code == 130:
            _end(INTERRUPTED, codes[-1])
        _leave(code if isinstance(code, int) else 0)
    finally:
        gc.freeze()  # else the interpreter searches all that is left for cycles before it ends, a third of a second


def _named(arguments: Sequence[str]) -> Iterable[str]:
    """The verb that a call names, or all where it names none."""
    return arguments[:1] if arguments and arguments[0] in VERBS else VERBS


def _open_streams() -> None:
    """Where the shell has closed stdin, stdout or stderr, /dev/null: no file of ours may get their descriptors."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  open for as long as the process
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _catch_signals() -> list[int]:
    """Let SIGTERM end a run as Ctrl-C does, files and checkpoints in order; the last number is the exit code."""
    codes = [130]

    def terminate(*_: Any) -> None:
        codes.append(143)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, terminate)
        sys.unraisablehook = _interrupt_again
    return codes


def _interrupt_again(lost: Any) -> None:
    """An interrupt where nothing can be raised, in a callback of LLVM or at the end of an object, comes again soon."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(lost)


def _describe(error: Exception) -> tuple[str, int]:
    """(the sentence, the exit code) for what is the user's to mend; every other error is ours and is raised."""
    usage: Any = getattr(error, "format_message", None)
    if usage is not None:
        sentence = " ".join(str(usage()).split())  # empty where the help has been shown instead
        return sentence if not sentence or sentence.endswith((".", "?")) else f"{sentence}; see --help.", 2
    if isinstance(error, typer.Abort):
        return INTERRUPTED, 130
    if isinstance(error, MemoryError):
        return "the memory does not suffice; use fewer documents, --max-terms or a smaller -k.", 2
    if isinstance(error, OSError) and error.strerror:
        return _in_words(error), 2
    if isinstance(error, (ValueError, TypeError, OSError)):
        return str(error), 2
    raise error


def _in_words(error: OSError) -> str:
    """What the system could not do, where, and what to do about it."""
    if error.errno == errno.ENAMETOOLONG:
        return f"{shortened(str(error.filename), 200)} is longer than the name of a file can be; check the path."
    where = f"{error.filename}: " if error.filename else ""
    if is_full(error):
        return f"{where}there is no room left to write to ({error.strerror}); free some and run the command again."
    return f"{where}{error.strerror}."


def _end(sentence: str, code: int) -> None:
    for argument in sys.argv[1:]:  # a long one is not repeated whole
        sentence = sentence.replace(argument, shortened(argument, 200)) if len(argument) > 200 else sentence
    if sentence:
        sys.stderr.write(f"partwise: {printable(' '.join(sentence.splitlines()))}\n")
    sys.exit(code)


def _leave(code: int) -> None:
    """End the process: the command at once where nothing is left to do, without taking every object down (30 ms).

    What was registered for the end is called by a private name of ``atexit``. Where that is missing, where a thread is
    not at its end or a stream cannot be flushed, the interpreter ends as usual.
    """
    call_registered = getattr(atexit, "_run_exitfuncs", None)
    others = [thread for thread in threading.enumerate() if not thread.daemon and thread is not threading.main_thread()]
    if IS_COMMAND and call_registered is not None and not others:
        call_registered()
        with contextlib.suppress(Exception):
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(code)
    sys.exit(code)


def _leave_pipe() -> None:
    """The reader of our output has gone: leave quietly, and keep the interpreter from flushing into nothing."""
    with contextlib.suppress(OSError):
        sys.stdout.close()
    sys.exit(141)
