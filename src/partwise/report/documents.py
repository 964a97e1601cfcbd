"""The documents for the page's table and search: all of them, or a seeded sample that says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from partwise.report.payload import clipped, packed, packed_rows
from partwise.report.subject import Subject
from partwise.report.topics import mixture_scale
from partwise.types import Array

MOST, BUDGET = 20_000, 1_500_000
SHORTEST, LONGEST = 60, 200


def sampled(count: int, most: int = MOST) -> Array:
    """Which documents are on the page, in their own order."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def documents_payload(subject: Subject) -> dict[str, Any]:
    """Names, first words and weights of the documents on the page."""
    total = len(subject.ids)
    chosen = sampled(total)
    room = int(np.clip(BUDGET // max(len(chosen), 1), SHORTEST, LONGEST))
    every = [int(i) for i in chosen]
    return {
        "total": total,
        "ids": [clipped(subject.ids[i], 200) for i in every],
        "titles": _strings([clipped(subject.titles[i], 200) for i in every]),
        "labels": _strings([clipped(subject.labels[i], 80) for i in every]),
        "snippets": _strings([_rest(subject.titles[i], subject.snippets[i], room) for i in every]),
        "h": packed_rows(subject.fit.h[chosen]),
        "scale": packed(mixture_scale(subject.fit.w), "f8"),
    }


def _strings(found: list[str]) -> list[str] | None:
    return found if any(found) else None


def _rest(title: str, snippet: str, room: int) -> str:
    """The first words, without a title that they only repeat."""
    text = snippet.removeprefix(title).strip() if title else snippet
    return clipped(text, room)
