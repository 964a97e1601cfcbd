"""The one serialiser: settings, runs and results as plain JSON values and arrays, and back.

A dataclass becomes a dict of its fields. Where a field may hold several classes (a rule, a penalty, a start) the dict
names its class as ``kind``, and only classes in the registry are made again from a file: nothing in a file is run.
"""

from __future__ import annotations

import hashlib
import types
import typing
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from scipy.sparse import issparse

from partwise.types import Array, Spread

T = TypeVar("T")
Plain = Any
"""None, a truth value, a number, a text, a list or a dict of them: what JSON can hold."""

TABLES: list[Mapping[str, Any]] = []
"""The public tables whose classes a file may name."""
CODECS: dict[type, tuple[Callable[[Any], Plain], Callable[[Any], Any]]] = {}
"""Class -> (to plain, from plain), for classes that are not their fields."""


class Foreign(LookupError):
    """Something that cannot be made again from its description."""


@dataclass
class Arrays:
    """Arrays by name; one that is met twice is kept once."""

    named: MutableMapping[str, Array] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def put(self, array: Any) -> Plain:
        """The place of an array; one that lies elsewhere is brought here."""
        name = self.names.setdefault(id(array), f"a{len(self.names)}")
        if name not in self.named:
            self.named[name] = np.asarray(array)
        return {"array": name, "spread": True} if isinstance(array, Spread) else {"array": name}


class Digests:
    """In place of arrays their hashes: enough to know a setting again."""

    def put(self, array: Any) -> Plain:
        """Shape, precision and a hash."""
        whole = np.ascontiguousarray(array.toarray() if issparse(array) else array)
        return {"shape": list(whole.shape), "dtype": str(whole.dtype), "bytes": _hash(whole.tobytes())}


def plain(value: Any, arrays: Arrays | Digests | None = None, *, kinds: bool = True) -> Plain:
    """A value as JSON can hold it, equal for equal values in every process.

    With :class:`Arrays` the arrays in it are kept there; with :class:`Digests`, for comparison alone, arrays and
    functions become hashes. ``kinds`` names the class of every dataclass.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if kinds or np.isfinite(value) else None
    if isinstance(value, np.generic):
        return plain(value.item(), arrays, kinds=kinds)
    if isinstance(value, Enum):
        return {"kind": type(value).__name__, "name": value.name}
    if isinstance(value, (tuple, list)):
        return [plain(one, arrays, kinds=kinds) for one in value]
    if isinstance(value, Mapping):
        return {str(name): plain(one, arrays, kinds=kinds) for name, one in value.items()}
    if (isinstance(value, (np.ndarray, Spread)) or hasattr(value, "shape")) and arrays is not None:
        placed = arrays.put(value)
        return {"kind": type(value).__name__, **placed} if isinstance(arrays, Digests) else placed
    inside = {name: plain(one, arrays, kinds=kinds) for name, one in _inside(value).items()}
    return {"kind": type(value).__name__, **inside} if kinds else inside


def _inside(value: Any) -> dict[str, Any]:
    if type(value) in CODECS:
        return cast(dict[str, Any], CODECS[type(value)][0](value))
    if isinstance(value, partial):
        return {"func": value.func, "args": value.args, "keywords": value.keywords}
    if isinstance(value, FunctionType):
        closed = [cell.cell_contents for cell in value.__closure__ or ()]
        name = f"{value.__module__}.{value.__qualname__}"
        return {"name": name, "code": _code(value.__code__), "given": [closed, value.__defaults__]}
    if is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in fields(value) if _stored(one)}
    return dict(getattr(value, "__dict__", {}))


def _stored(one: Field[Any]) -> bool:
    return bool(one.metadata.get("stored", True))


def _code(code: CodeType) -> list[Any]:
    """The instructions with their names and constants; no line numbers, which change with a comment."""
    constants = [_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [_hash(code.co_code), list(code.co_names), constants]


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def readable(value: Any) -> str:
    """A setting as a person would write it: what has its default is left out."""
    if isinstance(value, tuple):
        return ", ".join(readable(one) for one in value)
    if not is_dataclass(value) or type(value).__str__ is not object.__str__:
        return str(value)
    shown = [(one.name, getattr(value, one.name), one.default) for one in fields(value)]
    listed = [
        readable(setting) if name == "rules" else f"{name}={setting}"
        for name, setting, default in shown
        if setting != default and not isinstance(setting, Enum)
    ]
    return f"{type(value).__name__}({', '.join(listed)})"


def rebuild(value: Plain) -> Any:
    """A setting again from its plain form; :class:`Foreign` where it names a class that is in no table."""
    if isinstance(value, list):
        return tuple(rebuild(one) for one in value)
    if not isinstance(value, dict):
        return value
    kind = _class(value.get("kind"))
    inside = {name: one for name, one in value.items() if name != "kind"}
    if kind in CODECS:
        return CODECS[kind][1](inside)
    if issubclass(kind, Enum):
        return kind[inside["name"]]
    return kind(**{name: rebuild(one) for name, one in inside.items()})


def _class(kind: Any) -> Any:
    for known in (*(entry for table in TABLES for entry in table.values()), *CODECS):
        if isinstance(known, type) and known.__name__ == kind:
            return known
    raise Foreign(kind)


@dataclass(frozen=True)
class Reader:
    """Makes values of a declared type from their plain form; what does not fit the type is refused."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    hold: Callable[[Array], Any] = lambda array: array
    """What is done to an array that lay on workers."""

    def read(self, kind: type[T], value: Plain) -> T:
        """The value as ``kind``, a dataclass."""
        return cast(T, self._read(kind, value))

    def _read(self, kind: Any, value: Plain) -> Any:
        origin, inside = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            return self._one_of(inside, value)
        if isinstance(value, dict) and "array" in value:
            array = self.arrays[value["array"]]
            return self.hold(array) if value.get("spread") else array
        if kind is Any:
            return value
        if origin in (tuple, list, Sequence) or kind in (tuple, list):
            return self._sequence(origin or kind, inside, value)
        if origin in (dict, Mapping):
            return {str(name): self._read(inside[1], one) for name, one in _mapping(value).items()}
        if isinstance(kind, type) and issubclass(kind, Enum):
            return kind[value["name"] if isinstance(value, dict) else value]
        if is_dataclass(kind):
            return self._dataclass(cast(type, kind), _mapping(value))
        return _scalar(kind, value)

    def _one_of(self, kinds: Sequence[Any], value: Plain) -> Any:
        if value is None and type(None) in kinds:
            return None
        for kind in kinds:
            if kind is not type(None):
                try:
                    return self._read(kind, value)
                except (TypeError, ValueError, KeyError):
                    continue
        raise ValueError(f"{value!r} is none of {kinds}.")

    def _sequence(self, container: Any, inside: Sequence[Any], value: Plain) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"A list is expected, not {value!r}.")
        if container is tuple and inside and inside[-1] is not Ellipsis:
            if len(inside) != len(value):
                raise ValueError(f"{len(inside)} values are expected, not {len(value)}.")
            return tuple(self._read(kind, one) for kind, one in zip(inside, value, strict=True))
        items = (self._read(inside[0] if inside else Any, one) for one in value)
        return tuple(items) if container is tuple else list(items)

    def _dataclass(self, kind: type, value: Mapping[str, Plain]) -> Any:
        hints, known = _hints(kind), {one.name: one for one in fields(cast(Any, kind)) if _stored(one)}
        if unknown := set(value) - set(known) - {"kind"}:
            raise ValueError(f"{kind.__name__} has no {', '.join(sorted(unknown))}.")
        missing = [name for name, one in known.items() if name not in value and _required(one)]
        if missing:
            raise ValueError(f"{kind.__name__} lacks {', '.join(missing)}.")
        return kind(**{name: self._read(hints[name], value[name]) for name in known if name in value})


def _required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _mapping(value: Plain) -> Mapping[str, Plain]:
    if not isinstance(value, dict):
        raise TypeError(f"A dict is expected, not {value!r}.")
    return value


def _scalar(kind: Any, value: Plain) -> Any:
    """A number, a text or a truth value of its declared type; None stands for a float that is not finite."""
    if kind is float and value is None:
        return float("nan")
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if kind in (int, str, bool) and type(value) is kind:
        return value
    raise TypeError(f"{value!r} is not of the type {kind}.")
