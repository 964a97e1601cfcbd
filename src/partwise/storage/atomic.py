"""Files that appear under their name only when they are complete; what was there before stays until then."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from partwise.storage.targets import check_target, is_stream, resolved, stream

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Full(OSError):
    """There is no room on the disk."""


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only when it is complete; an older one stays until then.

    A link is followed to the file it names. A device or a pipe is not replaced: it gets all bytes at the end.
    """
    check_target(path)
    with _full_disk_as_sentence(path), _copied_to_stream(path) if is_stream(path) else _renamed(resolved(path)) as file:
        yield file


@contextmanager
def _renamed(target: Path) -> Iterator[IO[bytes]]:
    handle, name = tempfile.mkstemp(prefix=f"{_mark(target)}-", suffix=".part", dir=target.parent)
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


@contextmanager
def _copied_to_stream(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A temporary file, since an archive is not written sequentially; its bytes are copied to the stream at the end."""
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        with stream(path) as target:
            shutil.copyfileobj(file, target)


@contextmanager
def _full_disk_as_sentence(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        why = f"{path} could not be written, there is no room for it ({error.strerror})"
        raise Full(f"{why}; what was there before is as it was.") from None


def is_full(error: OSError) -> bool:
    """Whether an error says that a disk is full."""
    return isinstance(error, Full) or error.errno in FULL


def leftovers(path: str | os.PathLike[str]) -> list[Path]:
    """The temporary files beside this one of processes that were killed while they wrote it."""
    target = resolved(path)
    return list(target.parent.glob(f"{glob.escape(_mark(target))}-????????.part"))


def _mark(target: Path) -> str:
    return f".partwise-{target.name[:100]}"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
