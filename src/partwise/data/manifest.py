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

from partwise.types import Array

KIND, LAYOUT, MANIFEST = "partwise matrix", 1, "manifest.json"
ARRAYS = ("indptr", "indices", "values")
ORDERS = ("rows", "columns")
"""A part as CSR of its long rows, and as CSR of its transpose."""


@dataclass(frozen=True)
class Stored:
    """What the manifest says. The long axis of the matrix gives the rows here; ``long`` is that axis in A."""

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
        """Read the manifest of a folder; every other folder or file is refused in a sentence."""
        folder = Path(path)
        manifest = folder / MANIFEST
        if not folder.exists():
            raise FileNotFoundError(f"There is no folder {folder}.")
        if not manifest.is_file():
            raise ValueError(f"{folder} is not a {KIND}: it has no {MANIFEST}; make one with partwise convert.")
        try:
            told = json.loads(manifest.read_text(encoding="utf-8"))
            kind, layout = str(told["kind"]), int(told["version"])
            files = {str(name): (int(count), int(crc)) for name, (count, crc) in told["files"].items()}
            found = cls(
                folder,
                (int(told["shape"][0]), int(told["shape"][1])),
                int(told["long"]),
                np.dtype(told["dtype"]),
                bool(told["sparse"]),
                int(told["nnz"]),
                tuple(map(int, told["edges"])),
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
                raise FileNotFoundError(
                    f"{folder / name} is missing, which {MANIFEST} names; convert the matrix again."
                )
        return found

    @property
    def digest(self) -> str:
        """A hash of the shape and of every file's checksum."""
        told = json.dumps([self.shape, self.long, self.dtype.name, sorted(self.files.items())])
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.edges) - 1

    def names(self, part: int, order: str) -> list[str]:
        """The files of a part in one order."""
        return [file_name(part, order, array) for array in (ARRAYS if self.sparse else ARRAYS[2:])]

    def read(self, name: str, out: Array | None = None) -> Array:
        """One array, into the front of ``out`` where that is given; compared with its checksum at the first reading."""
        path = self.folder / name
        try:
            with path.open("rb") as file:
                dtype = _header(file)
                count = self.files[name][0]
                array: Any = np.empty(count, dtype) if out is None else out[:count]
                whole = array.dtype == dtype and file.readinto(array) == array.nbytes and not file.read(1)
        except FileNotFoundError:
            raise FileNotFoundError(_missing(path)) from None
        except (OSError, ValueError, KeyError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None
        if not whole or (name not in self.seen and zlib.crc32(array) != self.files[name][1]):
            raise ValueError(f"{path} is damaged or belongs to another matrix; convert the matrix again.")
        self.seen.add(name)
        found: Array = array
        return found

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


def _header(file: Any) -> np.dtype[Any]:
    """Pass over the header of a one-dimensional .npy file."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    _, _, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds objects, not numbers.")
    return np.dtype(dtype)
