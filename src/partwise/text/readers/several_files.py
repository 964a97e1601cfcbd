"""Several files as one source: those that a pattern such as news/*.csv names, or the members of a zip file."""

from __future__ import annotations

import glob
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from partwise.text.document import Document
from partwise.text.readers import FORMATS, SUFFIXES
from partwise.text.readers.plain_text import read_files, text_of
from partwise.text.readers.source import TextSource
from partwise.text.readers.table_columns import TableColumns

LINES = "lines"


def is_glob(path: Path) -> bool:
    """Whether a path is a pattern, and no file that happens to have such a name."""
    return glob.has_magic(str(path)) and not path.exists()


def matching(pattern: Path) -> list[Path]:
    """The files that a pattern names, in the order of their names."""
    names = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
    return [Path(name) for name in names if Path(name).is_file()]


def read_glob(source: TextSource, format: str | None, columns: TableColumns) -> Iterator[Document]:
    """Tables one after the other; other files as in a folder, one document a file, unless ``format`` is given."""
    assert source.path is not None
    if not (paths := matching(source.path)):
        raise FileNotFoundError(f"No file matches {source.path}.")
    if (chosen := format or _table_format([path.name for path in paths])) is not None:
        yield from _tables(source, [source.file(path) for path in paths], chosen, columns)
        return
    _refuse_columns(source, columns)
    yield from read_files(source, {path.as_posix(): path for path in paths})


def read_zip(source: TextSource, format: str | None, columns: TableColumns) -> Iterator[Document]:
    """The members of a zip file, read as the files of a folder, or as tables where they are tables."""
    assert source.path is not None
    try:
        archive = zipfile.ZipFile(source.path)
    except zipfile.BadZipFile:
        raise ValueError(f"{source.name} is not a zip file, though its name says so.") from None
    with archive:
        names = sorted(info.filename for info in archive.infolist() if not info.is_dir() and _visible(info.filename))
        files = [source.file(source.path, archive, name) for name in names]
        if (chosen := format or _table_format(names)) is not None:
            yield from _tables(source, files, chosen, columns)
            return
        _refuse_columns(source, columns)
        for name, file in zip(names, files, strict=True):
            text = text_of(file)
            source.problems.add(file.problems)
            if text is not None:
                yield Document(name, text)


def _visible(name: str) -> bool:
    return not any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def _table_format(names: Sequence[str]) -> str | None:
    """The format of tables by their names; None where they are not all tables of one format."""
    formats = {SUFFIXES.get(_suffix(name)) for name in names}
    only = formats.pop() if len(formats) == 1 else None
    return None if only == LINES else only


def _suffix(name: str) -> str:
    return PurePosixPath(name.lower().removesuffix(".gz")).suffix


def _tables(source: TextSource, files: Sequence[TextSource], format: str, columns: TableColumns) -> Iterator[Document]:
    """The rows of tables one after the other; ids count through unless there is a column."""
    number = 0
    for file in files:
        with file.opened() as stream:
            for number, document in enumerate(FORMATS[format](file, stream, columns), number + 1):  # noqa: B020
                yield document if columns.id is not None else replace(document, id=str(number))
        source.problems.add(file.problems)


def _refuse_columns(source: TextSource, columns: TableColumns) -> None:
    if columns.names:
        raise ValueError(f"{source.name} holds texts without columns; leave {columns.names[0]!r} out.")
