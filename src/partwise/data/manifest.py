"""A matrix on disk: a folder of parts along its long axis, each in both orders, and a manifest that names them."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp

from partwise.data.sparse_structure import check_structure
from partwise.storage.npy import read_npy_header
from partwise.storage.settings import Reader
from partwise.storage.targets import check_path
from partwise.types import Array

KIND, LAYOUT, MANIFEST = "partwise matrix", 2, "manifest.json"
"""Layout 2 is that of a matrix with weights or unknown entries; any other has layout 1."""
ARRAYS = ("indptr", "indices", "values")
SPECIAL = ("special-indptr", "special-indices", "special-values", "special-weights")
"""The entries whose weight is not the usual one, and how much theirs is more or less (see ``data/observed``)."""
FACTS = {"row_norms2": "norms2", "row_sums": "sums"}
"""What is summed over each row when a matrix is stored, and for which file;"""
WEIGHTED_FACTS = FACTS | {"row_weights": "weights", "row_counts": "counts", "row_logs": "logs"}
"""the same where entries have weights."""
ORDERS = ("rows", "columns")
"""A part is stored twice: as CSR of its rows along the long axis, and as CSR of its transpose."""


@dataclass(frozen=True)
class Known:
    """Weights and unknown entries of a matrix on disk."""

    outside: float
    """The weight of all entries but the special ones."""
    missing: str | None
    base: bool
    """Whether all entries are stored beside the special ones."""


@dataclass(frozen=True)
class Stored:
    """The manifest of a matrix on disk. The rows of its parts run along the long axis of A, which is ``long``."""

    folder: Path
    sides: tuple[int, int]
    """(long, short)"""
    long: int
    dtype: np.dtype[Any]
    sparse: bool
    nnz: int
    edges: tuple[int, ...]
    """The first row of each part, and the end."""
    files: dict[str, tuple[int, int]]
    """File name -> (numbers in it, CRC-32 of its bytes)."""
    known: Known | None = None
    """Of a matrix with weights or unknown entries, what the others weigh."""
    seen: set[str] = field(default_factory=set, repr=False, compare=False)
    """The files whose checksum has been compared."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Stored:
        """Read the manifest of a folder; any other folder or file is refused."""
        check_path(path)
        folder = Path(path)
        manifest = folder / MANIFEST
        if not folder.exists():
            raise FileNotFoundError(f"There is no folder {folder}.")
        if not manifest.is_file():
            raise ValueError(f"{folder} is not a {KIND}: it has no {MANIFEST}; make one with partwise convert.")
        try:
            header = json.loads(manifest.read_text(encoding="utf-8"))
            check = header.pop("check", None)  # which a matrix of version 0.1 does not have
            kind, layout = str(header["kind"]), int(header["version"])
            files = {_plain(name): (int(count), int(crc)) for name, (count, crc) in header["files"].items()}
            stored = cls(
                folder,
                (int(header["shape"][0]), int(header["shape"][1])),
                int(header["long"]),
                np.dtype(header["dtype"]),
                bool(header["sparse"]),
                int(header["nnz"]),
                tuple(map(int, header["edges"])),
                files,
                Reader().read(Known, header["known"]) if "known" in header else None,
            )
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise ValueError(f"{manifest} is not the manifest of a {KIND}, or it is damaged.") from None
        if kind != KIND:
            raise ValueError(f"{manifest} describes a {kind}, not a {KIND}.")
        if layout > LAYOUT:
            raise ValueError(
                f"{manifest} was written by a newer partwise (layout {layout}, this one reads {LAYOUT}); update."
            )
        if not stored.sound or check not in (None, checksum(header)):
            raise ValueError(f"{manifest} is damaged: what it says does not fit together; convert the matrix again.")
        for name in files:
            if not (folder / name).is_file():
                raise FileNotFoundError(_missing(folder / name))
        return stored

    @property
    def sound(self) -> bool:
        """Whether sizes, borders and files are those of one matrix."""
        lengths = [end - first for first, end in pairwise(self.edges)]
        orders, parts = ORDERS if self.sparse else ORDERS[:1], range(max(0, self.parts))
        names = {name for part in parts for order in orders for name in self.names(part, order)}
        names |= {name for part in parts for order in ORDERS for name in self.special_names(part, order)}
        return (
            min(self.sides) >= 1
            and self.long in (0, 1)
            and self.dtype in (np.float32, np.float64)
            and self.edges[:1] == (0,)
            and self.edges[-1] == self.sides[0]
            and min(lengths, default=0) >= 1
            and {*names, *(f"{order}.norms2.npy" for order in ORDERS)} <= set(self.files)
            and all(self._fits(part, length, order) for part, length in enumerate(lengths) for order in orders)
            and min(count for count, _ in self.files.values()) >= 0
        )

    def _fits(self, part: int, length: int, order: str) -> bool:
        """Whether the arrays of a part in one order have the sizes of that many rows."""
        counts = [self.files[name][0] for name in self.names(part, order)]
        if not self.sparse:
            return counts in ([], [length * self.sides[1]])
        lines = length if order == ORDERS[0] else self.sides[1]
        return not counts or (counts[0] == lines + 1 and counts[1] == counts[2])

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of A."""
        return self.sides if self.long == 0 else self.sides[::-1]

    @property
    def digest(self) -> str:
        """A hash of the shape and of every file's checksum."""
        description = json.dumps([self.sides, self.long, self.dtype.name, sorted(self.files.items())])
        description += "" if self.known is None else repr(self.known)
        return hashlib.blake2b(description.encode(), digest_size=16).hexdigest()

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.edges) - 1

    def names(self, part: int, order: str) -> list[str]:
        """The files of a part in one order."""
        if self.known is not None and not self.known.base:
            return []
        return [file_name(part, order, array) for array in (ARRAYS if self.sparse else ARRAYS[2:])]

    def special_names(self, part: int, order: str) -> list[str]:
        """The files of a part's special entries in one order, where there are weights."""
        return [] if self.known is None else [file_name(part, order, array) for array in SPECIAL]

    def read(self, name: str, out: Array | None = None) -> Array:
        """Read one array, into the front of ``out`` if there is one; the first read compares its checksum."""
        path = self.folder / name
        with self._readable(path), path.open("rb") as file:
            count, dtype = self.files[name][0], self._dtype(file, name)
            array: Any = np.empty(count, dtype) if out is None else out[:count]
            complete = array.dtype == dtype and file.readinto(array) == array.nbytes and not file.read(1)
        if not complete or (name not in self.seen and zlib.crc32(array) != self.files[name][1]):
            raise ValueError(f"{path} is damaged or belongs to another matrix; convert the matrix again.")
        self.seen.add(name)
        return np.asarray(array)

    def checked(self, arrays: tuple[Array, Array, Array], shape: tuple[int, int]) -> sp.csr_array:
        """A CSR matrix over (values, indices, indptr); indices that lead out of it are refused."""
        name = f"A part of {self.folder}"
        try:
            matrix = sp.csr_array(arrays, shape=shape)
        except ValueError:
            raise ValueError(f"{name} is damaged; convert the matrix again.") from None
        check_structure(matrix, name)
        return matrix

    def view(self, name: str) -> Array:
        """One array as a memory map, for a few of its entries."""
        path, count = self.folder / name, self.files[name][0]
        if count == 0:
            return self.read(name)
        with self._readable(path), path.open("rb") as file:
            return np.asarray(np.memmap(file, self._dtype(file, name), "r", file.tell(), (count,)))

    def _dtype(self, file: IO[bytes], name: str) -> np.dtype[Any]:
        """The type of the numbers of a file, which stands at the first one then."""
        _, dtype = read_npy_header(file)
        if file.tell() + self.files[name][0] * dtype.itemsize != os.fstat(file.fileno()).st_size:
            raise ValueError("its length is not the one that was written.")
        if dtype.kind not in "fiu" or not dtype.isnative:  # all that is written here
            raise ValueError("its header is damaged.")
        return dtype

    @contextmanager
    def _readable(self, path: Path) -> Iterator[None]:
        """Turn what a file cannot be read for into a sentence."""
        try:
            yield
        except FileNotFoundError:
            raise FileNotFoundError(_missing(path)) from None
        except (OSError, ValueError, KeyError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
            raise ValueError(f"{path} cannot be read: {why}; convert the matrix again.") from None


def checksum(header: dict[str, Any]) -> int:
    """The CRC-32 of what a manifest says."""
    return zlib.crc32(json.dumps(header, sort_keys=True).encode())


def _plain(name: Any) -> str:
    """The name of a file in the folder itself."""
    if not isinstance(name, str) or Path(name).name != name:
        raise ValueError(name)
    return name


def _missing(path: Path) -> str:
    return f"{path} is missing, which {MANIFEST} names; convert the matrix again."


def file_name(part: int, order: str, array: str) -> str:
    """The name of one array of a part."""
    return f"{part:06d}.{order}.{array}.npy"
