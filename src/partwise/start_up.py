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
SELDOM_USED = ("numpy.f2py", "numpy.testing", "pydoc", "yaml")
"""What ``from numpy import *`` in scipy would import, pydoc for its documentation, and yaml for settings of numba's."""


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
    """Let dataclasses compile a method, ``__init__`` apart, when it is first called: few are, of six a class.

    Where Python has no ``_create_fn``, from 3.13 on, they are compiled at once.
    """
    import dataclasses
    from typing import Any

    create: Any = getattr(dataclasses, "_create_fn", None)
    if create is None:
        return

    def create_late(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "__init__":
            return create(name, *arguments, **options)
        compiled = None

        def method(self: object, *others: object) -> Any:
            nonlocal compiled
            compiled = compiled or create(name, *arguments, **options)
            return compiled(self, *others)

        method.__name__ = name
        return method

    vars(dataclasses)["_create_fn"] = create_late


IS_COMMAND = _is_command()
if IS_COMMAND:
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    _hasten_imports()
