"""What compiling costs this process, and who is told while it goes on; through numba's events (tried: 0.60 and 0.68).

numba compiles one kernel at a time, so all of this happens under its lock. It makes many objects that live on, which
the garbage collector would walk again and again; so that waits until the kernel is compiled.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from numba.core import event


class _Compiling(event.Listener):
    """Counts the kernels of this package that are compiled, and the seconds that they take."""

    def __init__(self) -> None:
        self.kernels, self.seconds = 0, 0.0
        self.watchers: list[Callable[[bool], None]] = []
        self._depth, self._began, self._collects = 0, 0.0, False

    def on_start(self, event: Any) -> None:
        """A kernel, or what is compiled on its way, is begun."""
        own = str(event.data["dispatcher"].py_func.__module__).startswith("partwise.")
        if not self._depth and not own:
            return
        self._depth += 1
        if self._depth == 1:
            self._began, self._collects = time.perf_counter(), gc.isenabled()
            gc.disable()
            self._tell(True)

    def on_end(self, event: Any) -> None:
        """It is compiled, or cannot be."""
        if not self._depth:
            return
        self._depth -= 1
        if not self._depth:
            if self._collects:
                gc.enable()
            self.kernels += 1
            self.seconds += time.perf_counter() - self._began
            self._tell(False)

    def _tell(self, busy: bool) -> None:
        for watcher in list(self.watchers):
            watcher(busy)


_compiling = _Compiling()
event.register("numba:compile", _compiling)


def compile_seconds() -> float:
    """The seconds that this process has spent compiling kernels so far."""
    return _compiling.seconds


def compiled_kernels() -> int:
    """How many kernels this process has compiled so far."""
    return _compiling.kernels


@contextmanager
def watched(watcher: Callable[[bool], None]) -> Iterator[None]:
    """``watcher(True)`` when a kernel begins to be compiled while the context lasts, ``watcher(False)`` at its end."""
    _compiling.watchers.append(watcher)
    try:
        yield
    finally:
        with suppress(ValueError):
            _compiling.watchers.remove(watcher)
