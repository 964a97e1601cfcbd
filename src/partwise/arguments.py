"""Checks of arguments, each with its sentence, and sizes in bytes as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def choose(what: str, name: Any, table: Mapping[str, Any]) -> Any:
    """The entry of a table, or a sentence with the nearest name."""
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a name or an object of its kind, not {type(name).__name__}.")
    if name in table:
        return table[name]
    near = get_close_matches(name[:100].lower().replace("_", "-").replace(" ", "-"), table, n=1, cutoff=0.65)
    hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(table)}."
    raise ValueError(f"There is no {what} {shortened(name)!r}; {hint}")


def shortened(text: str, most: int = 60) -> str:
    """A text of any length for a sentence: its beginning and three dots where it is long."""
    return text if len(text) <= most else text[:most] + "…"


def quoted(value: Any) -> str:
    """A value for a sentence, as Python writes it, on one line and in bearable length."""
    return shortened(re.sub(r"\s*\n\s*", " ", repr(value)))


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python's or of numpy's kind; a truth value is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


MOST_RUNS = 10**6
"""The most starts of a race and runs of a survey; more would never end."""


def whole_number(name: str, value: Any, least: int = 1, hint: str = "", most: int | None = None) -> int:
    """A whole number of at least ``least``, or a sentence; ``hint`` says what else is allowed."""
    if is_whole(value) and value >= least:
        if most is not None and value > most:
            raise ValueError(f"{name} must be at most {most:,}, not {quoted(value)}.")
        return int(value)
    also = f", {hint}," if hint else ","
    raise ValueError(f"{name} must be a whole number of at least {least}{also} not {quoted(value)}.")


def number(name: str, value: Any, low: float = 0.0, high: float = np.inf, *, ends: str = "[]", hint: str = "") -> float:
    """A finite number in a range, or a sentence; ``ends`` are its brackets, "(" and ")" leave an end out.

    ``hint`` says what else is allowed.
    """
    checked = _as_float(value)
    if math.isfinite(checked):
        above = checked > low or (checked == low and ends[0] == "[")
        if above and (checked < high or (checked == high and ends[1] == "]")):
            return checked
    also = f", {hint}," if hint else ","
    raise ValueError(f"{name} must be a {_range(low, high, ends)}{also} not {quoted(value)}.")


def _as_float(value: Any) -> float:
    """A number of any kind as a float; NaN for what is none, or is beyond the range of floats."""
    if not isinstance(value, (Real, np.number)) or isinstance(value, (bool, np.bool_, np.complexfloating)):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("nan")


def _range(low: float, high: float, ends: str) -> str:
    if high == np.inf:
        return f"number above {low:g}" if ends[0] == "(" else f"finite number ≥ {low:g}"
    return f"finite number in {ends[0]}{low:g}, {high:g}{ends[1]}"


def check_rank(rank: Any, shape: tuple[int, int], *, lenient: bool = False) -> int:
    """A whole number from 1 to the smaller side, or beyond it in the lenient way."""
    if not is_whole(rank):
        raise TypeError(f"rank must be a whole number, not {quoted(rank)}.")
    if rank < 1 or (rank > min(shape) and not lenient):
        raise ValueError(f"rank must be from 1 to {min(shape)} for a {shape[0]} × {shape[1]} matrix, not {rank}.")
    return int(rank)


def check_seed(seed: Any) -> None:
    """A whole number from 0 on, or None."""
    if seed is not None:
        whole_number("seed", seed, 0, "or None")


def as_bytes(limit: Any) -> int:
    """A number of bytes, or a text such as "1.5 GB" or "512MiB"."""
    if isinstance(limit, (int, float, np.number)) and not isinstance(limit, bool) and 0 < limit < np.inf:
        return int(limit)
    match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([kmgt]?i?b?)\s*", limit, re.IGNORECASE) if isinstance(limit, str) else None
    unit = match and (match[2].upper() if match[2].upper().endswith("B") or not match[2] else match[2].upper() + "B")
    if not match or unit not in UNITS or float(match[1]) <= 0:
        raise ValueError(f'A memory limit must be a number of bytes or a text such as "1GB", not {quoted(limit)}.')
    return int(float(match[1]) * UNITS[unit])


def readable_bytes(count: float) -> str:
    """Bytes for the reader: 1.23 MB."""
    power = min(int(math.log10(max(count, 1)) // 3), 4)
    return f"{count / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
