"""Plain text: one document a line, or one document a file in a folder."""

import io
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from partwise.text.document import Document
from partwise.text.readers.source import BINARY, LIMIT, TOO_LONG, TextSource
from partwise.text.readers.table_columns import TableColumns

READERS, BATCH = 8, 256
"""Threads that wait for files, and files that are asked for at a time."""


def read_lines(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """A document for every line that is not blank; its id is the number of the line."""
    if columns.names:
        raise ValueError(f"{source.name} has one document a line and no columns; leave {columns.names[0]!r} out.")
    for number, line in source.lines(stream):
        if line is None:
            source.problems.note(TOO_LONG, f"{source.name}, line {number}")
        elif line.strip():
            yield Document(str(number), line.removesuffix("\n").removesuffix("\r"))


def read_folder(source: TextSource, columns: TableColumns) -> Iterator[Document]:
    """Every file under a folder, sorted by its path relative to it, which is the id; hidden ones are left out."""
    if columns.names:
        raise ValueError(f"{source.name} is a folder of texts and has no columns; leave {columns.names[0]!r} out.")
    assert source.path is not None
    yield from read_files(source, {name: source.path / name for name in sorted(visible_files(source.path, hidden="."))})


def read_files(source: TextSource, paths: Mapping[str, Path]) -> Iterator[Document]:
    """A document for every file, by its id; some files are read at a time, on threads."""
    with ThreadPoolExecutor(READERS, "partwise-files") as pool:
        names = iter(paths)
        while batch := list(islice(names, BATCH)):
            files = [source.file(paths[name]) for name in batch]
            for name, file, text in zip(batch, files, pool.map(text_of, files), strict=True):
                source.problems.add(file.problems)
                if text is not None:
                    yield Document(os.fsencode(name).decode("utf-8", "replace"), text)


def visible_files(root: Path, hidden: str | tuple[str, ...]) -> Iterator[str]:
    """The paths of all files below a folder, relative to it, without what starts with ``hidden``."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(hidden)]
        below = Path(folder).relative_to(root)
        yield from ((below / name).as_posix() for name in names if not name.startswith(hidden))


def text_of(source: TextSource) -> str | None:
    """The text of a file; None, and a problem noted, when it is no text or cannot be read."""
    try:
        with source.opened() as stream:
            wide = source.is_wide(stream)
            if source.is_binary(stream) and not wide:
                source.problems.note(BINARY, source.name)
                return None
            raw = stream.read(LIMIT + 1)
    except (OSError, ValueError):  # may not be read, or a damaged gzip file
        source.problems.note("Cannot be read, so left out", source.name)
        return None
    if len(raw) > LIMIT:
        source.problems.note(TOO_LONG, source.name)
        return None
    decoder = source.decoder
    return decoder.wide_text(raw, source.name) if wide else decoder.text(raw, source.name, 1)
