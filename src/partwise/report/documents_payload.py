"""The documents of a page, for its table and search: all, or a seeded sample of 20,000."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partwise.report.encoding import Payload, clipped, packed, packed_rows
from partwise.report.labelled_fit import LabelledFit
from partwise.report.topics_payload import mixture_scale
from partwise.report.words_payload import words_payload
from partwise.types import Array

MOST, BUDGET = 20_000, 1_500_000
SHORTEST, LONGEST = 60, 200


def sampled(count: int, most: int = MOST) -> Array:
    """The indices of the documents on the page, in ascending order."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, most, replace=False))


def documents_payload(labelled: LabelledFit) -> Payload:
    """Names, first words, weights for topics and weighted words of the documents on the page."""
    total = len(labelled.ids)
    chosen = sampled(total)
    length = int(np.clip(BUDGET // max(len(chosen), 1), SHORTEST, LONGEST))
    indices = [int(i) for i in chosen]
    return {
        "total": total,
        "ids": [clipped(labelled.ids[i], 200) for i in indices],
        "titles": _strings([clipped(labelled.titles[i], 200) for i in indices]),
        "labels": _strings([clipped(labelled.labels[i], 80) for i in indices]),
        "snippets": _strings([_snippet(labelled.titles[i], labelled.snippets[i], length) for i in indices]),
        "h": packed_rows(labelled.fit.h[chosen]),
        "words": None if labelled.model is None else words_payload(labelled.model, chosen),
        "copies": [] if labelled.model is None else _copies(labelled.model.collection.copies, indices),
        "scale": packed(mixture_scale(labelled.fit.w), "f8"),
    }


def _strings(texts: list[str]) -> list[str] | None:
    return texts if any(texts) else None


def _copies(copies: Mapping[int, Sequence[int]], indices: Sequence[int]) -> list[tuple[int, int]]:
    """(place on the page, place of the first document with the same text there)"""
    places = {index: place for place, index in enumerate(indices)}
    groups = ([places[i] for i in (first, *later) if i in places] for first, later in copies.items())
    return [(place, group[0]) for group in groups for place in group[1:]]


def _snippet(title: str, snippet: str, length: int) -> str:
    """The first words, without the title where they begin with it."""
    text = snippet.removeprefix(title).strip() if title else snippet
    return clipped(text, length)
