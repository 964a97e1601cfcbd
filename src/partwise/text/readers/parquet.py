"""Parquet: the rows of a file in batches, and many files as one table that can be cut between any two rows."""

from __future__ import annotations

import io
import shutil
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from partwise.text.document import Document
from partwise.text.readers.plain_text import visible_files
from partwise.text.readers.source import TextSource
from partwise.text.readers.table_columns import TableColumns

SUFFIX = ".parquet"
HIDDEN = (".", "_")
"""How the names of files begin that other tools leave, such as _SUCCESS."""
BATCH = 1000
BUFFER = 2**20
"""Bytes of a column that are read at a time: a row group may be larger than the memory."""


def read_parquet(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Rows of a Parquet file; only the columns that are needed are read."""
    return _read_rows(source, stream, columns)


def read_parquet_files(source: TextSource, columns: TableColumns) -> Iterator[Document]:
    """The documents of all files below a folder, one after the other; ids count through unless there is a column."""
    assert source.path is not None
    before = 0
    for path in parquet_paths(source.path):
        file_source, number = replace(source, path=path), 0
        with file_source.opened() as stream:
            rows = _read_rows(file_source, stream, columns, before=before)
            for number, document in enumerate(rows, 1):  # noqa: B007 - the last number is the count
                yield document
        before += number


def parquet_paths(path: Path) -> Iterator[Path]:
    """The file itself, or all Parquet files below a folder in the order of their names."""
    if path.is_dir():
        yield from (path / name for name in sorted(visible_files(path, HIDDEN)) if name.endswith(SUFFIX))
    else:
        yield path


def is_parquet_folder(path: Path) -> bool:
    """Whether a folder holds Parquet files alone; notes of other tools, such as _SUCCESS, do not count."""
    names = list(visible_files(path, HIDDEN))
    return bool(names) and all(name.endswith(SUFFIX) for name in names)


@dataclass(frozen=True)
class FileRows:
    """The rows lo:hi of a file; ``before`` is the number of documents in the files before it."""

    path: Path
    lo: int
    hi: int
    before: int

    def documents(self, source: TextSource, columns: TableColumns) -> Iterator[Document]:
        """The documents of these rows."""
        file_source = replace(source, path=self.path)
        with file_source.opened() as stream:
            yield from _read_rows(file_source, stream, columns, self.lo, self.hi, self.before)


@dataclass(frozen=True)
class ParquetFiles:
    """Files with the number of rows in each, checked to have the columns."""

    paths: tuple[Path, ...]
    edges: tuple[int, ...]
    """The first document of each file, and the end."""
    nbytes: int
    """The bytes of all rows, uncompressed."""

    @classmethod
    def at(cls, source: TextSource, columns: TableColumns) -> ParquetFiles:
        """A Parquet file or a folder of them, of which only the metadata are read."""
        assert source.path is not None
        paths, edges, nbytes = tuple(parquet_paths(source.path)), [0], 0
        for path in paths:
            file_source = replace(source, path=path)
            with file_source.opened() as stream, _opened(file_source, stream) as file:
                columns.among(file.schema_arrow.names, file_source.name, file_source.problems)
                metadata = file.metadata
                edges.append(edges[-1] + metadata.num_rows)
                nbytes += sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        return cls(paths, tuple(edges), nbytes)

    def cut(self, edges: Sequence[int]) -> list[tuple[FileRows, ...]]:
        """The documents between any two edges, as ranges of rows of files."""
        return [tuple(self._ranges(lo, hi)) for lo, hi in pairwise(edges)]

    def _ranges(self, lo: int, hi: int) -> Iterator[FileRows]:
        number = bisect_right(self.edges, lo) - 1
        while lo < hi:
            first, end = self.edges[number], min(hi, self.edges[number + 1])
            if lo < end:
                yield FileRows(self.paths[number], lo - first, end - first, first)
            lo, number = end, number + 1


def _read_rows(
    source: TextSource,
    stream: io.BufferedReader,
    columns: TableColumns,
    lo: int = 0,
    hi: int | None = None,
    before: int = 0,
) -> Iterator[Document]:
    """The rows lo:hi of a Parquet file; ``before`` is the number of documents in the files before it."""
    with _opened(source, stream) as file:
        chosen = columns.among(file.schema_arrow.names, source.name, source.problems)
        groups, number = _row_groups(file.metadata, lo, hi)
        for batch in file.iter_batches(BATCH, row_groups=groups, columns=list(chosen.names)):
            first, number = number, number + batch.num_rows
            if number <= lo or not batch.num_rows:
                continue
            cells = {name: batch.column(name).to_pylist() for name in chosen.names}
            for row in range(max(lo, first), number if hi is None else min(hi, number)):
                where = f"{source.name}, row {row + 1}"

                def cell(
                    name: str, at: int = row - first, where: str = where, cells: dict[str, list[object]] = cells
                ) -> object:
                    value = cells[name][at]
                    return source.decoder.text(value, where, 1) if isinstance(value, bytes) else value

                yield chosen.document(before + row + 1, cell, where, source.problems)


def _row_groups(metadata: Any, lo: int, hi: int | None) -> tuple[list[int], int]:
    """(the row groups that hold any of the rows lo:hi, the first row of the first of them)"""
    edges = [0]
    for group in range(metadata.num_row_groups):
        edges.append(edges[-1] + metadata.row_group(group).num_rows)
    end = edges[-1] if hi is None else hi
    groups = [group for group, (first, last) in enumerate(pairwise(edges)) if first < end and lo < last]
    return groups, edges[groups[0]] if groups else 0


@contextmanager
def _opened(source: TextSource, stream: io.BufferedReader) -> Iterator[Any]:
    """The file as pyarrow's ParquetFile; any other file is refused by its name."""
    try:
        import pyarrow  # imported late: only this format needs it
        import pyarrow.parquet
    except ImportError:
        raise ValueError("Reading Parquet needs the package pyarrow: pip install 'partwise[text]'.") from None
    try:
        with _seekable(stream) as whole, pyarrow.parquet.ParquetFile(whole, buffer_size=BUFFER) as file:
            yield file
    except (pyarrow.ArrowException, OSError) as error:
        message = " ".join(str(error).split())[:200].rstrip(".")
        raise ValueError(f"{source.name} cannot be read as Parquet: {message}.") from None


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
