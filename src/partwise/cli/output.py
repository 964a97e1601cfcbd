"""What is printed: tables on stdout that fit 80 columns, one JSON value instead, notes and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from partwise.engine.checkpoint import place
from partwise.storage.targets import STDOUT, check_target, descriptor, is_stream

T = TypeVar("T")


class Interrupted(Exception):
    """Ctrl-C, after which there is more to say than that nothing is left."""


@contextmanager
def keeping(checkpoint: str | os.PathLike[str] | None) -> Iterator[None]:
    """Where a checkpoint is kept, Ctrl-C says so."""
    try:
        yield
    except BaseException as error:
        if not by_ctrl_c(error):
            raise
        if checkpoint is None or not Path(checkpoint).exists():
            raise KeyboardInterrupt from None
        raise Interrupted(
            f"interrupted; the run is kept in {checkpoint}, and the same command goes on from there."
        ) from None


def by_ctrl_c(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or came up on the way out of one, as when a file is closed in the middle."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def console() -> Console:
    """Where tables go."""
    return Console(highlight=False, markup=False, emoji=False)


def show(made: Table) -> None:
    """A table on stdout; where that is no terminal, without blanks at the ends of lines."""
    shown = console()
    if shown.is_terminal:
        shown.print(made)
        return
    with shown.capture() as capture:
        shown.print(made)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))


def say(*sentences: str) -> None:
    """Sentences on stdout, wrapped."""
    shown = console()
    for sentence in sentences:
        lines = shown.render_lines(Text(plain(sentence)), pad=False)
        sys.stdout.write("".join("".join(part.text for part in line).rstrip() + "\n" for line in lines))


def note(sentence: str) -> None:
    """A sentence on stderr."""
    sys.stderr.write(f"partwise: {plain(sentence)}\n")


def plain(text: str) -> str:
    """A text without what would steer the terminal."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


def print_json(value: Any) -> None:
    """One JSON value on stdout; letters stay letters where stdout can show them."""
    narrow = "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(value, ensure_ascii=narrow, indent=1, allow_nan=False) + "\n")


def table(*columns: str, left: Iterable[str] = (), gap: int = 2) -> Table:
    """An empty table; columns are to the right unless they are named in ``left``, which fold where they must."""
    made, words = Table(box=None, header_style="bold", pad_edge=False, padding=(0, gap, 0, 0)), set(left)
    for name in columns:
        justify: Any = "left" if name in words else "right"
        made.add_column(name, justify=justify, no_wrap=name not in words, overflow="fold")
    return made


def cell(*lines: str, styles: Iterable[str] = ()) -> Text:
    """A cell of one or more lines, each in its style; nothing in it is taken for markup."""
    made = Text()
    given = list(styles) + [""] * len(lines)
    for number, (line, style) in enumerate(zip(lines, given, strict=False)):
        made.append("\n" * bool(number) + plain(line), style)
    return made


def shortened(text: str, length: int) -> str:
    """At most ``length`` characters of a text, cut between words where that is near."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    kept = text[: length - 1]
    space = kept.rfind(" ")
    return (kept[:space] if space > length // 2 else kept) + "…"


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what there is to say of them."""
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, text in rows:
        made.add_row(Text(name, "bold"), Text(plain(text)))
    return made


def check_output(path: Path | None, *inputs: str | Path) -> Path | None:
    """Where a result goes; what cannot be written, or would overwrite what is read, is refused before any work."""
    return None if path is None else destination(path, *inputs)


def destination(path: Path, *inputs: str | Path) -> Path:
    """The same for a path that is always given; where it is stdout (``-``), what would be printed goes to stderr."""
    target = STDOUT if str(path) == "-" else path
    check_target(target)
    if descriptor(target) == 1:
        sys.stdout = sys.stderr
    for given in () if is_stream(target) else inputs:
        if str(given) != "-" and target.exists() and Path(given).exists() and target.samefile(given):
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
    """A line on stderr that says what is going on, where that is a terminal; the text can be changed."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    with Console(stderr=True).status(f"{text} …") as status:
        yield lambda text: status.update(f"{text} …")


def counted(items: Iterable[T], tell: Callable[[str], None], text: str, every: int = 200) -> Iterator[T]:
    """The items, their number told every now and then."""
    for number, item in enumerate(items, 1):
        if number % every == 0:
            tell(f"{text}: {number:,}")
        yield item
