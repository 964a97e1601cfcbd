"""Choosing from a table by name."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any


def choose(what: str, given: Any, table: Mapping[str, Any]) -> Any:
    """The entry of a table, or a sentence with the nearest name."""
    if not isinstance(given, str):
        raise TypeError(f"{what} must be a name or an object of its kind, not {type(given).__name__}.")
    if given in table:
        return table[given]
    near = get_close_matches(given.lower().replace("_", "-").replace(" ", "-"), table, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(table)}."
    raise ValueError(f"There is no {what} {given!r}; {hint}")
