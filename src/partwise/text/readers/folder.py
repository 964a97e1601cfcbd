"""A folder of text files."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.source import LIMIT, TOO_LONG, Source


def read_folder(source: Source, columns: Columns) -> Iterator[Document]:
    """Every file under a folder, sorted by its path relative to it, which is the id; hidden ones are left out."""
    if columns.asked:
        raise ValueError(f"{source.name} is a folder of texts and has no columns; leave {columns.asked[0]!r} out.")
    assert source.path is not None
    for name in sorted(_names(source.path)):
        text = _text(replace(source, path=source.path / name))
        if text is not None:
            yield Document(os.fsencode(name).decode("utf-8", "replace"), text)


def _names(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = Path(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in names if not name.startswith("."))


def _text(source: Source) -> str | None:
    """The text of a file, None (and noted) when it is no text or cannot be read."""
    try:
        with source.opened() as stream:
            if source.is_binary(stream):
                source.problems.note("Not text but a binary file, so left out", source.name)
                return None
            raw = stream.read(LIMIT + 1)
    except (OSError, ValueError):  # may not be read, or a damaged gzip file
        source.problems.note("Cannot be read, so left out", source.name)
        return None
    if len(raw) > LIMIT:
        source.problems.note(TOO_LONG, source.name)
        return None
    return source.decoder.text(raw, source.name, 1)
