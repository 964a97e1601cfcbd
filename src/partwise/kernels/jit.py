"""The one way a kernel is compiled: without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use; an install without a writable cache compiles anew in each process."""
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    _survive_a_full_disk(compiled)
    return compiled


def _survive_a_full_disk(compiled: Any) -> None:
    """A kernel that cannot be kept on disk is used all the same."""
    cache = getattr(compiled, "_cache", None)
    if cache is None:
        return
    save = cache.save_overload

    def save_if_possible(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    cache.save_overload = save_if_possible
