"""Data sets and solvers by the name of their file."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

from harness import BENCH


def names(folder: str) -> list[str]:
    """Every data set or solver there is."""
    return sorted(path.stem for path in (BENCH / folder).glob("*.py"))


@cache
def load(folder: str, name: str) -> ModuleType:
    """The module of one file; a solver's imports nothing but the standard library until it is asked to fit."""
    return load_path(BENCH / folder / f"{name}.py")


def load_path(path: Path) -> ModuleType:
    """A module from its path."""
    spec = importlib.util.spec_from_file_location(f"bench_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
