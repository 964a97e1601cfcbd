"""Convert a matrix file of any size to a matrix on disk: triplets are sorted into parts through temporary files."""

from __future__ import annotations

import gzip
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import whole_number
from partwise.data.entry_checks import check_shape
from partwise.data.manifest import Stored
from partwise.data.write import PART_BYTES, new_folder, partial, write_matrix
from partwise.io.read_matrix import read_matrix, unreadable
from partwise.io.triplets import Chunk, Triplets, read_triplets
from partwise.storage.targets import check_path
from partwise.types import Array

LEAST_LIMIT = 2**24
PROGRAM_BYTES, TEXT_PROGRAM_BYTES = 85 * 10**6, 130 * 10**6
"""What a process takes that only converts: Python, numpy, scipy and the command line; for texts numba too."""
MAPPED_BYTES = 2**23
"""How much of an npy file is mapped at a time."""


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    long: int | None = None,
    memory_limit: int = 2**30,
    missing: str | None = None,
    weights: str | os.PathLike[str] | None = None,
    unstored: float | None = None,
) -> Stored:
    """Store a matrix file as a matrix on disk with about ``memory_limit`` bytes of memory.

    The limit is for what is read and sorted, beside the process as it is. Matrix Market files, scipy's npz and Parquet
    files of row, column and value are read as streams of triplets and sorted into parts through temporary files beside
    the finished parts; npy arrays are read in slices. ``long`` is the axis that the parts run along, the longer one
    unless given. ``missing``, ``weights``, here a file of the same kind, and ``unstored`` are those of
    :func:`partwise.factorize` and stay with the matrix.
    """
    path = _existing(source)
    whole_number("memory_limit", memory_limit, LEAST_LIMIT)
    place = new_folder(target)
    sources = [path] if weights is None else [path, _existing(weights)]
    known = missing is not None or weights is not None
    part_bytes = min(PART_BYTES, memory_limit // (32 if known else 16))
    mark = "; ".join(f"{file.name}, {file.stat().st_size} bytes, {file.stat().st_mtime_ns}" for file in sources)
    streams = [read_triplets(file) for file in sources]
    shapes = [
        read_matrix(file).shape if stream is None else stream.shape
        for file, stream in zip(sources, streams, strict=True)
    ]
    for file, shape in zip(sources, shapes, strict=True):
        check_shape(shape, f"The matrix in {file}")
    if len(set(shapes)) > 1:
        raise ValueError(f"{sources[1]} is not of the shape of {path}; weights need the same rows and columns.")
    axis = (0 if shapes[0][0] > shapes[0][1] else 1) if long is None else long
    settings: dict[str, Any] = {"long": axis, "part_bytes": part_bytes, "source": mark}
    settings |= {"missing": missing, "unstored": unstored}
    if None in streams:
        matrix, *rest = [read_matrix(file) for file in sources]
        if isinstance(matrix, np.memmap) and not rest:
            return write_matrix(place, _Mapped(path, matrix), **settings)
        return write_matrix(place, matrix, weights=rest[0] if rest else None, **settings)
    folders = [partial(place) / f"sorting{number or ''}" for number in range(len(sources))]
    count = max(stream.count for stream in streams if stream is not None)
    try:
        blocks, *more = [
            sorted_blocks(file, stream, axis, part_bytes, folder, count, missing)
            for file, stream, folder in zip(sources, streams, folders, strict=True)
            if stream is not None
        ]
        return write_matrix(place, blocks, weights=more[0] if more else None, **settings)
    except BlockingIOError:  # another process is writing these files
        raise
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile) as error:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise unreadable(path, path.suffix.lstrip("."), error) from None
    except BaseException:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise


class _Mapped:
    """An npy file that is mapped anew for each band of it, so that what has been read does not stay resident."""

    def __init__(self, path: Path, array: Array) -> None:
        self._path, self.shape, self.dtype = path, array.shape, array.dtype
        self._slow = int(array.strides[0] < array.strides[1])
        self._band = max(1, MAPPED_BYTES // max(array.strides))

    def __getitem__(self, place: Any) -> Array:
        """A copy of some rows, or of some columns."""
        ranges = list(place) if isinstance(place, tuple) else [place, slice(None)]
        lo, hi, _ = ranges[self._slow].indices(self.shape[self._slow])
        bands = []
        for at in range(lo, hi, self._band):
            ranges[self._slow] = slice(at, min(at + self._band, hi))
            bands.append(np.array(np.load(self._path, mmap_mode="r", allow_pickle=False)[tuple(ranges)]))
        return np.concatenate(bands, self._slow)


def _existing(path: str | os.PathLike[str]) -> Path:
    """A file that is there."""
    check_path(path)
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file {path}.")
    return Path(path)


def sorted_blocks(
    path: Path, triplets: Triplets, axis: int, part_bytes: int, folder: Path, count: int, missing: str | None
) -> Iterator[sp.sparray]:
    """Sparse blocks along the axis, in order: triplets go to a file for each range, which is then read as one block.

    As many ranges as ``count`` triplets need, so that a matrix and its weights have the same ones.
    """
    length, short = triplets.shape[axis], triplets.shape[1 - axis]
    index = np.int32 if max(length, short) <= np.iinfo(np.int32).max else np.int64
    record = np.dtype([("long", index), ("short", index), ("value", np.float64)])
    ranges = int(np.clip(4 * count * record.itemsize // part_bytes, 1, min(length, 512)))
    step = -(-length // ranges)
    shutil.rmtree(folder, ignore_errors=True)  # left by a killed process
    folder.mkdir()
    files = [folder / f"{number:04d}" for number in range(ranges)]
    for chunk in triplets.chunks():
        _scatter(_checked(path, chunk, triplets.shape, axis, record, missing), step, files)
    for number, file in enumerate(files):
        first, end = number * step, min((number + 1) * step, length)
        if first >= end:
            break
        records = np.fromfile(file, record) if file.exists() else np.empty(0, record)
        rows = sp.csr_array(
            (records["value"], (records["long"] - first, records["short"])), shape=(end - first, short)
        )  # repeated entries are summed
        yield rows if axis == 0 else rows.T
        file.unlink(missing_ok=True)
    folder.rmdir()


def _checked(
    path: Path, chunk: Chunk, shape: tuple[int, int], axis: int, record: np.dtype[Any], missing: str | None
) -> Array:
    """Triplets as records along the axis; one outside the matrix, negative or not finite is refused."""
    i, j, values = chunk
    inside = (i >= 0) & (i < shape[0]) & (j >= 0) & (j < shape[1])
    sound = inside & (((values >= 0) & np.isfinite(values)) | (np.isnan(values) & (missing == "nan")))
    if not sound.all():
        p = int(np.argmin(sound))
        where = f"the entry at row {i[p]}, column {j[p]}"
        what = f"is {values[p]:g}; entries must be nonnegative and finite" if inside[p] else "lies outside the matrix"
        raise ValueError(f"{path}: {where} {what}.")
    records = np.empty(len(values), record)
    records["long"], records["short"], records["value"] = (i, j, values) if axis == 0 else (j, i, values)
    return records


def _scatter(records: Array, step: int, files: list[Path]) -> None:
    """Append each record to the file of its range."""
    number = (records["long"] // step).astype(np.uint16)
    if (number != number[:1]).any():
        order = np.argsort(number, kind="stable")  # a radix sort, in numbers of 16 bits
        records, number = records[order], number[order]
    edges = np.flatnonzero(np.diff(number)) + 1
    for lo, hi in pairwise([0, *edges.tolist(), len(records)]):
        if hi > lo:
            with files[number[lo]].open("ab") as file:
                file.write(records[lo:hi].view(np.uint8))  # tofile does not say why it could not write
