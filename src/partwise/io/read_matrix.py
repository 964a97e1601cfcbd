"""Read a matrix from a file, by its format in ``FORMATS``; reading runs no code of the file's."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from partwise.arguments import shortened
from partwise.data.sparse_structure import check_structure, check_whole
from partwise.data.write import ArrayOrSparse
from partwise.io.gct import read_gct
from partwise.storage.gzipped import open_bytes, open_text
from partwise.storage.npy import read_npy_header
from partwise.storage.targets import check_path
from partwise.types import Array

INDICES = {"indices", "indptr", "row", "col", "offsets"}
"""Members of a sparse npz that scipy would convert to whole numbers without a word."""
EMPTY = ("", "NA", "N/A", "null")
"""Cells of a table that are unknown: NaN."""


def read_matrix(path: str | os.PathLike[str]) -> ArrayOrSparse:
    """A matrix from a file, a numpy array or a scipy sparse one; a file that cannot be read is refused."""
    check_path(path)
    path = Path(path)
    kind = suffix_of(path)
    if kind not in FORMATS:
        raise ValueError(f"{path} is not a matrix file that can be read: use {READABLE}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        return FORMATS[kind].read(path)
    except Exception as error:  # a damaged file can raise nearly anything, from zipfile, zlib and numpy
        raise unreadable(path, kind[1:], error) from None


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The suffix that names the format of a file, without a .gz behind it."""
    name = Path(path).name.lower()
    return Path(name.removesuffix(".gz")).suffix


def unreadable(path: Path, kind: str, error: Exception) -> ValueError:
    """What is raised for a file that cannot be read, with the reader's own reason."""
    why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return ValueError(f"{path} cannot be read as a {kind} matrix: {shortened(why, 200)}.")


def _npz(path: Path) -> ArrayOrSparse:
    with np.load(path, allow_pickle=False) as file:
        names = file.files
        if "format" not in names:
            if len(names) != 1:
                raise ValueError(f"it holds {len(names)} arrays ({', '.join(names)}), not one.")
            return file[names[0]]
        if not isinstance(form := file["format"].item(), (str, bytes)):
            raise ValueError(f"its format is {form!r}, not the name of one, such as csr")
        for name in INDICES & set(names):
            with file.zip.open(f"{name}.npy") as member:
                check_whole(np.empty(0, read_npy_header(member)[1]), name)
    matrix = sp.load_npz(path)
    check_structure(matrix)
    return matrix


def _npy(path: Path) -> Array:
    array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _mtx(path: Path) -> ArrayOrSparse:
    from scipy.io import mmread  # imported late: only this format needs it

    with open_bytes(path) as file:
        content = file.read() + b"\n"  # it reads past the end of a file that ends in a number
    body = 0
    while content.startswith(b"%", body):
        body = content.index(b"\n", body) + 1
    if not only_digits(content[body:]):
        for number, line in enumerate(content.split(b"\n"), 1):
            if not line.startswith(b"%") and not all(map(is_number, line.decode("latin-1").split())):
                raise ValueError(f"line {number}: {shortened(line.decode('latin-1').strip())!r} is not an entry.")
    return mmread(io.BytesIO(content))


def only_digits(lines: bytes) -> bool:
    """Whether lines of numbers hold nothing but digits, signs, points and exponents.

    scipy's reader of Matrix Market files ignores what stands behind the digits of a number, and a zero byte there ends
    the process.
    """
    return not lines.translate(None, b"0123456789+-.eE \t\r\n")


def _parquet(path: Path) -> Array:
    """Columns of numbers; a first column of names is skipped."""
    try:
        import pyarrow.parquet as parquet  # imported late: only this format needs it
    except ImportError:
        raise ValueError("that needs the package pyarrow: pip install 'partwise[text]'.") from None
    table = parquet.read_table(path)
    first = 1 if table.num_columns > 1 and table.column(0).to_numpy().dtype.kind not in "biuf" else 0
    columns = []
    for name, column in list(zip(table.column_names, table.columns, strict=True))[first:]:
        numbers = column.to_numpy()  # an empty cell is NaN
        if numbers.dtype.kind not in "biuf":
            raise ValueError(f"the column {name!r} holds {column.type}, not numbers.")
        columns.append(numbers)
    if not columns:
        raise ValueError("it has no columns.")
    return np.column_stack(columns)


def _delimited(path: Path) -> Array:
    """Numbers in rows; a first row or a first column of names is skipped."""
    delimiter = "\t" if suffix_of(path) == ".tsv" else ","
    with open_text(path, "utf-8") as file:
        rows = [line.rstrip("\r\n").split(delimiter) for line in file if line.strip()]
    if not rows:
        raise ValueError("it is empty.")
    first_row = 0 if all(is_number(cell) for cell in rows[0][1:] or rows[0]) else 1
    body = rows[first_row:]
    first_column = 0 if all(is_number(row[0]) or row[0].strip() in EMPTY for row in body) else 1
    width = len(body[0]) if body else 0
    for number, row in enumerate(body, first_row + 1):
        if len(row) != width:
            raise ValueError(f"line {number} has {len(row)} cells, the first row of numbers has {width}.")
        for cell in row[first_column:]:
            if not is_number(cell) and cell.strip() not in EMPTY:
                raise ValueError(f"line {number} holds {cell!r}, which is not a number.")
    return np.array([[float("nan" if cell.strip() in EMPTY else cell) for cell in row[first_column:]] for row in body])


def is_number(cell: str) -> bool:
    """Whether a cell of a table reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Format:
    """A kind of matrix file."""

    read: Callable[[Path], ArrayOrSparse]
    first_bytes: bytes | None = None
    """How such a file begins, by which it is recognised on stdin."""
    gzipped: bool = False
    """Whether it may have a .gz behind its suffix."""
    or_texts: bool = False
    """Whether such a file may hold texts instead."""


FORMATS = {
    ".npz": Format(_npz, b"PK"),
    ".npy": Format(_npy, b"\x93NUMPY"),
    ".parquet": Format(_parquet, b"PAR1", or_texts=True),
    ".mtx": Format(_mtx, b"%%MatrixMarket", gzipped=True),
    ".gct": Format(lambda path: read_gct(path).values, b"#1.", gzipped=True),
    ".csv": Format(_delimited, gzipped=True, or_texts=True),
    ".tsv": Format(_delimited, gzipped=True, or_texts=True),
}
"""Suffix -> format; add a line to add one."""


def _readable() -> str:
    plain = [suffix for suffix, form in FORMATS.items() if not form.gzipped]
    *others, last = [suffix for suffix, form in FORMATS.items() if form.gzipped]
    return f"{', '.join(plain + others)} or {last} (or one of the last {len(others) + 1} with .gz)"


READABLE = _readable()
