"""``TableColumns``: which column of a table is the text, and which the id, the title and the label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from partwise.text.document import Document
from partwise.text.readers.source import ReadProblems

DEFAULT = "text"


@dataclass(frozen=True)
class TableColumns:
    """The names of the columns of a table; None where none is wanted."""

    text: str | None = None
    id: str | None = None
    title: str | None = None
    label: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names, each once."""
        return tuple(dict.fromkeys(name for name in (self.text, self.id, self.title, self.label) if name is not None))

    def among(self, available: Sequence[str], where: str) -> TableColumns:
        """These columns, checked against those of a file; the text's is chosen where it is None."""
        columns = self if self.text is not None else replace(self, text=_text_column(available, where))
        for name in columns.names:
            if name not in available:
                raise ValueError(f"{where} has no column {name!r}; {_hint(name, available)}")
        return columns

    def document(self, number: int, cell: Callable[[str], object], where: str, problems: ReadProblems) -> Document:
        """The document of one row; ``cell`` gives the value of a column."""
        assert self.text is not None
        text = as_text(cell(self.text), self.text, where)
        if text is None:
            problems.note(f"No text in the column {self.text!r}, so taken as empty", where)
        id, title, label = (
            "" if name is None else as_text(cell(name), name, where) or "" for name in (self.id, self.title, self.label)
        )
        return Document(id or str(number), text or "", title, label)


def as_text(value: object, column: str, where: str) -> str | None:
    """A cell as text, None for a null; lists, dicts and bytes are refused."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return None
    if isinstance(value, (list, tuple, dict, set, bytes)):
        raise ValueError(f"{where}: the column {column!r} holds a {type(value).__name__}, not a text.")
    return str(value)


def _text_column(names: Sequence[str], where: str) -> str:
    if DEFAULT in names:
        return DEFAULT
    if len(names) == 1:
        return names[0]
    raise ValueError(f"{where} has the columns {_listed(names)}; say which one is the text with --column.")


def _hint(name: str, names: Sequence[str]) -> str:
    lower = {other.lower(): other for other in names}
    near = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    return f"did you mean {lower[near[0]]!r}?" if near else f"it has {_listed(names)}."


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(map(str, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown or "none"
