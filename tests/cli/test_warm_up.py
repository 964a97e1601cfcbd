"""``partwise warm-up`` calls every kernel; the status line says when one is compiled."""

import importlib
import io
import pkgutil
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

import partwise
from partwise import kernels
from partwise.cli import output
from partwise.cli.warm_up import warm_up
from partwise.kernels.compiling import COMPILING

SOURCES = [path for path in Path(partwise.__file__).parent.rglob("*.py") if path.parent.name != "kernels"]


def called_from_elsewhere():
    """The compiled kernels whose names other rooms use, as (module, name)."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    for module in pkgutil.iter_modules(kernels.__path__):
        loaded = importlib.import_module(f"partwise.kernels.{module.name}")
        for name, kernel in vars(loaded).items():
            own = hasattr(kernel, "signatures") and kernel.py_func.__module__ == loaded.__name__
            if own and re.search(rf"\b(import .*\b{name}\b|{module.name}\.{name}\()", text):
                yield f"{module.name}.{name}", kernel


def test_every_kernel_is_called(capsys):
    """A kernel without signatures has been neither compiled nor loaded; add a job for it in ``warm_up.jobs``."""
    warm_up()
    known = dict(called_from_elsewhere())
    assert len(known) > 25
    assert [name for name, kernel in known.items() if not kernel.signatures] == []
    gram, products, coordinate, squares = kernels.gram, kernels.products, kernels.coordinate, kernels.squares
    both = [products._wide_csr_product, products._narrow_csr_product, products.csr_clipped_product]
    both += [gram.squares, coordinate.wide_sweep_lanes, squares.wide_vector_product]
    if gram.WIDEST > gram.BYTES:
        both += [gram._wide_squares, coordinate._sweep_lanes, squares._vector_product]
    assert [kernel.py_func.__name__ for kernel in both if len(kernel.signatures) < 2] == []  # both precisions
    assert "kept in" in capsys.readouterr().out


@pytest.mark.parametrize("terminal", [True, False])
def test_the_status_line_says_that_something_is_compiled(terminal, monkeypatch):
    """On a terminal, and as long as it lasts; the text comes back afterwards. Elsewhere nothing is written."""
    stream = io.StringIO()

    def since(before, text):
        """What has been written since; a status line is drawn some times a second."""
        for _ in range(500 if terminal else 1):
            if text in (written := stream.getvalue()[before:]):
                break
            time.sleep(0.01)
        return written

    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(output, "Console", lambda stderr: Console(file=stream, force_terminal=True, width=100))
    with output.working("reading") as update:
        update("factorising")
        COMPILING.tell(True)
        compiling = f"factorising, {output.COMPILING} …"
        assert (compiling in since(0, compiling)) is terminal
        before = len(stream.getvalue())
        COMPILING.tell(False)
        assert ("factorising …" in since(before, "factorising …")) is terminal
    assert terminal or not stream.getvalue()
    assert not COMPILING.watchers
