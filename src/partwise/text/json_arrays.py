"""JSON values as arrays of bytes (UTF-8), so that a model file holds plain arrays and nothing is pickled."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from partwise.storage.settings import Plain
from partwise.types import Array


def json_to_array(value: Plain) -> Array:
    """A JSON value as an array of bytes."""
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), np.uint8)


def array_to_json(array: Array) -> Plain:
    """The value that :func:`json_to_array` encoded."""
    return json.loads(np.asarray(array, np.uint8).tobytes().decode("utf-8", "surrogatepass"))


def strings_to_array(strings: Iterable[str]) -> Array:
    """Strings as an array of bytes."""
    return json_to_array(list(strings))


def array_to_strings(array: Array) -> tuple[str, ...]:
    """The strings that :func:`strings_to_array` encoded; anything else is refused."""
    strings = array_to_json(array)
    if not isinstance(strings, list) or not all(isinstance(item, str) for item in strings):
        raise ValueError("The file is damaged: strings were expected.")
    return tuple(strings)
