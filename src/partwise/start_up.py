"""What the command does before its own imports: Ctrl-C is a sentence, and the imports take a sixth less time.

This is the first import of the package. A program that imports partwise is left alone.
"""

from __future__ import annotations

# _signal is what signal wraps: importing that, or typing, takes milliseconds in which Ctrl-C would be a traceback.
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = "interrupted; no file is left half written."
YOUNG = 400_000
"""Objects between two searches for unreachable ones: Python's 700 cost a tenth of the time in which texts are read, and
one among 100,000 takes 30 ms."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, KEPT = -1, -3, 2**25
SELDOM_USED = ("numpy.f2py", "numpy.ma", "numpy.testing", "pydoc", "socket", "yaml")
"""What ``from numpy import *`` in scipy would import, pydoc for its documentation, socket for the names of e-mails in
importlib.metadata, and yaml for settings of numba's."""


def _is_command() -> bool:
    """Whether this process is the command, as a script or as ``python -m partwise``; runpy puts -m in argv[0]."""
    program = (getattr(sys, "argv", None) or [""])[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    options = sys.orig_argv
    return program == "partwise" or (program == "-m" and options[options.index("-m") :][1:2] == ["partwise"])


def _leave(*_: object) -> None:
    """End at once: nothing has been opened yet, and an exception in an import could be taken for something else."""
    os.write(2, f"partwise: {INTERRUPTED}\n".encode())
    os._exit(130)


def _hasten_imports() -> None:
    """Few garbage collections, since all that is imported stays; no threads of BLAS, which is held at one anyway."""
    import gc

    gc.set_threshold(YOUNG)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in SELDOM_USED:
        _import_when_used(name)
    _compile_methods_when_used()
    _keep_memory()


def _keep_memory() -> None:
    """Have glibc keep what is freed for the next array: of what it gives back and asks for again, each page costs time.

    Arrays up to ``KEPT`` bytes, the most it allows; elsewhere than with glibc nothing is done.
    """
    import ctypes
    from contextlib import suppress

    with suppress(AttributeError, TypeError):  # no mallopt; no name for the process itself
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, KEPT), mallopt(M_TRIM_THRESHOLD, 32 * KEPT)


def _import_when_used(name: str) -> None:
    """Put a module in its place that is executed when one of its attributes is first asked for.

    Python's LazyLoader executes a module at the next ``import`` of it already, which looks at its ``__spec__``.
    """
    from importlib.util import find_spec, module_from_spec
    from threading import RLock
    from types import ModuleType

    lock, begun = RLock(), False

    class Late(ModuleType):
        def __getattr__(self, attribute: str) -> object:
            nonlocal begun
            with lock:  # another thread waits, and what the module imports sees it as it is so far
                if not begun:
                    begun = True
                    spec.loader.exec_module(self)  # type: ignore[union-attr]
                    self.__class__ = ModuleType  # type: ignore[assignment]
            return ModuleType.__getattribute__(self, attribute)

    package, _, last = name.rpartition(".")
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None and spec.loader is not None:
        sys.modules[name] = module = module_from_spec(spec)
        module.__class__ = Late
        if package:
            setattr(sys.modules[package], last, module)


def _compile_methods_when_used() -> None:
    """Let dataclasses compile a method when it is first looked up: few are, of seven a class.

    Where Python has no ``_create_fn``, from 3.13 on, they are compiled at once.
    """
    import dataclasses
    from typing import Any

    create: Any = getattr(dataclasses, "_create_fn", None)
    if create is None:
        return

    class Late:
        """Stands in a class for a method, until it takes its place there."""

        def __init__(self, name: str, *arguments: Any, **options: Any) -> None:
            self.__name__, self._how = name, (arguments, options)

        def __get__(self, instance: object, owner: type) -> Any:
            compiled, name = self._compiled(), self.__name__
            for one in owner.__mro__:
                if vars(one).get(name) is self:
                    compiled.__qualname__ = f"{one.__qualname__}.{name}"
                    type.__setattr__(one, name, compiled)
            return compiled if instance is None else compiled.__get__(instance, owner)

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            return self._compiled()(*arguments, **named)

        def _compiled(self) -> Any:
            arguments, options = self._how
            return create(self.__name__, *arguments, **options)

    vars(dataclasses)["_create_fn"] = Late


IS_COMMAND = _is_command()
if IS_COMMAND:
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    _hasten_imports()
