"""One process at a time on a path: a lock that the kernel releases when its process ends, however it ends."""

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
    """Hold a lock on ``path`` while the context lasts; where another process holds it, BlockingIOError says so.

    The lock is on a file beside the path; such a file that a killed process has left locks nothing.
    """
    handle = _acquire(path.with_name(path.name + ".lock"), path, what)
    try:
        yield
    finally:
        if handle is not None:
            path.with_name(path.name + ".lock").unlink(missing_ok=True)  # while it is ours, so nobody else's is removed
            os.close(handle)


def _acquire(lock: Path, path: Path, what: str) -> int | None:
    """The descriptor of the locked file; None on a file system without locks."""
    while fcntl is not None:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(handle, 20, 0).decode(errors="replace").strip()
            os.close(handle)
            if error.errno not in TAKEN:
                return None
            holder = f"another run (process {owner})" if owner.isdigit() else "another run"
            raise BlockingIOError(
                f"{what} {path} is being written by {holder}; wait until it has ended, or choose another path."
            ) from None
        if _is_at(lock, handle):
            with suppress(OSError):  # on a full disk the lock is one without a name in it
                os.pwrite(handle, str(os.getpid()).encode().ljust(20), 0)
            return handle
        os.close(handle)  # its holder removed it between our two calls
    return None


def _is_at(lock: Path, handle: int) -> bool:
    """Whether the open file still has its name, so that another process would meet the lock."""
    try:
        return os.path.samestat(lock.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
