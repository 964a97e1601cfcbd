"""How data are encoded in a page: JSON that no HTML parser can mistake for markup, arrays as base64."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, TypeAlias

import numpy as np

from partwise.types import Array

Payload: TypeAlias = dict[str, Any]
"""Data of the page by name, ready for JSON."""
LONGEST, DOUBLE = 300, 150_000
_ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_LONE = re.compile("[\ud800-\udfff]")


def to_json(value: object) -> str:
    """JSON with <, >, & and the line separators written as escapes, so that it can stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", text.translate(_ESCAPED))


def clipped(text: str, most: int = LONGEST) -> str:
    """At most ``most`` characters of a text; a longer one ends in an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def significant(value: float | None, digits: int = 6) -> float | None:
    """A number rounded to so many significant digits; None where it is missing or not finite."""
    if value is None or not np.isfinite(value):
        return None
    return float(f"{float(value):.{digits}g}")


def packed(array: Array, kind: str) -> dict[str, str]:
    """An array as base64 of little-endian ``kind``: u1, u2, u4, f4 or f8."""
    raw = np.ascontiguousarray(array, np.dtype(kind).newbyteorder("<")).tobytes()
    return {"kind": kind, "bytes": base64.b64encode(raw).decode("ascii")}


def packed_rows(factor: Array) -> Payload:
    """A factor (rows × k) without its zeros: the number of nonzeros in each row, their columns and values.

    Double precision up to 150,000 nonzeros, else single; half precision would swap near neighbours in a ranking.
    """
    kind = "f8" if np.count_nonzero(factor) <= DOUBLE else "f4"
    kept = np.asarray(factor, kind)
    rows, columns = np.nonzero(kept)
    k = kept.shape[1]
    if len(rows) > 0.8 * kept.size:
        return {"rows": len(kept), "columns": k, "dense": packed(kept, kind)}
    counts = np.bincount(rows, minlength=len(kept))
    return {
        "rows": len(kept),
        "columns": k,
        "counts": packed(counts, "u2"),
        "places": packed(columns, "u1" if k <= 256 else "u2"),
        "values": packed(kept[rows, columns], kind),
    }
