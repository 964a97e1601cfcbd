"""Data inside a page: JSON that no HTML parser can mistake for markup, arrays as base64."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np

from partwise.types import Array

LONGEST = 300
_ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_LONE = re.compile("[\ud800-\udfff]")


def to_json(value: Any) -> str:
    """JSON with <, >, & and the line separators written as escapes, so that it can stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.translate(_ESCAPED))


def clipped(text: str, most: int = LONGEST) -> str:
    """At most ``most`` characters of a text; what was longer ends in a sign that no word has."""
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float | None, digits: int = 6) -> float | None:
    """A number with so many digits, None where there is none."""
    if value is None or not np.isfinite(value):
        return None
    return float(f"{float(value):.{digits}g}")


def packed(array: Array, kind: str) -> dict[str, str]:
    """An array as base64 of little-endian ``kind``: u1, u2, u4, f4 or f8."""
    raw = np.ascontiguousarray(array, np.dtype(kind).newbyteorder("<")).tobytes()
    return {"kind": kind, "bytes": base64.b64encode(raw).decode("ascii")}


def packed_rows(factor: Array) -> dict[str, Any]:
    """A tall factor without its zeros: how many each row holds, in which columns, and the values as float32.

    Half precision would halve it and turn near neighbours around; single precision keeps the ranking.
    """
    small = np.asarray(factor, np.float32)
    rows, columns = np.nonzero(small)
    k = small.shape[1]
    if len(rows) > 0.8 * small.size:
        return {"rows": len(small), "columns": k, "dense": packed(small, "f4")}
    counts = np.bincount(rows, minlength=len(small))
    return {
        "rows": len(small),
        "columns": k,
        "counts": packed(counts, "u2"),
        "places": packed(columns, "u1" if k <= 256 else "u2"),
        "values": packed(small[rows, columns], "f4"),
    }
