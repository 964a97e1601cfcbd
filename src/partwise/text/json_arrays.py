"""JSON values as arrays of bytes (UTF-8), so that a model file holds plain arrays and nothing is pickled."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from partwise.storage.settings import Plain
from partwise.types import Array

FIRST_PRINTABLE = ord(" ")
PIECE = 1000
"""Strings that are encoded at a time: no other thread of Python runs meanwhile."""


def json_to_array(value: Plain) -> Array:
    """A JSON value as an array of bytes."""
    return _as_array(_json(value))


def _json(value: Plain) -> str:
    return json.dumps(value, ensure_ascii=False)


def _as_array(text: str) -> Array:
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def array_to_json(array: Array) -> Plain:
    """The value that :func:`json_to_array` encoded."""
    return json.loads(np.asarray(array, np.uint8).tobytes().decode("utf-8", "surrogatepass"))


def strings_to_array(strings: Sequence[str]) -> Array:
    """Strings as an array of bytes, those of their JSON list."""
    pieces = (_items(strings[at : at + PIECE]) for at in range(0, len(strings), PIECE))
    return np.frombuffer(b"[%s]" % b", ".join(pieces), np.uint8)


def _items(strings: Sequence[str]) -> bytes:
    """The items of a JSON list; without control characters they are joined at once, in a fifth of json's time."""
    text = "\0".join(strings).encode("utf-8", "surrogatepass")
    if np.count_nonzero(np.frombuffer(text, np.uint8) < FIRST_PRINTABLE) >= len(strings):
        return _json(list(strings))[1:-1].encode("utf-8", "surrogatepass")
    return b'"%s"' % text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\0", b'", "')


def array_to_strings(array: Array) -> tuple[str, ...]:
    """The strings that :func:`strings_to_array` encoded; anything else is refused."""
    strings = array_to_json(array)
    if not isinstance(strings, list) or not all(isinstance(item, str) for item in strings):
        raise ValueError("The file is damaged: strings were expected.")
    return tuple(strings)
