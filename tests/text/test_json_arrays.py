"""Strings as arrays of bytes."""

import json

import pytest

from partwise.text.json_arrays import PIECE, array_to_strings, strings_to_array


@pytest.mark.parametrize("control", ["", "\n", "\0", "\x1f"])
@pytest.mark.parametrize("count", [0, 1, PIECE, 2 * PIECE + 1])
def test_strings_are_those_of_their_json_list(count, control):
    """However many there are, with quotes, commas, brackets and halves of surrogate pairs, with line ends or none."""
    strings = tuple(f'{i}, "é]\\{control if i % 3 else ""}\ud800[\x7f\\n' for i in range(count))
    array = strings_to_array(strings)
    assert array.tobytes() == json.dumps(strings, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert array_to_strings(array) == strings
