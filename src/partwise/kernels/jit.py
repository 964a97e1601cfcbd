"""The one way a kernel is compiled: without the interpreter lock, cached on disk where that is possible.

Two gaps of numba's cache are closed, and kernels are loaded from it without the tables of numba's compiler, through
attributes that are not part of its public interface: ``_cache``, ``_cache_file._source_stamp``, ``save_overload``,
``_load_overload`` and ``nrt._nrt.c_helpers``. Where one of them is missing the kernels are compiled and cached as numba
does it by itself. ``is_ready`` asks ``_cache_file._load_index``, and says no where that is missing. numba's events tell
:mod:`partwise.kernels.compiling` of each kernel that is compiled.
Tried with numba 0.60.0 and 0.68.1; ``tests/kernels/test_jit.py`` shows what each closes.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache as once
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core import event
from numba.core.runtime import nrt

from partwise.kernels.compiling import COMPILING

STAMP = tuple(
    (path.name, path.stat().st_mtime, path.stat().st_size) for path in sorted(Path(__file__).parent.glob("*.py"))
)
"""The state of all kernel files: one kernel is compiled into another, and numba checks the outer one's file alone."""


class _Listener(event.Listener):
    """Tells when a kernel begins and ends to be compiled."""

    def on_start(self, event: Any) -> None:
        COMPILING.begin(event.data["dispatcher"].py_func.__module__)

    def on_end(self, event: Any) -> None:
        COMPILING.end()


event.register("numba:compile", _Listener())


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on first use; an install without a writable cache compiles anew in each process."""
    return _compiled(function)


def fused_jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, with a·b + c rounded once where the machine has an instruction for it."""
    return _compiled(function, fastmath={"contract"})


def sums_jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, where the terms of a sum may be added in another order, and so by vectors; x/0 is infinite."""
    return _compiled(function, fastmath={"reassoc", "contract"}, error_model="numpy")


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A piece of other kernels, compiled into each of them and never by itself, which takes half the time."""
    piece: Callable[..., Any] = numba.njit(nogil=True, inline="always")(function)
    return piece


def is_ready(kernel: Any) -> bool:
    """Whether a kernel can be called without compiling it: it has been called, or is in the cache on disk."""
    if getattr(kernel, "signatures", True):  # True: a plain function, with NUMBA_DISABLE_JIT
        return True
    with suppress(Exception):
        return bool(kernel._cache._cache_file._load_index())
    return False


def cache_folder(kernel: Any) -> str | None:
    """The folder where a kernel's compiled form is kept; None where no folder can be written."""
    return getattr(getattr(kernel, "_cache", None), "cache_path", None)


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    try:
        compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # no directory for a cache
        compiled = numba.njit(nogil=True, **options)(function)
    cache = getattr(compiled, "_cache", None)  # None with NUMBA_DISABLE_JIT
    if cache is not None:
        _forget_what_changed(cache)
        _survive_a_full_disk(cache)
        _load_without_compiler(cache)
    return compiled


def _forget_what_changed(cache: Any) -> None:
    """Make the cache valid only as long as no kernel file has changed."""
    file = getattr(cache, "_cache_file", None)
    if STAMP and file is not None and hasattr(file, "_source_stamp"):
        file._source_stamp = STAMP


def _survive_a_full_disk(cache: Any) -> None:
    """A kernel that cannot be written to disk is used all the same."""
    save = getattr(cache, "save_overload", None)
    if save is None:
        return

    def save_if_possible(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    cache.save_overload = save_if_possible


def _load_without_compiler(cache: Any) -> None:
    """Load kernels from the cache without the types and functions that numba can compile.

    numba registers those before it looks into the cache, which takes a third of a second. Its compiler registers them
    too, so that a kernel that is not in the cache is compiled as before.
    """
    load = getattr(cache, "_load_overload", None)
    if load is None or _runtime_functions() is None:
        return

    def load_quickly(signature: Any, target: Any) -> Any:
        _register_runtime()
        with suppress(PermissionError):  # on Windows, where another process writes the file
            return load(signature, target)

    cache.load_overload = load_quickly


def _runtime_functions() -> Any:
    """name -> address of what compiled kernels call for the memory of arrays."""
    return getattr(getattr(nrt, "_nrt", None), "c_helpers", None)


@once
def _register_runtime() -> None:
    """Name those functions to the linker, as numba's runtime does before it compiles further ones (20 ms).

    A compiled kernel contains those that it needs; a kernel that is yet to be compiled initialises the runtime.
    """
    for name, address in _runtime_functions().items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
