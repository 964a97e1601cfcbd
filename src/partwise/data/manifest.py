"""A matrix on disk: a folder of parts along its long axis, each in both orders, and a manifest that names them."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from partwise.storage.npy import read_npy_header
from partwise.types import Array

KIND, LAYOUT, MANIFEST = "partwise matrix", 1, "manifest.json"
ARRAYS = ("indptr", "indices", "values")
ORDERS = ("rows", "columns")
"""A part is stored twice: as CSR of its rows along the long axis, and as CSR of its transpose."""


@dataclass(frozen=True)
class Stored:
    """The manifest of a matrix on disk. Its rows run along the long axis of A, which is ``long``."""

    folder: Path
    shape: tuple[int, int]
    """(long, short)"""
    long: int
    dtype: np.dtype[Any]
    sparse: bool
    nnz: int
    edges: tuple[int, ...]
    """The first row of each part, and the end."""
    files: dict[str, tuple[int, int]]
    """File name -> (numbers in it, CRC-32 of its bytes)."""
    seen: set[str] = field(default_factory=set, repr=False, compare=False)
    """The files whose checksum has been compared."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Stored:
        """Read the manifest of a folder; any other folder or file is refused."""
        folder = Path(path)
        manifest = folder / MANIFEST
        if not folder.exists():
            raise FileNotFoundError(f"There is no folder {folder}.")
        if not manifest.is_file():
            raise ValueError(f"{folder} is not a {KIND}: it has no {MANIFEST}; make one with partwise convert.")
        try:
            header = json.loads(manifest.read_text(encoding="utf-8"))
            kind, layout = str(header["kind"]), int(header["version"])
            files = {str(name): (int(count), int(crc)) for name, (count, crc) in header["files"].items()}
            stored = cls(
                folder,
                (int(header["shape"][0]), int(header["shape"][1])),
                int(header["long"]),
                np.dtype(header["dtype"]),
                bool(header["sparse"]),
                int(header["nnz"]),
                tuple(map(int, header["edges"])),
                files,
            )
        except (ValueError, KeyError, TypeError, IndexError):
            raise ValueError(f"{manifest} is not the manifest of a {KIND}, or it is damaged.") from None
        if kind != KIND:
            raise ValueError(f"{manifest} describes a {kind}, not a {KIND}.")
        if layout > LAYOUT:
            raise ValueError(
                f"{manifest} was written by a newer partwise (layout {layout}, this one reads {LAYOUT}); update."
            )
        for name in files:
            if not (folder / name).is_file():
                raise FileNotFoundError(_missing(folder / name))
        return stored

    @property
    def digest(self) -> str:
        """A hash of the shape and of every file's checksum."""
        description = json.dumps([self.shape, self.long, self.dtype.name, sorted(self.files.items())])
        return hashlib.blake2b(description.encode(), digest_size=16).hexdigest()

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.edges) - 1

    def names(self, part: int, order: str) -> list[str]:
        """The files of a part in one order."""
        return [file_name(part, order, array) for array in (ARRAYS if self.sparse else ARRAYS[2:])]

    def read(self, name: str, out: Array | None = None) -> Array:
        """Read one array, into the front of ``out`` if there is one; the first read compares its checksum."""
        path = self.folder / name
        try:
            with path.open("rb") as file:
                _, dtype = read_npy_header(file)
                count = self.files[name][0]
                array: Any = np.empty(count, dtype) if out is None else out[:count]
                complete = array.dtype == dtype and file.readinto(array) == array.nbytes and not file.read(1)
        except FileNotFoundError:
            raise FileNotFoundError(_missing(path)) from None
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None
        if not complete or (name not in self.seen and zlib.crc32(array) != self.files[name][1]):
            raise ValueError(f"{path} is damaged or belongs to another matrix; convert the matrix again.")
        self.seen.add(name)
        return np.asarray(array)

    def view(self, name: str) -> Array:
        """One array as a memory map, for a few of its entries."""
        if self.files[name][0] == 0:
            return self.read(name)
        try:
            return np.asarray(np.load(self.folder / name, mmap_mode="r", allow_pickle=False))
        except (OSError, ValueError) as error:
            raise ValueError(f"{self.folder / name} cannot be read: {error}") from None


def _missing(path: Path) -> str:
    return f"{path} is missing, which {MANIFEST} names; convert the matrix again."


def file_name(part: int, order: str, array: str) -> str:
    """The name of one array of a part."""
    return f"{part:06d}.{order}.{array}.npy"
