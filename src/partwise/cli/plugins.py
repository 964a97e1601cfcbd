"""Plug-ins: modules that are imported before names are looked up, so that what they add to the tables counts."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from partwise.cli.output import note

GROUP = "partwise.plugins"
"""The entry-point group by which an installed package names its plug-in modules."""


def load_plugins(names: Iterable[str] | None) -> None:
    """Import the modules of ``--plugin``, installed or in the current folder; one that fails is refused."""
    if names and not {"", str(Path.cwd())} & set(sys.path):
        sys.path.append(str(Path.cwd()))  # last, so that a file in the folder hides no installed module
    for name in names or ():
        _import_plugin(name)


def load_installed_plugins() -> None:
    """Import the modules of the entry-point group ``partwise.plugins``; one that fails is one sentence on stderr."""
    for module in sorted({entry.module for entry in entry_points(group=GROUP)}):
        try:
            _import_plugin(module)
        except ValueError as error:
            note(f"{error} The command goes on without it.")


def _import_plugin(name: str) -> None:
    if not all(part.isidentifier() for part in name.split(".")) or name.endswith(".py"):
        raise ValueError(f"A plug-in is named by its module, such as my_rules for the file my_rules.py, not {name!r}.")
    try:
        with redirect_stdout(sys.stderr):  # what a module prints is not the command's result
            import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise ValueError(f"The plug-in {name!r} needs the module {error.name!r}, which is not installed.") from None
        raise ValueError(f"There is no module {name!r}, neither installed nor in {Path.cwd()}.") from None
    except (Exception, SystemExit) as error:  # a module of somebody else's can raise anything
        reason = " ".join(str(error).split()) or "no reason stated"
        raise ValueError(f"The plug-in {name!r} cannot be imported ({type(error).__name__}: {reason}).") from None
