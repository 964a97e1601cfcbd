"""The one way a kernel is compiled: without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba

STAMP = tuple(
    (path.name, path.stat().st_mtime, path.stat().st_size) for path in sorted(Path(__file__).parent.glob("*.py"))
)
"""All kernels as they stand: one of them is compiled into another, and numba looks at the outer one's file alone."""


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use; an install without a writable cache compiles anew in each process."""
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    cache = getattr(compiled, "_cache", None)
    if cache is not None:
        _forget_what_changed(cache)
        _survive_a_full_disk(cache)
    return compiled


def _forget_what_changed(cache: Any) -> None:
    """What is kept holds as long as no kernel's file has changed."""
    file = getattr(cache, "_cache_file", None)
    if STAMP and file is not None:
        file._source_stamp = STAMP


def _survive_a_full_disk(cache: Any) -> None:
    """A kernel that cannot be kept on disk is used all the same."""
    if not hasattr(cache, "save_overload"):
        return
    save = cache.save_overload

    def save_if_possible(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    cache.save_overload = save_if_possible
