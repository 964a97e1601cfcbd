"""Matrices from files or stdin, and whether a file holds a matrix or texts."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from partwise.data.disk import open_matrix
from partwise.data.write import ArrayOrSparse
from partwise.io.read_matrix import EMPTY, FORMATS, READABLE, is_number, read_matrix, suffix_of
from partwise.storage.gzipped import open_bytes
from partwise.types import Data

KINDS = ", ".join(suffix[1:] for suffix in FORMATS)
MATRIX_HELP = f"Terms × documents: a file ({KINDS}), or a folder that convert made; - is stdin."


def matrix_from(path: str) -> ArrayOrSparse | Data:
    """The matrix in a file, in a folder of `convert`, or on stdin, whose format is recognised by its first bytes."""
    if Path(path).is_dir():
        return open_matrix(path)
    if path != "-":
        return read_matrix(path)
    content = sys.stdin.buffer.read()
    if not content:
        raise ValueError(f"Nothing came from stdin; send a matrix as {READABLE}.")
    plain = ".tsv" if b"\t" in content.partition(b"\n")[0] else ".csv"
    known = ((suffix, form.first_bytes) for suffix, form in FORMATS.items() if form.first_bytes)
    suffix = next((suffix for suffix, sign in known if content.startswith(sign)), plain)
    with tempfile.TemporaryDirectory(prefix="partwise-") as folder:
        copy = Path(folder, "stdin" + suffix)
        copy.write_bytes(content)
        return read_matrix(copy)


def is_matrix(path: str) -> bool:
    """Whether a file holds a matrix: by its name, and a table of numbers by its first row of cells."""
    suffix = suffix_of(path)
    if suffix not in FORMATS or not FORMATS[suffix].or_texts:
        return suffix in FORMATS
    if not Path(path).is_file():
        return False
    return _numbers_in_parquet(path) if suffix == ".parquet" else _numbers_in_table(path, suffix)


def _numbers_in_table(path: str, suffix: str) -> bool:
    """Whether all cells of the second line but the first are numbers."""
    with open_bytes(Path(path)) as file:
        lines = [file.readline(1 << 16) for _ in range(2)]
    cells = (lines[1] or lines[0]).decode("utf-8", "replace").strip().split("\t" if suffix == ".tsv" else ",")
    numbers = [is_number(cell) for cell in cells[1:] or cells]
    return any(numbers) and all(
        there or cell.strip() in EMPTY for there, cell in zip(numbers, cells[1:] or cells, strict=True)
    )


def _numbers_in_parquet(path: str) -> bool:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        return False
    import pyarrow.types as kinds

    try:
        columns = parquet.read_schema(path).types
    except (OSError, ValueError):
        return False  # the reader says what is wrong with it
    return all(kinds.is_integer(kind) or kinds.is_floating(kind) for kind in columns[1:] or columns)
