"""One case in a forked child, within limits on time and memory, and what became of it."""

from __future__ import annotations

import json
import os
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SECONDS, GIGABYTES = 20, 6
GOOD = ("result", "sentence")
"""The two outcomes that are no defect; the others are raw, traceback, not finite, crash, hang, lost."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended."""

    case: str
    kind: str
    detail: str = ""

    @property
    def is_defect(self) -> bool:
        """Whether somebody should look at it."""
        return self.kind not in GOOD


def is_sentence(message: str) -> bool:
    """Whether a message is one sentence of ours: one line, with an end, of bearable length."""
    return message.endswith((".", "?")) and "\n" not in message and 8 < len(message) < 700


def judged(action: Callable[[], Any]) -> tuple[str, str]:
    """(kind, detail) of an action; what it raises must be a sentence, what it returns (None or a complaint) is read."""
    try:
        complaint = action()
    except (ValueError, TypeError, OSError, NotImplementedError, ArithmeticError, LookupError) as error:
        message = str(error)
        if is_sentence(message) and not isinstance(error, (ArithmeticError, LookupError)):
            return "sentence", message
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "raw", f"{type(error).__name__}: {message[:200]} ({place.filename.rpartition('/')[2]}:{place.lineno})"
    except MemoryError:
        return "raw", "MemoryError"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
        return "traceback", f"{type(error).__name__}: {str(error)[:200]} ({where})"
    return ("result", "") if complaint is None else complaint


def run(case: str, action: Callable[[], Any], seconds: float = SECONDS) -> Outcome:
    """The outcome of a case, run in a child of its own, which works in a folder that is removed."""
    place = tempfile.mkdtemp()
    try:
        return _run(case, action, seconds, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(case: str, action: Callable[[], Any], seconds: float, place: str) -> Outcome:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            os.chdir(place)  # a name of a file among the bad values is one in this folder
            limit = GIGABYTES * 2**30 + _virtual()
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.write(writer, json.dumps(judged(action)).encode("utf-8", "replace")[:60_000])
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    answer, end = b"", time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        piece = os.read(reader, 65536)
        if not piece:
            break
        answer += piece
    else:
        os.killpg(child, signal.SIGKILL)
        os.close(reader)
        os.waitpid(child, 0)
        return Outcome(case, "hang", f"more than {seconds:g} s")
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if not answer:
        return Outcome(case, "crash", f"exit code {status}")
    kind, detail = json.loads(answer)
    return Outcome(case, kind, detail)


def _virtual() -> int:
    """The address space that the process has already."""
    with open("/proc/self/statm") as file:  # noqa: PTH123  a file of the kernel's
        return int(file.read().split()[0]) * resource.getpagesize()


def repository() -> set[str]:
    """The files and folders of the repository; no case and no test may add one."""
    names: set[str] = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        names.update(os.path.join(folder, name) for name in (*folders, *files))  # noqa: PTH118  thousands of them
    return names
