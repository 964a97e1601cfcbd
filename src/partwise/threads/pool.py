"""Row blocks and the threads that carry them."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Lock, get_ident
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

from partwise.arguments import whole_number
from partwise.threads.blas import single_threaded_blas
from partwise.threads.cores import allowed_threads
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
    count = max(1, min(2 * round(total / (2 * BLOCK_WORK)), MOST_BLOCKS, rows))
    if count == 1:
        return ((0, rows),)
    cuts = np.searchsorted(work, np.arange(1, count) * (total / count))
    edges = np.unique(np.r_[0, cuts, rows])
    return tuple((int(lo), int(hi)) for lo, hi in pairwise(edges))


def even_borders(rows: int, each: float) -> tuple[Block, ...]:
    """The same for rows of equal work; what is one block is seen at once."""
    return ((0, rows),) if rows * each <= BLOCK_WORK else borders(np.arange(rows + 1) * each)


def thread_count(threads: int | None) -> int:
    """``threads`` as given, or PARTWISE_NUM_THREADS, or as many as this process is allowed."""
    return _asked_threads(threads) or allowed_threads()


def _asked_threads(threads: int | None) -> int | None:
    """``threads`` as given, or PARTWISE_NUM_THREADS; None where neither says anything."""
    if threads is None:
        setting = os.environ.get("PARTWISE_NUM_THREADS")
        if not setting:
            return None
        if not setting.isascii() or not setting.isdigit() or int(setting) < 1:
            raise ValueError(f"PARTWISE_NUM_THREADS must be a whole number of at least 1, not {setting!r}.")
        return int(setting)
    return whole_number("threads", threads, hint="or None for all cores")


class OutOfTime(Exception):
    """The time that the maps of :meth:`Workers.until` have is over."""


@dataclass(eq=False)
class Crew:
    """The threads that work on one map."""

    size: int


class Crews:
    """The maps that are running in this process: where n of them run at once they do not take n times its threads.

    A crew that an interrupt keeps from leaving is forgotten with the frame that held it.
    """

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock, self._running = Lock(), WeakSet[Crew]()

    def join(self, wanted: int, most: float) -> Crew:
        """As many threads as are wanted, but not so many that all together are more than ``most``; at least one."""
        with self._lock:
            crew = Crew(max(1, int(min(wanted, most - sum(other.size for other in self._running)))))
            self._running.add(crew)
        return crew

    def leave(self, crew: Crew) -> None:
        """The map is made."""
        with self._lock:
            self._running.discard(crew)


crews = Crews()


class Workers:
    """Maps over row blocks on some threads; one object for each call, closed with it.

    Where their number is left open, maps that run at the same time share the threads of the process. The first map of
    several blocks asks how many threads there are and starts them: a small batch of a stream has one block.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._asked, self._shared = _asked_threads(threads), threads is None
        self._buffers: dict[tuple[int, str], Array] = {}
        self._end, self.label = np.inf, "pass"
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False

    @cached_property
    def threads(self) -> int:
        """How many threads work on a map."""
        return self._asked or allowed_threads()

    @contextmanager
    def until(self, seconds: float, label: str = "pass") -> Iterator[None]:
        """Maps that raise :class:`OutOfTime` so many seconds from now, before the next block; ``label`` is their name
        where they are shown to somebody. Within another limit the nearer one holds."""
        before = self._end, self.label
        self._end, self.label = min(self._end, time.perf_counter() + seconds), label
        try:
            yield
        finally:
            self._end, self.label = before

    def check_time(self) -> None:
        """Raise where the time is over; a task asks between rows that take long."""
        if time.perf_counter() > self._end:
            raise OutOfTime

    def map(self, task: Callable[[int, int], T], blocks: Sequence[Block]) -> list[T]:
        """[task(lo, hi) for each block], in block order, with BLAS at one thread.

        Every thread, the caller's too, takes the next block until none is left: a future for each block would wake the
        caller for each, and on few cores that costs more than the block.
        """
        if len(blocks) == 1 or self._closed or self.threads == 1:
            thread = get_ident()
            with single_threaded_blas():
                try:
                    single_threaded_blas.begin(thread)
                    results = []
                    for lo, hi in blocks:
                        self.check_time()
                        results.append(task(lo, hi))
                    return results
                finally:
                    single_threaded_blas.end(thread)
        return self._map_on_threads(task, blocks)

    def _map_on_threads(self, task: Callable[[int, int], T], blocks: Sequence[Block]) -> list[T]:
        left = deque(range(len(blocks)))
        results: dict[int, T] = {}

        def work() -> None:
            thread = get_ident()
            try:
                single_threaded_blas.begin(thread)
                while left:
                    try:
                        index = left.popleft()
                    except IndexError:  # another thread has taken the last one
                        return
                    self.check_time()
                    results[index] = task(*blocks[index])
            finally:
                single_threaded_blas.end(thread)

        with single_threaded_blas(), self.beside(work, left.clear, len(blocks)):
            work()
        return [results[index] for index in range(len(blocks))]

    @contextmanager
    def beside(self, task: Callable[[], None], stop: Callable[[], None], most: int) -> Iterator[None]:
        """Other threads run ``task`` beside the caller, ``most`` with it, until it is ready and ``stop`` ends that."""
        if most == 1 or self._closed or self.threads == 1:
            yield
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, "partwise", single_threaded_blas.own_thread)
        crew, helpers = crews.join(min(most, self.threads), self.threads if self._shared else np.inf), []
        try:
            for _ in range(crew.size - 1):
                helpers.append(self._pool.submit(task))
            yield
            stop()
            for helper in helpers:
                helper.result()
        except BaseException:
            stop()
            wait(helpers)
            raise
        finally:
            crews.leave(crew)

    def buffer(self, rows: int, width: int, dtype: np.dtype[Any]) -> Array:
        """Memory for a block; the next call by the same thread hands it out again."""
        key, size = (get_ident(), dtype.char), rows * width
        if key not in self._buffers or self._buffers[key].size < size:
            self._buffers[key] = np.empty(size, dtype)
        return self._buffers[key][:size].reshape(rows, width)

    def close(self) -> None:
        """End the threads; what is running ends first, and a later call runs without them."""
        if self._pool is not None and not sys.is_finalizing():  # at the interpreter's end the threads have ended
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool, self._closed = None, True
        self._buffers.clear()
        single_threaded_blas.mend()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
