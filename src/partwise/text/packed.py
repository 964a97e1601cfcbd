"""Strings as one array of bytes (JSON in UTF-8), so that a model file holds plain arrays and nothing is pickled."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from partwise.types import Array


def pack(value: Any) -> Array:
    """JSON as bytes."""
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), np.uint8)


def unpack(array: Array) -> Any:
    """The value that :func:`pack` was given."""
    return json.loads(np.asarray(array, np.uint8).tobytes().decode("utf-8", "surrogatepass"))


def pack_strings(strings: Iterable[str]) -> Array:
    """Strings as bytes."""
    return pack(list(strings))


def unpack_strings(array: Array) -> tuple[str, ...]:
    """The strings that :func:`pack_strings` was given, anything else refused."""
    found = unpack(array)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise ValueError("The file is damaged: strings were expected.")
    return tuple(found)
