"""Many Parquet files as one table of documents, which can be cut between any two rows."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.readers.parquet import opened, read_rows
from partwise.text.source import Source

SUFFIX = ".parquet"


@dataclass(frozen=True)
class Piece:
    """The rows lo:hi of a file; ``before`` it there are so many documents in other files."""

    path: Path
    lo: int
    hi: int
    before: int

    def documents(self, source: Source, columns: Columns) -> Iterator[Document]:
        """These rows."""
        mine = replace(source, path=self.path)
        with mine.opened() as stream:
            yield from read_rows(mine, stream, columns, self.lo, self.hi, self.before)


@dataclass(frozen=True)
class ParquetFiles:
    """Files with the number of rows in each, checked to have the columns."""

    paths: tuple[Path, ...]
    edges: tuple[int, ...]
    """The first document of each file, and the end."""
    nbytes: int
    """What all rows take unpacked."""

    @classmethod
    def at(cls, source: Source, columns: Columns) -> ParquetFiles:
        """A Parquet file or a folder of them, looked at but not read."""
        assert source.path is not None
        paths, edges, nbytes = tuple(parquet_paths(source.path)), [0], 0
        for path in paths:
            mine = replace(source, path=path)
            with mine.opened() as stream, opened(mine, stream) as file:
                columns.among(file.schema_arrow.names, mine.name)
                told = file.metadata
                edges.append(edges[-1] + told.num_rows)
                nbytes += sum(told.row_group(group).total_byte_size for group in range(told.num_row_groups))
        return cls(paths, tuple(edges), nbytes)

    def cut(self, edges: Sequence[int]) -> list[tuple[Piece, ...]]:
        """The documents between any two edges, as pieces of files."""
        return [tuple(self._pieces(lo, hi)) for lo, hi in pairwise(edges)]

    def _pieces(self, lo: int, hi: int) -> Iterator[Piece]:
        number = bisect_right(self.edges, lo) - 1
        while lo < hi:
            first, end = self.edges[number], min(hi, self.edges[number + 1])
            if lo < end:
                yield Piece(self.paths[number], lo - first, end - first, first)
            lo, number = end, number + 1


def parquet_paths(path: Path) -> Iterator[Path]:
    """The file itself, or all Parquet files below a folder in the order of their names."""
    if path.is_dir():
        yield from (path / name for name in sorted(_names(path)) if name.endswith(SUFFIX))
    else:
        yield path


def is_parquet_folder(path: Path) -> bool:
    """Whether all that a folder holds is Parquet files; notes of other tools, such as _SUCCESS, do not count."""
    names = list(_names(path))
    return bool(names) and all(name.endswith(SUFFIX) for name in names)


def _names(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        inside = Path(folder).relative_to(root)
        yield from ((inside / name).as_posix() for name in names if not name.startswith((".", "_")))


def read_parquet_files(source: Source, columns: Columns) -> Iterator[Document]:
    """The documents of all files below a folder, one after the other; ids count through unless there is a column."""
    assert source.path is not None
    before = 0
    for path in parquet_paths(source.path):
        mine, number = replace(source, path=path), 0
        with mine.opened() as stream:
            for number, document in enumerate(read_rows(mine, stream, columns, before=before), 1):  # noqa: B007
                yield document
        before += number
