"""``TableColumns``: which column of a table is the text, and which the id, the title and the label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from partwise.text.document import Document
from partwise.text.readers.source import ReadProblems

DEFAULT = "text"
AUTO, NONE = "auto", "none"
TITLES = ("title", "headline", "name", "subject", "filename", "id")
"""Names of columns, in any case, of which the first that is there is shown as the title where ``AUTO`` is asked for."""
CONTAINERS = (list, tuple, dict, set, bytes)


@dataclass(frozen=True)
class TableColumns:
    """The names of the columns of a table; None where none is wanted.

    The title may be ``AUTO``: where no column is named for the ids, the first of ``TITLES`` that the table has, if any.
    """

    text: str | None = None
    id: str | None = None
    title: str | None = None
    label: str | None = None
    guessed: bool = False
    """Whether the title's column was guessed, so that what is no text in it is left out."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names, each once."""
        title = None if self.title == AUTO else self.title
        return tuple(dict.fromkeys(name for name in (self.text, self.id, title, self.label) if name is not None))

    def among(self, available: Sequence[str], where: str, problems: ReadProblems) -> TableColumns:
        """These columns, checked against those of a file; the text's is chosen where it is None.

        ``problems`` gets a note where the title's column is guessed.
        """
        columns = self if self.text is not None else replace(self, text=_text_column(available, where))
        if columns.title == AUTO:
            title = columns._guess(available)
            columns = replace(columns, title=title, guessed=title is not None)
            if title is not None:
                problems.note(
                    f"Documents are shown by the column {title!r}; --title-column chooses another or none", where
                )
        for name in columns.names:
            if name not in available:
                raise ValueError(f"{where} has no column {name!r}; {_hint(name, available)}")
        return columns

    def _guess(self, available: Sequence[str]) -> str | None:
        """The column of titles, None where no name says that there is one."""
        names = {name.strip().lower(): name for name in reversed(available) if name not in (self.text, self.label)}
        return None if self.id is not None else next((names[name] for name in TITLES if name in names), None)

    def document(self, number: int, cell: Callable[[str], object], where: str, problems: ReadProblems) -> Document:
        """The document of one row; ``cell`` gives the value of a column."""
        assert self.text is not None
        text = as_text(cell(self.text), self.text, where)
        if text is None:
            problems.note(f"No text in the column {self.text!r}, so taken as empty", where)
        id, title, label = (
            "" if name is None else as_text(cell(name), name, where) or ""
            for name in (self.id, None if self.guessed else self.title, self.label)
        )
        if self.guessed and not isinstance(value := cell(str(self.title)), CONTAINERS):
            title = as_text(value, str(self.title), where) or ""
        return Document(id or str(number), text or "", title, label)


def as_text(value: object, column: str, where: str) -> str | None:
    """A cell as text, None for a null; lists, dicts and bytes are refused."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return None
    if isinstance(value, CONTAINERS):
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
