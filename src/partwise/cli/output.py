"""What is printed: tables on stdout that fit 80 columns, one JSON value instead, notes and progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from partwise.engine.checkpoint import place
from partwise.io.read_matrix import is_number
from partwise.kernels.compiling import watched
from partwise.storage.targets import STDOUT, check_target, descriptor, is_stream

T = TypeVar("T")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet takes for a formula."""

COMPILING = "compiling, which happens once"


def console() -> Console:
    """A console on stdout that takes nothing for markup."""
    return Console(highlight=False, markup=False, emoji=False)


def show(grid: Table) -> None:
    """Print a table on stdout; where that is not a terminal, lines have no trailing blanks."""
    stdout = console()
    if stdout.is_terminal:
        stdout.print(grid)
        return
    with stdout.capture() as capture:
        stdout.print(grid)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))


def say(*sentences: str) -> None:
    """Print sentences on stdout, wrapped."""
    stdout = console()
    for sentence in sentences:
        lines = stdout.render_lines(Text(printable(sentence)), pad=False)
        sys.stdout.write("".join("".join(part.text for part in line).rstrip() + "\n" for line in lines))


def note(sentence: str) -> None:
    """Print a sentence on stderr."""
    sys.stderr.write(f"partwise: {printable(sentence)}\n")


def printable(text: str) -> str:
    """A text with control characters, which would steer the terminal, as blanks."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


def print_json(value: object) -> None:
    """Print one JSON value on stdout; ASCII escapes only where stdout cannot encode the letters."""
    narrow = "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(value, ensure_ascii=narrow, indent=1, allow_nan=False) + "\n")


def table(*columns: str, left: Iterable[str] = (), gap: int = 2) -> Table:
    """An empty table; columns are right-aligned except those in ``left``, which fold where they are too wide."""
    grid, folding = Table(box=None, header_style="bold", pad_edge=False, padding=(0, gap, 0, 0)), set(left)
    for name in columns:
        justify: JustifyMethod = "left" if name in folding else "right"
        grid.add_column(name, justify=justify, no_wrap=name not in folding, overflow="fold")
    return grid


def cell(*lines: str, styles: Iterable[str] = ()) -> Text:
    """A cell of one or more lines, each in its style; nothing in it is taken for markup."""
    text = Text()
    padded_styles = list(styles) + [""] * len(lines)
    for number, (line, style) in enumerate(zip(lines, padded_styles, strict=False)):
        text.append("\n" * bool(number) + printable(line), style)
    return text


def abridged(text: str, length: int) -> str:
    """At most ``length`` characters of a text, cut between words where that is near."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    kept = text[: length - 1]
    space = kept.rfind(" ")
    return (kept[:space] if space > length // 2 else kept) + "…"


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values, without a header."""
    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, text in rows:
        grid.add_row(Text(name, "bold"), Text(printable(text)))
    return grid


def csv_text(text: str) -> str:
    """A text for a cell of a table; one that a spreadsheet would run as a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(FORMULA) and not is_number(text) else text


def check_output(path: Path | None, *inputs: str | Path) -> Path | None:
    """The path of an optional result, as :func:`destination` resolves it."""
    return None if path is None else destination(path, *inputs)


def destination(path: Path, *inputs: str | Path) -> Path:
    """The path of a result; one that cannot be written, or would overwrite an input, is refused before any work.

    Where it is stdout (``-``), what would be printed goes to stderr.
    """
    target = STDOUT if str(path) == "-" else path
    check_target(target)
    if descriptor(target) == 1:
        sys.stdout = sys.stderr
    for source in () if is_stream(target) else inputs:
        if str(source) != "-" and target.exists() and Path(source).exists() and target.samefile(source):
            raise ValueError(f"{target} is what is read; choose another name for the result.")
    return target


def check_checkpoint(path: Path | None, *inputs: str | Path) -> None:
    """Refuse, before any work, a checkpoint that cannot be kept or would overwrite what is read."""
    if path is None:
        return
    if str(path) == "-":
        raise ValueError("A checkpoint is a file of its own and cannot go to stdout; give it a name.")
    destination(place(path), *inputs)


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """Show a status line on stderr while the context lasts, where that is a terminal; yields its updater."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    with Console(stderr=True).status(f"{text} …") as status:
        latest = text

        def update(text: str) -> None:
            nonlocal latest
            latest = text
            status.update(f"{text} …")

        def compiling(busy: bool) -> None:
            status.update(f"{latest}, {COMPILING} …" if busy else f"{latest} …")

        with watched(compiling):
            yield update


def counted(items: Iterable[T], update: Callable[[str], None], text: str, every: int = 200) -> Iterator[T]:
    """The items; after every 200th, ``update`` gets their number."""
    for number, item in enumerate(items, 1):
        if number % every == 0:
            update(f"{text}: {number:,}")
        yield item
