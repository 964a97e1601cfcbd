"""Documents from a folder, a file or stdin, one at a time."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from partwise.arguments import choose
from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.encodings import Decoder
from partwise.text.problems import Problems
from partwise.text.readers import FORMATS, SUFFIXES
from partwise.text.readers.folder import read_folder
from partwise.text.readers.parquet_files import is_parquet_folder, read_parquet_files
from partwise.text.source import Source

__all__ = ["Document", "read_documents"]


def read_documents(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    column: str | None = None,
    id_column: str | None = None,
    title_column: str | None = None,
    label_column: str | None = None,
    encoding: str = "utf-8",
    warn: Callable[[str], None] | None = None,
) -> Iterator[Document]:
    """The documents of a folder, a file or stdin (``-``), one at a time, plain or gzipped.

    Parameters
    ----------
    path : a folder (every file below it; the id is the path inside; or Parquet files, read one after the other), a
        file, or ``-`` for stdin.
    format : "lines", "csv", "tsv", "jsonl" or "parquet"; from the file's name unless given, stdin is "lines".
    column : the text's column or key; "text", or the only one, unless given. Ids are row numbers unless given.
    encoding : an encoding, or several such as "utf-8,latin-1", of which the first that fits a line or file is taken.
    warn : is told about single bad documents when the last has been read, one sentence a kind; Python's warnings
        unless given.

    What can be seen at once, the first document included, is refused when the call is made, not later.
    """
    columns = Columns(column, id_column, title_column, label_column)
    if format is not None:
        choose("format", format, FORMATS)
    problems = Problems()
    source = Source(None if str(path) == "-" else Path(path), Decoder(encoding, problems), problems)
    rows = _reported(source, _documents(source, format, columns), warn or python_warning)
    return chain([next(rows)], rows)  # asking for the first makes every check now


def _documents(source: Source, format: str | None, columns: Columns) -> Iterator[Document]:
    if source.path is not None and source.path.is_dir():
        if format == "parquet" or (format is None and is_parquet_folder(source.path)):
            yield from read_parquet_files(source, columns)
            return
        if format is not None:
            raise ValueError(f"{source.name} is a folder; a format is for a single file.")
        yield from read_folder(source, columns)
        return
    chosen = format or _format_of(source)
    try:
        with source.opened() as stream:
            yield from FORMATS[chosen](source, stream, columns)
    except FileNotFoundError:
        raise FileNotFoundError(missing(source.path)) from None
    except PermissionError:
        raise PermissionError(f"The file {source.name} may not be read.") from None


def _reported(source: Source, rows: Iterator[Document], warn: Callable[[str], None]) -> Iterator[Document]:
    """The documents, then what was amiss; none at all is refused."""
    document = None
    for document in rows:
        yield document
    if document is None:
        why = " ".join((f"There is no document in {source.name}.", *source.problems.sentences()))
        raise ValueError(why)
    for sentence in source.problems.sentences():
        warn(sentence)


def _format_of(source: Source) -> str:
    """The format that a name promises."""
    if source.path is None:
        return "lines"
    suffixes = [suffix.lower() for suffix in source.path.suffixes]
    last = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else suffixes[-1] if suffixes else ""
    if last not in SUFFIXES and source.path.exists():
        raise ValueError(
            f"{source.name} does not end in {', '.join(SUFFIXES)} (or one of these and .gz); say what it is with "
            f"--format, one of {', '.join(FORMATS)}."
        )
    return SUFFIXES.get(last, "lines")


def missing(path: Path | None) -> str:
    """That a file is not there, with the nearest name that is."""
    assert path is not None
    there = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, there, n=1, cutoff=0.6)
    return f"There is no file or folder {path}" + (f"; did you mean {path.parent / near[0]}?" if near else ".")


def python_warning(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=2)
