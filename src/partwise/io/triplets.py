"""Sparse matrix files as streams of (row, column, value) triplets, never completely in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partwise.arguments import shortened
from partwise.data.sparse_structure import check_pointers, check_whole
from partwise.io.read_matrix import is_number, only_digits, unreadable
from partwise.storage.gzipped import open_bytes
from partwise.storage.npy import read_npy_header
from partwise.types import Array

CHUNK = 2**16
"""Triplets in a chunk."""
TEXT, LINE = 2**21, 2**16
"""Bytes of text that are parsed at a time, and of a line at the most."""
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
    with open_bytes(path) as file:
        head = file.readline(LINE).decode("latin-1").lower().split()
        if head[:2] != ["%%matrixmarket", "matrix"] or len(head) < 5:
            raise ValueError(f"{path}, line 1: this is not a Matrix Market file.")
        layout, field, symmetry = head[2:5]
        if layout != "coordinate":
            return None
        if field == "complex" or symmetry not in ("general", "symmetric"):
            raise ValueError(f"{path}, line 1: {field} {symmetry} entries are not those of a nonnegative matrix.")
        number, line = 2, file.readline(LINE)
        while line and (line.startswith(b"%") or not line.strip()):
            number, line = number + 1, file.readline(LINE)
        first = file.tell()
    sizes = line.split()
    if len(sizes) != 3 or not all(size.isdigit() and len(size) < 19 for size in sizes):
        stands = shortened(line.decode("latin-1").strip()) if line else "the end of the file"
        raise ValueError(f"{path}, line {number}: three sizes should stand here, not {stands!r}.")
    rows, columns, count = map(int, sizes)

    def chunks() -> Iterator[Chunk]:
        entries, at = 0, number + 1
        with open_bytes(path) as file:
            file.seek(first)
            while lines := file.read(TEXT) + file.readline(LINE):
                count_here = lines.count(b"\n") + (not lines.endswith(b"\n"))
                i, j, values = _parsed(path, at, count_here, lines, field, (rows, columns))
                entries, at = entries + len(i), at + count_here
                yield i, j, values
                if symmetry == "symmetric":
                    off = i != j
                    yield j[off], i[off], values[off]
        if entries != count:
            raise ValueError(
                f"{path} is damaged: its header says {count:,} entries and it holds {entries:,}; write it again."
            )

    return Triplets((rows, columns), count * (2 if symmetry == "symmetric" else 1), chunks)


def _parsed(path: Path, first: int, count: int, lines: bytes, field: str, shape: tuple[int, int]) -> Chunk:
    """The triplets of ``count`` lines, by scipy's compiled reader; an error names the first line that is not one."""
    from scipy.io import mmread  # imported late: only this format needs it

    width = 2 if field == "pattern" else 3
    if not only_digits(lines):
        return _parsed_one_by_one(path, first, lines, width)
    head = f"%%MatrixMarket matrix coordinate {field} general\n{shape[0]} {shape[1]} {count}\n"
    try:
        block = mmread(io.BytesIO(head.encode() + lines + b"\n"))  # it reads past a number that ends the file
    except (ValueError, OverflowError):
        return _parsed_one_by_one(path, first, lines, width)
    return block.row, block.col, block.data


def _parsed_one_by_one(path: Path, first: int, lines: bytes, width: int) -> Chunk:
    """The same, line by line: empty lines are skipped, and the first line that is no entry is named."""
    entries = []
    for number, line in enumerate(lines.decode("latin-1").splitlines(), first):
        cells = line.split()
        whole = all(cell.isdecimal() and len(cell) < 19 for cell in cells[:2])
        if cells and (len(cells) < width or not whole or not all(map(is_number, cells))):
            raise ValueError(f"{path}, line {number}: {shortened(line.strip())!r} is not an entry.")
        if cells:
            entries.append((int(cells[0]) - 1, int(cells[1]) - 1, float(cells[2]) if width > 2 else 1.0))
    i, j, values = zip(*entries, strict=True) if entries else ((), (), ())
    return np.array(i, np.int64), np.array(j, np.int64), np.array(values, np.float64)


def _npz(path: Path) -> Triplets | None:
    """scipy's csr, csc and coo files; ``indptr`` is read completely, the entries in chunks."""
    try:
        with np.load(path, allow_pickle=False) as file:
            form = np.asarray(file["format"]).item() if "format" in file.files else ""
            kind = form.decode() if isinstance(form, bytes) else str(form)
            if kind not in ("csr", "csc", "coo"):
                return None
            rows, columns = (int(size) for size in file["shape"])
            indptr = file["indptr"] if kind != "coo" else None
    except Exception as error:  # a damaged file can raise nearly anything, from zipfile, zlib and numpy
        raise unreadable(path, "npz", error) from None
    names = ["row.npy", "col.npy", "data.npy"] if indptr is None else ["indices.npy", "data.npy"]
    count = _stored_count(path, names)
    if indptr is not None:
        axis = 0 if kind == "csr" else 1
        check_pointers(indptr, (rows, columns)[axis], count, axis, f"The sparse matrix in {path}")

    def chunks() -> Iterator[Chunk]:
        at = 0
        for arrays in _members(path, names, count if indptr is None else int(indptr[-1])):
            if indptr is None:
                yield arrays[0].astype(np.int64), arrays[1].astype(np.int64), arrays[2]
                continue
            places = np.arange(at, at + len(arrays[0]))
            outer = np.searchsorted(indptr, places, "right") - 1
            inner = arrays[0].astype(np.int64)
            at += len(places)
            yield (outer, inner, arrays[1]) if kind == "csr" else (inner, outer, arrays[1])

    return Triplets((rows, columns), count, chunks)


def _stored_count(path: Path, names: list[str]) -> int:
    """The number of triplets in an npz; its index arrays must be whole numbers, as many as the values."""
    label = f"The sparse matrix in {path}"
    headers = []
    try:
        with zipfile.ZipFile(path) as archive:
            for name in names:
                with archive.open(name) as member:
                    headers.append(read_npy_header(member))
    except Exception as error:
        raise unreadable(path, "npz", error) from None
    for name, (_, dtype) in zip(names[:-1], headers, strict=False):
        check_whole(np.empty(0, dtype), name.removesuffix(".npy"), label)
    counts = {shape[0] for shape, _ in headers}
    if len(counts) > 1:
        raise ValueError(f"{label} is malformed: its indices and values are not of one length; write it again.")
    return counts.pop()


def _members(path: Path, names: list[str], end: int) -> Iterator[list[Array]]:
    """The first ``end`` numbers of arrays of an npz side by side, in chunks."""
    with ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(path))
        members = [stack.enter_context(archive.open(name)) for name in names]
        headers = [read_npy_header(member) for member in members]
        left = end
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
        raise ValueError(f"Reading {path} needs pyarrow; pip install 'partwise[text]'.") from None
    try:
        file = ParquetFile(path)
    except Exception as error:  # pyarrow's own errors, which are many
        raise unreadable(path, "parquet", error) from None
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
