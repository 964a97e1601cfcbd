"""One file for arrays and JSON: written to a temporary name and renamed; reading it runs no code."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from partwise.storage.atomic import atomic
from partwise.storage.npy import read_npy_header
from partwise.types import Array

LEVEL = 1
"""Of compression: twice as fast as the usual 6, for files that are a twentieth larger (20,000 articles, 20 topics)."""
SAMPLE, SHRUNK = 2**16, 0.8
"""An array is compressed where its first bytes become this much of their number or less; weights of terms do not."""
BOMB, DENSEST = 2**26, 300
"""More bytes than this, in a file of less than a 300th of them, are refused: at our level zeros take a 229th."""
HEADER_BOMB, DENSEST_HEADER = 2**22, 20
"""The same for the JSON header, which takes up to twenty times its bytes in memory; rows of numbers take a tenth."""


class Damaged(ValueError):
    """The content of a file cannot be read, or was not written by partwise."""


class Draft:
    """An archive in memory that is begun with some arrays, before the others and the header are known."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.file, self.names = io.BytesIO(), frozenset(arrays)
        self.archive = _created(self.file)
        _add(self.archive, arrays)


def write(
    path: str | os.PathLike[str],
    kind: str,
    number: int,
    meta: Any,
    arrays: Mapping[str, Array],
    draft: Draft | None = None,
) -> None:
    """Save arrays and JSON under a kind and the version ``number`` of its layout; a draft is used up by it."""
    content = members(kind, number, meta, arrays, () if draft is None else draft.names)
    with atomic(path) as file:
        with _created(file) if draft is None else draft.archive as archive:
            _add(archive, content)
        if draft is not None:
            file.write(draft.file.getbuffer())


def _created(file: IO[bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)


def _add(archive: zipfile.ZipFile, arrays: Mapping[str, Array]) -> None:
    for name, array in arrays.items():
        archive.compression = zipfile.ZIP_DEFLATED if _shrinks(array) else zipfile.ZIP_STORED
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def _shrinks(array: Array) -> bool:
    """Whether an array is worth compressing."""
    sample = array.flat[: SAMPLE // max(array.itemsize, 1)].tobytes()
    return len(zlib.compress(sample, LEVEL)) <= SHRUNK * len(sample)


def members(
    kind: str, number: int, meta: Any, arrays: Mapping[str, Array], others: Iterable[str] = ()
) -> dict[str, Any]:
    """The members of such a file: the arrays, and one more with the bytes of the JSON header, which names all."""
    names = sorted({*arrays, *others})
    header = json.dumps({"kind": kind, "version": number, "arrays": names, "meta": meta}, ensure_ascii=False)
    return {"header": np.frombuffer(header.encode(), np.uint8), **arrays}


def kind(path: str | os.PathLike[str]) -> str | None:
    """The kind in the header of a file, or None where it has no such header."""
    try:
        with Path(path).open("rb") as file, _opened(file) as archive:
            return str(json.loads(_array(archive, "header.npy").tobytes())["kind"])
    except Exception:  # a damaged archive can raise nearly anything; ``read`` says what is wrong
        return None


def read(path: str | os.PathLike[str], kind: str, layout: int) -> tuple[Any, dict[str, Array], int]:
    """(meta, arrays, layout) of a file of this kind; every other file, and a newer layout, is refused in a sentence."""
    try:
        with Path(path).open("rb") as file, _opened(file) as archive:
            header = json.loads(_array(archive, "header.npy").tobytes())
            actual, written, meta = str(header["kind"]), int(header["version"]), header["meta"]
            names = sorted(name.removesuffix(".npy") for name in archive.namelist() if name != "header.npy")
            if names != header.get("arrays", names):  # before any is read: it could be of any size
                raise ValueError("There are other arrays than those that were written.")
            arrays = {name: _array(archive, f"{name}.npy") for name in names}
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder, not a {kind} file.") from None
    except PermissionError:
        raise PermissionError(f"The file {path} may not be read.") from None
    except Exception:  # a damaged archive can raise nearly anything, from zipfile, zlib, json and numpy
        raise Damaged(f"{path} is not a {kind} file, or it is damaged.") from None
    if actual != kind:
        raise ValueError(f"{path} holds a {actual}, not a {kind}.")
    if written > layout:
        raise ValueError(f"{path} was written by a newer partwise (layout {written}, this one reads {layout}); update.")
    return meta, arrays, written


def _opened(file: IO[bytes]) -> zipfile.ZipFile:
    """The archive, unless its members would take far more memory than those of any file that is saved."""
    archive, stored = zipfile.ZipFile(file), os.fstat(file.fileno()).st_size
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    too_large = sum(sizes.values()) > max(BOMB, DENSEST * stored)
    if too_large or sizes["header.npy"] > max(HEADER_BOMB, DENSEST_HEADER * stored):
        raise ValueError("The arrays would take far more memory than any that are saved.")
    return archive


def _array(archive: zipfile.ZipFile, name: str) -> Array:
    """One array, which must fill its member: zipfile compares the checksum at the end of it."""
    with archive.open(name) as member:
        shape, dtype = read_npy_header(member)
        if member.tell() + math.prod(shape) * dtype.itemsize != archive.getinfo(name).file_size:
            raise ValueError("The array is not as long as its header says.")
    with archive.open(name) as member:
        array: Array = np.lib.format.read_array(member, allow_pickle=False)
        return array
