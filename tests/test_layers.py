"""The house: imports go only downward, and each library has its room."""

import ast
import runpy
from functools import cache
from pathlib import Path

import pytest

import partwise

SOURCE = Path(partwise.__file__).parent
LAYERS = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "layers.py"))["LAYERS"]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def imports(path):
    """The modules that a file imports, late imports included."""
    return tuple(found(path))


def found(path):
    """They come one after the other."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_downward(path):
    """A room imports from lower rooms, or from itself."""
    here = room(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "partwise" and len(parts) > 1 and parts[1] in LEVEL:
            assert parts[1] == here or LEVEL[parts[1]] < LEVEL[here], f"{here} imports {name}"


def test_every_file_has_a_room():
    """No file stands outside the order."""
    assert {room(path) for path in FILES} <= set(LEVEL)


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("numba", {"kernels"}),
        ("sklearn", {"estimator", "text"}),
        ("plotly", {"plot", "report"}),
        ("dask", {"data"}),
        ("distributed", {"data"}),
        ("pickle", set()),
        ("joblib", set()),
    ],
)
def test_libraries_have_their_rooms(library, rooms):
    """numba lives in kernels, scikit-learn in the estimator and under text, plotly in the pictures, pickle nowhere."""
    users = {room(path) for path in FILES if any(name.split(".")[0] == library for name in imports(path))}
    assert users == rooms
