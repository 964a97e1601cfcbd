"""Sparse matrix files as streams of (row, column, value) triplets, never completely in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from partwise.data.sparse_structure import check_pointers, check_whole
from partwise.io.read_matrix import is_number
from partwise.storage.gzipped import open_text
from partwise.storage.npy import read_npy_header
from partwise.types import Array

CHUNK = 2**18
"""Triplets in a chunk."""
Chunk = tuple[Array, Array, Array]


@dataclass(frozen=True)
class Triplets:
    """A sparse matrix as chunks of (rows, columns, values), in any order; ``count`` is the expected number."""

    shape: tuple[int, int]
    count: int
    chunks: Callable[[], Iterator[Chunk]]


def read_triplets(path: Path) -> Triplets | None:
    """The triplets of a Matrix Market, npz or Parquet file; None for a file in another format."""
    name = path.name.lower()
    if name.endswith((".mtx", ".mtx.gz")):
        return _matrix_market(path)
    if name.endswith(".npz"):
        return _npz(path)
    return _parquet(path) if name.endswith(".parquet") else None


def _matrix_market(path: Path) -> Triplets | None:
    with open_text(path, "latin-1") as file:
        head = file.readline().lower().split()
        if head[:2] != ["%%matrixmarket", "matrix"] or len(head) < 5:
            raise ValueError(f"{path}, line 1: this is not a Matrix Market file.")
        layout, field, symmetry = head[2:5]
        if layout != "coordinate":
            return None
        if field == "complex" or symmetry not in ("general", "symmetric"):
            raise ValueError(f"{path}, line 1: {field} {symmetry} entries are not those of a nonnegative matrix.")
        first = next(number for number, line in enumerate(file, 2) if not line.startswith("%") and line.strip())
    sizes = _line(path, first).split()
    if len(sizes) != 3 or not all(size.isdigit() for size in sizes):
        raise ValueError(f"{path}, line {first}: three sizes should stand here, not {' '.join(sizes)!r}.")
    rows, columns, count = map(int, sizes)

    def chunks() -> Iterator[Chunk]:
        number = first + 1
        with open_text(path, "latin-1") as file:
            lines = islice(file, first, None)
            while batch := list(islice(lines, CHUNK)):
                i, j, values = _parsed(path, number, batch, pattern=field == "pattern")
                yield i, j, values
                if symmetry == "symmetric":
                    off = i != j
                    yield j[off], i[off], values[off]
                number += len(batch)

    return Triplets((rows, columns), count * (2 if symmetry == "symmetric" else 1), chunks)


def _parsed(path: Path, first: int, lines: list[str], pattern: bool) -> Chunk:
    """The triplets of consecutive lines; an error names the first line that is not one."""
    width = 2 if pattern else 3
    try:
        table = np.array([line.split()[:width] for line in lines if line.strip()], np.float64).reshape(-1, width)
    except ValueError:
        for number, line in enumerate(lines, first):
            cells = line.split()
            if line.strip() and (len(cells) < width or not all(is_number(cell) for cell in cells)):
                raise ValueError(f"{path}, line {number}: {line.strip()[:60]!r} is not an entry.") from None
        raise
    i, j = (table[:, c].astype(np.int64) - 1 for c in (0, 1))
    return i, j, np.ones(len(table)) if pattern else table[:, 2]


def _line(path: Path, number: int) -> str:
    with open_text(path, "latin-1") as file:
        return next(islice(file, number - 1, None))


def _npz(path: Path) -> Triplets | None:
    """scipy's csr, csc and coo files; ``indptr`` is read completely, the entries in chunks."""
    try:
        with np.load(path, allow_pickle=False) as file:
            kind = str(file["format"].item().decode()) if "format" in file.files else ""
            if kind not in ("csr", "csc", "coo"):
                return None
            shape = tuple(int(size) for size in file["shape"])
            indptr = file["indptr"] if kind != "coo" else None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read as an npz matrix: {error}") from None
    names = ["row.npy", "col.npy", "data.npy"] if indptr is None else ["indices.npy", "data.npy"]
    count = _stored_count(path, names)
    if indptr is not None:
        axis = 0 if kind == "csr" else 1
        check_pointers(indptr, shape[axis], count, axis, f"The sparse matrix in {path}")

    def chunks() -> Iterator[Chunk]:
        at = 0
        for arrays in _members(path, names):
            if indptr is None:
                yield arrays[0].astype(np.int64), arrays[1].astype(np.int64), arrays[2]
                continue
            places = np.arange(at, at + len(arrays[0]))
            outer = np.searchsorted(indptr, places, "right") - 1
            inner = arrays[0].astype(np.int64)
            at += len(places)
            yield (outer, inner, arrays[1]) if kind == "csr" else (inner, outer, arrays[1])

    return Triplets((shape[0], shape[1]), count, chunks)


def _stored_count(path: Path, names: list[str]) -> int:
    """The number of triplets in an npz; its index arrays must be whole numbers, as many as the values."""
    label = f"The sparse matrix in {path}"
    headers = []
    try:
        with zipfile.ZipFile(path) as archive:
            for name in names:
                with archive.open(name) as member:
                    headers.append(read_npy_header(member))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read as an npz matrix: {error}") from None
    for name, (_, dtype) in zip(names[:-1], headers, strict=False):
        check_whole(np.empty(0, dtype), name.removesuffix(".npy"), label)
    counts = {shape[0] for shape, _ in headers}
    if len(counts) > 1:
        raise ValueError(f"{label} is malformed: its indices and values are not of one length; write it again.")
    return counts.pop()


def _members(path: Path, names: list[str]) -> Iterator[list[Array]]:
    """Arrays of an npz side by side, in chunks."""
    with ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(path))
        members = [stack.enter_context(archive.open(name)) for name in names]
        headers = [read_npy_header(member) for member in members]
        left = headers[0][0][0]
        while left:
            count = min(left, CHUNK)
            pairs = zip(members, headers, strict=True)
            yield [np.frombuffer(member.read(count * dtype.itemsize), dtype) for member, (_, dtype) in pairs]
            left -= count


def _parquet(path: Path) -> Triplets:
    """Columns row, column and value, counted from 0."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ValueError(f"Reading {path} needs pyarrow; install partwise[parquet].") from None
    try:
        file = ParquetFile(path)
    except Exception as error:  # pyarrow's own errors, which are many
        raise ValueError(f"{path} cannot be read as a Parquet file: {error}") from None
    wanted = ["row", "column", "value"]
    if not set(wanted) <= set(file.schema_arrow.names):
        columns = ", ".join(file.schema_arrow.names)
        raise ValueError(f"{path} must have the columns row, column and value; it has {columns}.")

    def chunks() -> Iterator[Chunk]:
        for batch in file.iter_batches(CHUNK, columns=wanted):
            i, j, values = (batch.column(c).to_numpy(zero_copy_only=False) for c in range(3))
            yield i.astype(np.int64), j.astype(np.int64), values

    ends = [(int(i.max()), int(j.max())) for i, j, _ in chunks() if len(i)]
    if not ends:
        raise ValueError(f"{path} has no entries.")
    return Triplets((max(i for i, _ in ends) + 1, max(j for _, j in ends) + 1), file.metadata.num_rows, chunks)
