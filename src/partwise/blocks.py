"""Row blocks, the threads that carry them, and BLAS held at one thread meanwhile."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from threading import Condition, Lock, get_ident
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np
from threadpoolctl import ThreadpoolController

from partwise.types import Array

T = TypeVar("T")
Block = tuple[int, int]

BLOCK_WORK = 2**17
MOST_BLOCKS = 64


def borders(work: Array) -> tuple[Block, ...]:
    """Cut rows into blocks of about equal work; ``work[i]`` is the work before row i.

    The cut depends on the data alone, never on the threads, so a seed gives the same bits on any number of them. The
    count is even, and few: every block hands the interpreter lock over several times.
    """
    rows, total = len(work) - 1, int(work[-1])
    count = int(np.clip(2 * round(total / (2 * BLOCK_WORK)), 1, min(MOST_BLOCKS, rows)))
    cuts = np.searchsorted(work, np.arange(1, count) * (total / count))
    edges = np.unique(np.r_[0, cuts, rows])
    return tuple((int(lo), int(hi)) for lo, hi in pairwise(edges))


def usable_cores() -> int:
    """The cores this process may use: its CPU affinity, and a container's quota where one is set."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return cores


def thread_count(threads: int | None) -> int:
    """``threads`` as given, or PARTWISE_NUM_THREADS, or the usable cores."""
    if threads is None:
        given = os.environ.get("PARTWISE_NUM_THREADS")
        if not given:
            return usable_cores()
        if not given.isascii() or not given.isdigit() or int(given) < 1:
            raise ValueError(f"PARTWISE_NUM_THREADS must be a whole number of at least 1, not {given!r}.")
        return int(given)
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ValueError(f"threads must be a whole number of at least 1, or None for all cores, not {threads!r}.")
    return int(threads)


def _all_blas() -> ThreadpoolController:
    """numpy's BLAS, and scipy's, which the kernels use and which would come unseen with the first of them."""
    import_module("scipy.linalg.cython_blas")
    return ThreadpoolController().select(user_api="blas")


class _SingleThreadedBlas:
    """BLAS at one thread while anybody needs it: a locked count, since overlapping limits would undo each other.

    A fork waits until the count and the limit agree and no task is running, for a lock that BLAS held in another thread
    would be held for ever in the child.
    """

    def __init__(self) -> None:
        self._reset()
        self._controller: ThreadpoolController | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._in_child
            )

    def _reset(self) -> None:
        self._lock = Lock()
        self._quiet = Condition(Lock())
        self._running: set[int] = set()
        self._holders: WeakSet[_Hold] = WeakSet()
        self._before: list[int] | None = None

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._quiet.acquire()
        self._quiet.wait_for(lambda: self._running <= {get_ident()})

    def _after_fork(self) -> None:
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
            self._controller = self._controller or _all_blas()
            self._before = [library.num_threads for library in self._controller.lib_controllers]
            self._set([1] * len(self._before))
        elif not self._holders and self._before is not None:
            self._set(self._before)
            self._before = None

    def _set(self, counts: list[int]) -> None:
        assert self._controller is not None
        self._take_over()
        for library, count in zip(self._controller.lib_controllers, counts, strict=True):
            library.set_num_threads(count)
        self._take_over()

    def _take_over(self) -> None:
        """Newer threadpoolctl lets only the first thread set a limit that is the whole process's; the count is ours."""
        for library in self._controller.lib_controllers if self._controller else ():
            clear = getattr(library, "clear_controlling_thread", None)
            if clear is not None:
                clear(force=True)

    def __call__(self) -> _Hold:
        """A context in which BLAS has one thread."""
        return _Hold(self)

    def enter(self, hold: _Hold) -> None:
        """Hold BLAS as long as ``hold`` lives or until it leaves."""
        with self._lock:
            self._agree()  # an interrupt may have kept the last to leave from giving all of it back
            self._holders.add(hold)
            self._agree()

    def leave(self, hold: _Hold) -> None:
        """Let go; doing it twice does no harm."""
        with self._lock:
            self._holders.discard(hold)
            self._agree()

    def mend(self) -> None:
        """Give BLAS back where an interrupt kept a hold that has ended from doing so."""
        with self._lock:
            self._agree()

    def own_thread(self) -> None:
        """In a thread of a pool: where a library counts threads for each calling thread (OpenMP), limit it there."""
        for library in self._controller.lib_controllers if self._controller else ():
            if getattr(library, "threading_layer", None) == "openmp":
                library.set_num_threads(1)

    @contextmanager
    def task(self) -> Iterator[None]:
        """Around what runs in BLAS or a kernel, so that a fork can wait for its end."""
        with self._quiet:
            self._running.add(get_ident())
        try:
            yield
        finally:
            with self._quiet:
                self._running.discard(get_ident())
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


single_threaded_blas = _SingleThreadedBlas()


class Workers:
    """Maps over row blocks on some threads; made per call, closed with it."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = thread_count(threads)
        self._buffers: dict[tuple[int, str], Array] = {}
        self._pool = None
        if self.threads > 1:
            self._pool = ThreadPoolExecutor(self.threads - 1, "partwise", single_threaded_blas.own_thread)

    def map(self, task: Callable[[int, int], T], blocks: Sequence[Block]) -> list[T]:
        """[task(lo, hi) for each block], in block order, with BLAS at one thread.

        Every thread, the caller's too, takes the next block until none is left: a future for each block would wake the
        caller for each, and on few cores that costs more than the block.
        """
        left = deque(range(len(blocks)))
        results: dict[int, T] = {}

        def work() -> None:
            with single_threaded_blas.task():
                while left:
                    try:
                        index = left.popleft()
                    except IndexError:  # another thread has taken the last one
                        return
                    results[index] = task(*blocks[index])

        with single_threaded_blas():
            helpers = [self._pool.submit(work) for _ in blocks[1 : self.threads]] if self._pool else []
            try:
                work()
                for helper in helpers:
                    helper.result()
            except BaseException:
                left.clear()
                wait(helpers)
                raise
        return [results[index] for index in range(len(blocks))]

    def buffer(self, rows: int, width: int, dtype: np.dtype[Any]) -> Array:
        """Memory for a block that this thread may write over until it asks again."""
        key, size = (get_ident(), dtype.char), rows * width
        if key not in self._buffers or self._buffers[key].size < size:
            self._buffers[key] = np.empty(size, dtype)
        return self._buffers[key][:size].reshape(rows, width)

    def close(self) -> None:
        """End the threads; what is running ends first, and a later call runs without them."""
        if self._pool is not None and not sys.is_finalizing():  # at the interpreter's end the threads have ended
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None
        self._buffers.clear()
        single_threaded_blas.mend()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
