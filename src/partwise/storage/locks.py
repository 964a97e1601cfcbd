"""One process at a time on a path: a lock that ends with its process, however that ends."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows there is no such lock, and nothing is refused
    fcntl = None  # type: ignore[assignment]

TAKEN = {errno.EAGAIN, errno.EACCES}


@contextmanager
def lock(path: Path, what: str) -> Iterator[None]:
    """Hold ``path`` while the context lasts; where another process holds it, that is said in a sentence.

    The lock is the kernel's, on a file beside the path: a file that a killed process has left locks nothing.
    """
    handle = _taken(path.with_name(path.name + ".lock"), path, what)
    try:
        yield
    finally:
        if handle is not None:
            path.with_name(path.name + ".lock").unlink(missing_ok=True)  # while it is ours, so nobody else's is removed
            os.close(handle)


def _taken(lock: Path, path: Path, what: str) -> int | None:
    """An open file that is locked and still has its name; None on a file system that knows no locks."""
    while fcntl is not None:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(handle, 20, 0).decode(errors="replace").strip()
            os.close(handle)
            if error.errno not in TAKEN:
                return None
            told = f" (process {owner})" if owner.isdigit() else ""
            raise BlockingIOError(
                f"{what} {path} is being written by another run{told}; wait until it has ended, or choose another path."
            ) from None
        if _named(lock, handle):
            with suppress(OSError):  # on a full disk the lock is one without a name in it
                os.pwrite(handle, str(os.getpid()).encode().ljust(20), 0)
            return handle
        os.close(handle)  # its holder removed it between our two calls
    return None


def _named(lock: Path, handle: int) -> bool:
    try:
        return os.path.samestat(lock.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
