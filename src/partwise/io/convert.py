"""Matrix files of any size to a matrix on disk: entries are sorted into parts through files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.manifest import Stored
from partwise.data.write import PART_BYTES, new_folder, partial, write_matrix
from partwise.io.entries import Chunk, Entries, read_entries
from partwise.io.matrices import read_matrix

ENTRY = np.dtype([("long", np.int64), ("short", np.int64), ("value", np.float64)])
LEAST_LIMIT = 2**24


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    long: int | None = None,
    memory_limit: int = 2**30,
) -> Stored:
    """Store a matrix file as a matrix on disk within about ``memory_limit`` bytes.

    Matrix Market files, scipy's npz and Parquet files of row, column and value are read as streams of entries and
    sorted into parts through temporary files beside the finished parts; npy arrays are read in slices. ``long`` is the
    axis that the parts run along, the longer one unless given.
    """
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if memory_limit < LEAST_LIMIT:
        raise ValueError(f"memory_limit must be at least {LEAST_LIMIT:,} bytes, not {memory_limit:,}.")
    place = new_folder(target)
    part_bytes = min(PART_BYTES, memory_limit // 16)
    mark = f"{path.name}, {path.stat().st_size} bytes, {path.stat().st_mtime_ns}"
    entries = read_entries(path)
    shape = read_matrix(path).shape if entries is None else entries.shape
    axis = (0 if shape[0] > shape[1] else 1) if long is None else long
    if entries is None:
        return write_matrix(place, read_matrix(path), long=axis, part_bytes=part_bytes, source=mark)
    folder = partial(place) / "sorting"
    try:
        blocks = sorted_blocks(path, entries, axis, part_bytes, folder)
        return write_matrix(place, blocks, long=axis, part_bytes=part_bytes, source=mark)
    except BlockingIOError:  # they are another's files
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def sorted_blocks(path: Path, entries: Entries, axis: int, part_bytes: int, folder: Path) -> Iterator[Any]:
    """Blocks along the axis, in order: entries are first written to a file for each range, then read range by range."""
    length, short = entries.shape[axis], entries.shape[1 - axis]
    ranges = int(np.clip(4 * entries.count * ENTRY.itemsize // part_bytes, 1, min(length, 512)))
    step = -(-length // ranges)
    shutil.rmtree(folder, ignore_errors=True)  # what a killed process left
    folder.mkdir()
    files = [folder / f"{number:04d}" for number in range(ranges)]
    for chunk in entries.chunks():
        _scatter(_checked(path, chunk, entries.shape, axis), step, files)
    for number, file in enumerate(files):
        first, end = number * step, min((number + 1) * step, length)
        if first >= end:
            break
        found = np.fromfile(file, ENTRY) if file.exists() else np.empty(0, ENTRY)
        rows = sp.csr_array(
            (found["value"], (found["long"] - first, found["short"])), shape=(end - first, short)
        )  # entries given twice are summed
        yield rows if axis == 0 else rows.T
        file.unlink(missing_ok=True)
    folder.rmdir()


def _checked(path: Path, chunk: Chunk, shape: tuple[int, int], axis: int) -> Any:
    """Entries as records along the axis; one outside the matrix or not a number ≥ 0 is named."""
    i, j, values = chunk
    inside = (i >= 0) & (i < shape[0]) & (j >= 0) & (j < shape[1])
    sound = inside & (values >= 0) & np.isfinite(values)
    if not sound.all():
        p = int(np.argmin(sound))
        where = f"the entry at row {i[p]}, column {j[p]}"
        what = f"is {values[p]:g}; entries must be nonnegative and finite" if inside[p] else "lies outside the matrix"
        raise ValueError(f"{path}: {where} {what}.")
    made = np.empty(len(values), ENTRY)
    made["long"], made["short"], made["value"] = (i, j, values) if axis == 0 else (j, i, values)
    return made


def _scatter(entries: Any, step: int, files: list[Path]) -> None:
    """Append each entry to the file of its range."""
    number = entries["long"] // step
    order = np.argsort(number, kind="stable")
    entries, number = entries[order], number[order]
    for some in np.split(entries, np.flatnonzero(np.diff(number)) + 1):
        if len(some):
            with files[int(some["long"][0] // step)].open("ab") as file:
                file.write(some.tobytes())  # tofile does not say why it could not write
