"""Settings as plain values: to know a run again by them, and to make them again from a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np
from scipy.sparse import issparse

from partwise import stopping
from partwise.inits import INITS
from partwise.restarts import Racing
from partwise.starts import Given

RULES = (
    stopping.MaxIterations,
    stopping.TimeLimit,
    stopping.Frobenius,
    stopping.Angle,
    stopping.Stationarity,
    stopping.AnyOf,
    stopping.AllOf,
)


class Foreign(LookupError):
    """Something that cannot be made again from its description."""


def describe(thing: Any) -> Any:
    """What JSON can hold of a setting: equal for equal settings, in every process; arrays and code as hashes."""
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return thing
    if isinstance(thing, np.generic):
        return thing.item()
    if isinstance(thing, (tuple, list)):
        return [describe(one) for one in thing]
    if isinstance(thing, Mapping):
        return {str(name): describe(one) for name, one in thing.items()}
    return {"kind": type(thing).__name__, **_inside(thing)}


def _inside(thing: Any) -> dict[str, Any]:
    if isinstance(thing, Enum):
        return {"name": thing.name}
    if isinstance(thing, Given):
        return {"w": _array(thing.w), "h": None if thing.h is None else _array(thing.h)}
    if hasattr(thing, "shape"):
        return _array(thing)
    if isinstance(thing, partial):
        return {"func": describe(thing.func), "args": describe(thing.args), "keywords": describe(thing.keywords)}
    if isinstance(thing, FunctionType):
        return _function(thing)
    if is_dataclass(thing):
        return {one.name: describe(getattr(thing, one.name)) for one in fields(thing)}
    return {name: describe(one) for name, one in getattr(thing, "__dict__", {}).items()}


def _array(given: Any) -> dict[str, Any]:
    array = np.ascontiguousarray(given.toarray() if issparse(given) else given)
    return {"shape": list(array.shape), "dtype": str(array.dtype), "bytes": _hash(array.tobytes())}


def _function(given: FunctionType) -> dict[str, Any]:
    closed = [cell.cell_contents for cell in given.__closure__ or ()]
    name = f"{given.__module__}.{given.__qualname__}"
    return {"name": name, "code": _code(given.__code__), "given": describe([closed, given.__defaults__])}


def _code(code: CodeType) -> list[Any]:
    """The instructions with their names and constants; no line numbers, which change with a comment."""
    constants = [_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [_hash(code.co_code), list(code.co_names), constants]


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def spoken(thing: Any) -> str:
    """A setting as a person would write it: what is as usual is left out."""
    if isinstance(thing, tuple):
        return ", ".join(spoken(one) for one in thing)
    if not isinstance(thing, (stopping.Rule, Racing)):
        return str(thing)
    given = [(one.name, getattr(thing, one.name), one.default) for one in fields(cast(Any, thing))]
    given = [row for row in given if not isinstance(row[1], Enum)]
    told = [spoken(value) if name == "rules" else f"{name}={value}" for name, value, usual in given if value != usual]
    return f"{type(thing).__name__}({', '.join(told)})"


def rebuild(told: Any) -> Any:
    """The setting again: a plain value, a rule, a start of the table or a race; :class:`Foreign` where it is none."""
    if isinstance(told, list):
        return tuple(rebuild(one) for one in told)
    if not isinstance(told, dict):
        return told
    kinds: dict[str, Any] = {made.__name__: made for made in (*RULES, Racing)}
    kinds |= {made.__name__: made for made in INITS.values() if isinstance(made, type)}
    settings = {name: one for name, one in told.items() if name != "kind"}
    if told.get("kind") == "Reason":
        return stopping.Reason[settings["name"]]
    if told.get("kind") not in kinds:
        raise Foreign(told.get("kind"))
    return kinds[told["kind"]](**{name: rebuild(one) for name, one in settings.items()})
