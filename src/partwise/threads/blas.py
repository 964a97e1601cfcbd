"""BLAS held at one thread while row blocks carry the parallelism.

threadpoolctl (tried: 3.5.0 and 3.8.0) has ``threadpool_limits`` for this, which is not enough: two of them that overlap
in two threads undo each other, and from 3.7 on one that a second thread sets has no effect. So its library controllers
are set one by one (``lib_controllers``), without asking which thread may (``_real_set_num_threads``) or after that
was cleared (``clear_controlling_thread``). Where a release has none of these, BLAS is limited as far as it can be, at
worst not at all: results stay right, and BLAS threads compete with ours.

scipy's BLAS is loaded with the extension module ``scipy.linalg.cython_blas``, which is opened as a plain library: to
import it is to import all of ``scipy.linalg``, a tenth of a second. Tried with scipy 1.17.1; else it is imported.
"""

from __future__ import annotations

import os
from ctypes import CDLL
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from threading import Condition, Lock, get_ident
from typing import Any
from weakref import WeakSet, ref

import scipy
from threadpoolctl import ThreadpoolController


def _all_blas() -> list[Any]:
    """The controllers of numpy's BLAS and of scipy's, which one kernel uses; a limit is for what is loaded."""
    _load_scipy_blas()
    return list(getattr(ThreadpoolController().select(user_api="blas"), "lib_controllers", ()))


def _load_scipy_blas() -> None:
    """Load the library of scipy's extension module, or import it where that cannot be done."""
    extension = PathFinder.find_spec("cython_blas", [str(Path(scipy.__file__).parent / "linalg")])
    try:
        CDLL(str(extension and extension.origin))
    except OSError:
        import_module("scipy.linalg.cython_blas")


class _SingleThreadedBlas:
    """BLAS at one thread while anybody needs it: a locked count, since overlapping limits would undo each other.

    A fork waits until the count and the limit agree and no task is running, for a lock that BLAS held in another thread
    would be held for ever in the child.
    """

    def __init__(self) -> None:
        self._reset()
        self._libraries: list[Any] | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._in_child
            )

    def _reset(self) -> None:
        self._lock = Lock()
        self._tasks = Lock()
        self._quiet = Condition(self._tasks)
        self._running: set[int] = set()
        self._forking = False
        self._holders: WeakSet[_Hold] = WeakSet()
        self._outer: dict[int, ref[_Hold]] = {}
        self._before: list[int] | None = None

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._quiet.acquire()
        self._forking = True
        self._quiet.wait_for(lambda: self._running <= {get_ident()})

    def _after_fork(self) -> None:
        self._forking = False
        self._quiet.release()
        self._lock.release()

    def _in_child(self) -> None:
        """A forked child has none of the parent's users; its BLAS gets its threads back."""
        before = self._before
        self._reset()
        self._before = before
        self._agree()

    def _agree(self) -> None:
        """Make the limit what the holders ask for; what to give back is noted before anything is changed."""
        if self._holders and self._before is None:
            if self._libraries is None:
                self._libraries = _all_blas()
            self._before = [library.num_threads for library in self._libraries]
            self._set([1] * len(self._before))
        elif not self._holders and self._before is not None:
            self._set(self._before)
            self._before = None

    def _set(self, counts: list[int]) -> None:
        for library, count in zip(self._libraries or (), counts, strict=True):
            set_threads = getattr(library, "_real_set_num_threads", None)
            if set_threads is None:
                self._take_over(library)
                library.set_num_threads(count)
                self._take_over(library)
            else:
                set_threads(count)

    def _take_over(self, library: Any) -> None:
        """From 3.7 on threadpoolctl lets only the first thread set the limit of the process; our count is locked."""
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)

    def __call__(self) -> _Hold | _Held:
        """A context in which BLAS has one thread; inside another one of this thread there is nothing to do."""
        outer = self._outer.get(get_ident())
        return _Hold(self) if outer is None or outer() is None else HELD

    def enter(self, hold: _Hold) -> None:
        """Hold BLAS as long as ``hold`` lives or until it leaves."""
        with self._lock:
            self._agree()  # an interrupt may have kept the last to leave from giving all of it back
            self._holders.add(hold)
            self._agree()
        self._outer[get_ident()] = ref(hold)

    def leave(self, hold: _Hold) -> None:
        """Let go; doing it twice does no harm."""
        self._outer.pop(get_ident(), None)
        with self._lock:
            self._holders.discard(hold)
            self._agree()

    def mend(self) -> None:
        """Give BLAS back where an interrupt kept a hold that has ended from doing so."""
        with self._lock:
            self._agree()

    def own_thread(self) -> None:
        """In a thread of a pool: where a library counts threads for each calling thread (OpenMP), limit it there."""
        for library in self._libraries or ():
            if getattr(library, "threading_layer", None) == "openmp":
                library.set_num_threads(1)

    def begin(self, thread: int) -> None:
        """A thread begins with what runs in BLAS or a kernel, for whose end a fork has to wait; ``end`` must follow."""
        with self._tasks:
            self._running.add(thread)

    def end(self, thread: int) -> None:
        """It has ended; doing it twice does no harm."""
        with self._tasks:
            self._running.discard(thread)
            if self._forking:
                self._quiet.notify_all()


class _Hold:
    """One ``with`` on the limit; an interrupt on the way in or out leaves nothing behind that lives on."""

    def __init__(self, limit: _SingleThreadedBlas) -> None:
        self._limit = limit

    def __enter__(self) -> None:
        try:
            self._limit.enter(self)
        except BaseException:
            self._limit.leave(self)
            raise

    def __exit__(self, *_: object) -> None:
        self._limit.leave(self)


class _Held:
    """What is left to do where the thread holds the limit already."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


HELD = _Held()
single_threaded_blas = _SingleThreadedBlas()
