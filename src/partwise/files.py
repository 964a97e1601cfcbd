"""One file for arrays and JSON: written to a temporary name and renamed, read without running anything."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from partwise.types import Array


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when it is whole; what was there before stays until then."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"The folder {target.parent} does not exist; make it first.")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write(path: str | os.PathLike[str], kind: str, number: int, meta: Any, arrays: Mapping[str, Array]) -> None:
    """Save arrays and JSON under a kind and the version ``number`` of its layout."""
    head = json.dumps({"kind": kind, "version": number, "meta": meta}, ensure_ascii=False)
    with atomic(path) as file:
        members: dict[str, Any] = {"header": np.frombuffer(head.encode(), np.uint8), **arrays}
        np.savez_compressed(file, **members)


def read(path: str | os.PathLike[str], kind: str, number: int) -> tuple[Any, dict[str, Array]]:
    """(meta, arrays) of a file of this kind; every other file is refused in a sentence."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays.pop("header").tobytes())
        found, made = head["kind"], head["version"]
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder, not a {kind} file.") from None
    except PermissionError:
        raise PermissionError(f"The file {path} may not be read.") from None
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        zipfile.BadZipFile,
        _ZlibError,
    ):
        raise ValueError(f"{path} is not a {kind} file, or it is damaged.") from None
    if found != kind:
        raise ValueError(f"{path} holds a {found}, not a {kind}.")
    if made > number:
        raise ValueError(f"{path} was written by a newer partwise (layout {made}, this one reads {number}); update.")
    return head["meta"], arrays


try:
    from zlib import error as _ZlibError
except ImportError:  # a Python built without zlib has no compressed files either
    _ZlibError = zipfile.BadZipFile  # type: ignore[misc, assignment]
