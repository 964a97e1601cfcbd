"""The one way a kernel is compiled: without the interpreter lock, cached on disk where that is possible."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile ``function`` on first use; an install without a writable cache compiles anew in each process."""
    try:
        compiled: F = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    return compiled
