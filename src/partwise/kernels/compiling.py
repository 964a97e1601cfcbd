"""What compiling costs this process, and who is told while it goes on; :mod:`partwise.kernels.jit` says when it does.

numba compiles one kernel at a time, so all of this happens under its lock. It makes many objects that live on, which
the garbage collector would walk again and again; so that waits until the kernel is compiled.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class Compiling:
    """Counts the kernels of this package that are compiled, and the seconds that they take."""

    def __init__(self) -> None:
        self.kernels, self.seconds = 0, 0.0
        self.watchers: list[Callable[[bool], None]] = []
        self._depth, self._began, self._collects = 0, 0.0, False

    def begin(self, module: str | None) -> None:
        """A kernel of a module, or what is compiled on its way, is begun; what somebody made by exec has no module."""
        if not self._depth and not (module or "").startswith("partwise."):
            return
        self._depth += 1
        if self._depth == 1:
            self._began, self._collects = time.perf_counter(), gc.isenabled()
            gc.disable()
            self.tell(True)

    def end(self) -> None:
        """It is compiled, or cannot be."""
        if not self._depth:
            return
        self._depth -= 1
        if not self._depth:
            if self._collects:
                gc.enable()
            self.kernels += 1
            self.seconds += time.perf_counter() - self._began
            self.tell(False)

    def tell(self, busy: bool) -> None:
        """Whether something is being compiled, to all who watch."""
        for watcher in list(self.watchers):
            watcher(busy)


COMPILING = Compiling()
"""The count of this process."""


def compile_seconds() -> float:
    """The seconds that this process has spent compiling kernels so far."""
    return COMPILING.seconds


def compiled_kernels() -> int:
    """How many kernels this process has compiled so far."""
    return COMPILING.kernels


@contextmanager
def watched(watcher: Callable[[bool], None]) -> Iterator[None]:
    """``watcher(True)`` when a kernel begins to be compiled while the context lasts, ``watcher(False)`` at its end."""
    COMPILING.watchers.append(watcher)
    try:
        yield
    finally:
        with suppress(ValueError):
            COMPILING.watchers.remove(watcher)
