"""Every verb of the command line × bad files and options: exit code 0 or 2, one sentence, no traceback."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.calls import Case
from fuzz.outcome import is_sentence
from partwise.cli import application, main

WORDS = [
    "-1",
    "0",
    "999999",
    "1e9",
    "nan",
    "x",
    "",
    " ",
    "x" * 5000,
    "\x1b[31m",
    "é",
    "-",
    ".",
    "null",
    "a\nb",
    "--json",
]
"""Values for any option."""
FIXED = {
    "topics": ["t.csv", "-k", "2"],
    "search": ["topics.partwise", "ship"],
    "clusters": ["topics.partwise"],
    "transform": ["topics.partwise", "t.csv"],
    "lsi": ["t.csv", "-k", "2", "-o", "out.lsi"],
    "factorize": ["a.npy", "-k", "2"],
    "resume": ["run.checkpoint", "a.npy"],
    "plan": ["a.npy", "-k", "2"],
    "convert": ["a.npz", "out.parts"],
    "compare": ["topics.partwise", "topics.partwise"],
    "report": ["topics.partwise", "-o", "out.html"],
    "ranks": ["a.npy", "--to", "2", "--runs", "2"],
}


def options() -> dict[str, list[str]]:
    """Verb -> its options that take a value."""
    import typer

    group: Any = typer.main.get_command(application())
    for verb, line in FIXED.items():
        group.commands[verb].make_context(verb, list(line))  # loads here what every child would load again
    return {
        verb: [
            one.opts[-1]
            for one in group.commands[verb].params
            if one.param_type_name == "option" and not one.is_flag and one.opts[-1] not in ("--plugin", "--client")
        ]
        for verb in FIXED
    }


def cases(folder: Path, rng: np.random.Generator, count: int) -> Iterator[Case]:
    """``count`` command lines in a folder with the files of ``fuzz/files``."""
    known, verbs = options(), list(FIXED)
    sources = [*sorted(path.name for path in folder.iterdir()), "none", "s3://bucket/a.npz", "-", "null", ".", ""]
    for number in range(count):
        verb = verbs[number % len(verbs)]
        line = list(FIXED[verb])
        if rng.random() < 0.35:
            line[0] = str(rng.choice(sources))
        for _ in range(int(rng.integers(0 if line[0] != FIXED[verb][0] else 1, 3))):
            line += [str(rng.choice(known[verb])), WORDS[int(rng.integers(len(WORDS)))]]
        yield (
            f"{verb} {' '.join(map(repr, (shortened(word) for word in line)))}",
            partial(_command, folder, [verb, *line]),
        )


def shortened(word: str) -> str:
    """A word for the list of cases."""
    return word if len(word) < 60 else word[:60] + "…"


def _null(path: Path) -> Path:
    """A device that swallows all: one of its own for root, who could replace the machine's; else a link to that."""
    if os.geteuid() == 0:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    else:
        path.symlink_to("/dev/null")
    return path


def _command(folder: Path, line: list[str]) -> Any:
    """The complaint about a command line, or None; outputs go to a folder that is removed."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place, "work")
        shutil.copytree(folder, work, ignore=shutil.ignore_patterns("case-*"))  # of cases that run beside this one
        os.chdir(work)
        device = _null(work / "null")
        changing = [word for word in line if ".checkpoint" in word]  # going on with a run writes it again
        before = {path: path.read_bytes() for path in work.iterdir() if path.is_file() and path.name not in changing}
        streams = [Path(place, name) for name in ("in", "out", "err")]
        streams[0].write_bytes(b"")
        for number, (path, flags) in enumerate(
            zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)
        ):
            os.dup2(os.open(path, flags), number)
        sys.argv = ["partwise", *line]
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(os.dup(number), mode) for number, mode in enumerate("rww"))
        code: Any = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
        err = streams[2].read_text(errors="replace").strip()
        if not device.is_char_device():
            return "lost", "the device is a file"
        if any(not path.exists() or path.read_bytes() != content for path, content in before.items()):
            return "lost", "a file that was there before is another one"
        last = err.splitlines()[-1] if err else ""
        if code not in (0, 2):
            return "traceback", f"exit code {code}: {last[:200]}"
        if code == 2 and err and not is_sentence(last.removeprefix("partwise: ")):
            return "raw", last[:200]
        return ("sentence", last) if code == 2 else None
