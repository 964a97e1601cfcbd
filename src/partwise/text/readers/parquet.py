"""Parquet, in batches of rows."""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import IO, Any

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.source import Source

BATCH = 1000
BUFFER = 2**20
"""Bytes of a column that are read at a time: a row group may be larger than the memory."""


def read_parquet(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """Rows of a Parquet file; only the columns that are needed are read."""
    return read_rows(source, stream, columns)


def read_rows(
    source: Source, stream: io.BufferedReader, columns: Columns, lo: int = 0, hi: int | None = None, before: int = 0
) -> Iterator[Document]:
    """The rows lo:hi of a Parquet file, ``before`` which there are so many documents in other files."""
    with opened(source, stream) as file:
        chosen = columns.among(file.schema_arrow.names, source.name)
        groups, number = _groups(file, lo, hi)
        for batch in file.iter_batches(BATCH, row_groups=groups, columns=list(chosen.asked)):
            first, number = number, number + batch.num_rows
            if number <= lo or not batch.num_rows:
                continue
            cells = {name: batch.column(name).to_pylist() for name in chosen.asked}
            for row in range(max(lo, first), number if hi is None else min(hi, number)):
                where = f"{source.name}, row {row + 1}"

                def cell(name: str, at: int = row - first, where: str = where, cells: dict[str, Any] = cells) -> Any:
                    value = cells[name][at]
                    return source.decoder.text(value, where, 1) if isinstance(value, bytes) else value

                yield chosen.document(before + row + 1, cell, where, source.problems)


def _groups(file: Any, lo: int, hi: int | None) -> tuple[list[int], int]:
    """(the row groups that hold some of the rows, the first row of theirs)"""
    told = file.metadata
    edges = [0]
    for group in range(told.num_row_groups):
        edges.append(edges[-1] + told.row_group(group).num_rows)
    end = edges[-1] if hi is None else hi
    held = [group for group, (first, last) in enumerate(pairwise(edges)) if first < end and lo < last]
    return held, edges[held[0]] if held else 0


@contextmanager
def opened(source: Source, stream: io.BufferedReader) -> Iterator[Any]:
    """The file as pyarrow has it; what is none is refused by its name."""
    arrow, parquet = _arrow()
    try:
        with _seekable(stream) as whole, parquet.ParquetFile(whole, buffer_size=BUFFER) as file:
            yield file
    except (arrow.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise ValueError(f"{source.name} cannot be read as Parquet: {said}.") from None


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # imported late: only this format needs it
        import pyarrow.parquet
    except ImportError:
        raise ValueError("Reading Parquet needs the package pyarrow: pip install 'partwise[text]'.") from None
    return pyarrow, pyarrow.parquet


@contextmanager
def _seekable(stream: io.BufferedReader) -> Iterator[IO[bytes]]:
    """The stream itself when it is a plain file, else a copy on disk: Parquet is read from its end."""
    if isinstance(stream.raw, io.FileIO) and stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy
