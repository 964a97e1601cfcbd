"""Strings as arrays of bytes."""

import json

import pytest

from partwise.text.json_arrays import PIECE, array_to_strings, strings_to_array


@pytest.mark.parametrize("count", [0, 1, PIECE, 2 * PIECE + 1])
def test_strings_are_those_of_their_json_list(count):
    """However many there are, with quotes, commas, brackets, line ends and halves of surrogate pairs."""
    strings = tuple(f'{i}, "é]\n\ud800[' for i in range(count))
    array = strings_to_array(strings)
    assert array.tobytes() == json.dumps(strings, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert array_to_strings(array) == strings
