"""The embedded corpus: the docstrings of Python's standard library, read from the running interpreter's sources.

Nothing is imported: the files are parsed with ``ast``. So there is real text on every machine, without a download; it
differs a little from one version of Python to the next.
"""

from __future__ import annotations

import ast
import gc
import os
import sysconfig
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partwise.text.document import Document

LEAST_WORDS = 15
# Tests and their fixtures, what was installed beside the library, and generated tables.
SKIPPED = frozenset({"test", "tests", "idle_test", "site-packages", "dist-packages", "lib2to3", "__pycache__"})
# Modules that Python 3.12 and 3.13 removed (PEP 632, PEP 594), so that the corpus is much the same on every version.
# fmt: off
REMOVED = frozenset({
    "aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt",
    "distutils", "imghdr", "imp", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev",
    "pipes", "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
})
# fmt: on

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_Scope = ast.Module | _Definition


def load_standard_library(path: str | os.PathLike[str] | None = None) -> tuple[Document, ...]:
    """The docstrings of 15 words or more, named as ``json.decoder.JSONDecoder``, labelled by top-level package."""
    root = Path(sysconfig.get_path("stdlib") if path is None else path)
    documents: dict[str, Document] = {}
    with _no_collections():
        for file in _files(root):
            for document in _documents(root, file):
                documents.setdefault(document.id, document)  # a name may be defined twice, under an if and its else
    if not documents:
        raise FileNotFoundError(f"{root} holds no Python sources with docstrings, so there is no corpus to read here.")
    return tuple(documents.values())


@contextmanager
def _no_collections() -> Iterator[None]:
    """No garbage collections meanwhile: they take a quarter of the time of syntax trees, which hold no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _files(root: Path) -> Iterator[Path]:
    """The source files in the order of their names."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and name.isidentifier())
        if Path(folder) == root:
            folders[:] = [name for name in folders if name not in REMOVED]
            names = [name for name in names if name.removesuffix(".py") not in REMOVED]
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _documents(root: Path, file: Path) -> Iterator[Document]:
    """The documents of one file; one that cannot be parsed has none."""
    parts = file.relative_to(root).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    try:
        with warnings.catch_warnings(), tokenize.open(file) as source:
            warnings.simplefilter("ignore")  # an old escape in a string is not our concern
            tree = ast.parse(source.read())
    except (SyntaxError, ValueError, OSError, RecursionError):
        return
    for name, text in _docstrings(module, tree):
        if len(text.split()) >= LEAST_WORDS:
            yield Document(name, text, title=name, label=parts[0])


def _docstrings(name: str, scope: _Scope) -> Iterator[tuple[str, str]]:
    """The docstring of a module, class or function, then those inside it, each with its dotted name."""
    if text := ast.get_docstring(scope):
        yield name, text
    for inner in _definitions(scope):
        yield from _docstrings(f"{name}.{inner.name}", inner)


def _definitions(node: ast.AST) -> Iterator[_Definition]:
    """The classes and functions defined in a node, under an if or a try as well, but not inside one another."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Definition):
            yield child
        elif isinstance(child, (ast.stmt, ast.excepthandler)):
            yield from _definitions(child)
