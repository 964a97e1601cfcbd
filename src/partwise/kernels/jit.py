"""The one way a kernel is compiled: without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use; an install without a writable cache compiles anew in each process."""
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    return compiled
