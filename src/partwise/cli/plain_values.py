"""Values of options that are plainly what they shall be, without pydantic, which takes a thirtieth of a run to import.

typer (0.29) has pydantic convert every value, defaults too, by an object that each parameter makes on first use and
keeps as ``_runtime_param``. ``PlainCommand`` and ``PlainGroup`` put an object of ours in its place, which converts what
leaves no doubt and hands everything else, and so every refusal, to typer's own. A version of typer that has no such
attribute never looks at ours.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

DOUBT = object()
WHOLE = re.compile("0|-?[1-9][0-9]{0,14}")
DECIMAL = re.compile("[0-9]{1,9}([.][0-9]{1,9})?")
UNUSUAL = ("parser", "min", "max", "clamp", "path_type", "resolve_path", "exists", "writable", "allow_dash")
"""What a parameter may ask for that only typer knows."""


class _PlainParameters:
    """Of a command: parameters that convert plain values by themselves."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, ``--help`` among them, as the parser asks for them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            about = getattr(getattr(parameter, "type_descriptor", None), "parameter_info", None)
            if about is not None and not any(getattr(about, name, None) for name in UNUSUAL):
                parameter._runtime_param = _PlainValues()
        return parameters


class PlainCommand(_PlainParameters, TyperCommand):
    """A verb."""


class PlainGroup(_PlainParameters, TyperGroup):
    """The command with its verbs."""


class _PlainValues:
    """Stands in for typer's converter of one parameter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of a parameter as its annotation has it."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        converted = as_plain(param.type_descriptor.annotation, value)
        if converted is not DOUBT:
            return converted
        param._runtime_param = None  # typer makes its own
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def as_plain(annotation: Any, value: Any) -> Any:
    """A value as text, number, path or list of texts; ``DOUBT`` where typer should look at it."""
    if annotation in (str, int, float) and type(value) is annotation:
        return value
    if annotation == list[str] and isinstance(value, (list, tuple)) and all(type(item) is str for item in value):
        return list(value)
    if not isinstance(value, str):
        return DOUBT
    if annotation is Path and (os.access(value, os.R_OK) or not os.path.exists(value)):  # noqa: PTH110  as it was given
        return Path(value)
    if annotation is int and WHOLE.fullmatch(value):
        return int(value)
    if annotation is float and DECIMAL.fullmatch(value):
        return float(value)
    return DOUBT
