"""docs/design.md, of which only the table of rooms is written here, from ``layers.py``."""

from collections.abc import Callable
from pathlib import Path

from layers import LAYERS

PAGE = Path(__file__).with_name("design.md")
BEGIN, END = "<!-- rooms: written by make docs from docs/layers.py -->", "<!-- end of rooms -->"


def page(table: Callable[[tuple[str, ...], list[tuple[str, ...]]], str]) -> str:
    """The page with its table made anew."""
    rows = [(str(level), f"`{room}`", text) for level, rooms in enumerate(LAYERS, 1) for room, text in rooms.items()]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{table(('layer', 'room', 'what is in it'), rows)}\n\n{END}{after}".rstrip("\n")
