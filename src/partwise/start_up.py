"""Ctrl-C while the command's own imports run: its sentence and exit code 130, and no traceback of a half-made module.

This is the first import of the package. A program that imports partwise is left alone.
"""

from __future__ import annotations

# _signal is what signal wraps: importing that, or typing, takes milliseconds in which Ctrl-C would be a traceback.
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = "interrupted; no file is left half written."


def _is_command() -> bool:
    """Whether this process is the command, as a script or as ``python -m partwise``; runpy puts -m in argv[0]."""
    program = (getattr(sys, "argv", None) or [""])[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    options = sys.orig_argv
    return program == "partwise" or (program == "-m" and options[options.index("-m") :][1:2] == ["partwise"])


def _leave(*_: object) -> None:
    """End at once: nothing has been opened yet, and an exception in an import could be taken for something else."""
    os.write(2, f"partwise: {INTERRUPTED}\n".encode())
    os._exit(130)


if _is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _leave)
