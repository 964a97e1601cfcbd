"""Each topic for the page: where it stands, what it is worth, and the documents that show it with their carriers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.linalg.matching import unit_columns
from partwise.linalg.measures import hoyer
from partwise.plot.colours import colour
from partwise.report.measured import Measured
from partwise.report.payload import clipped, number
from partwise.report.subject import Subject
from partwise.result.coherence import npmi_coherence
from partwise.text.mixtures import Strongest, degrees, unit_weights
from partwise.text.topics import representatives
from partwise.types import Array

EXAMPLES, CARRIERS, TOP = 5, 8, 10


def topics_payload(subject: Subject, found: Measured) -> list[dict[str, Any]]:
    """One dict a topic."""
    w, fit = subject.fit.w, subject.fit
    weights = unit_weights(w, fit.h)
    parts = degrees(weights)
    sizes = np.bincount(Strongest.of(parts).topic + 1, minlength=fit.rank + 1)[1:]
    coherence = [None] * fit.rank if subject.matrix is None else npmi_coherence(as_data(subject.matrix), w, TOP)
    sparsity, carriers = hoyer(w, axis=0), _Carriers(subject)
    trust = [None] * fit.rank if found.reliability is None else found.reliability
    return [
        {
            "name": clipped(subject.names[c], 120),
            "colour": colour(c),
            "share": number(subject.shares[c]),
            "size": int(sizes[c]),
            "coherence": number(coherence[c], 3),
            "sparsity": number(sparsity[c], 3),
            "reliability": number(trust[c], 3),
            "examples": [
                carriers.example(int(i), c, float(parts[i, c])) for i in representatives(parts, weights, c, EXAMPLES)
            ],
        }
        for c in range(fit.rank)
    ]


class _Carriers:
    """Which terms of a document carried a topic: a_i u_ic, the parts of its inner product with the unit column."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._unit = unit_columns(subject.fit.w)
        self._columns = None if subject.matrix is None else sp.csc_array(subject.matrix)
        self._key = _key_of(subject)

    def example(self, i: int, topic: int, degree: float) -> dict[str, Any]:
        """A document with its carriers, and its first words cut where a carrier stands."""
        kept, held = self._subject, self._strongest(i, topic)
        keys = {part for place, _ in held for part in self._keys(place)}
        return {
            "id": clipped(kept.ids[i]),
            "title": clipped(kept.titles[i]),
            "degree": number(degree, 3),
            "carriers": [[clipped(kept.rows[place], 80), number(part, 3)] for place, part in held],
            "pieces": _pieces(clipped(kept.snippets[i]), keys, self._pattern, self._key),
        }

    def _strongest(self, i: int, topic: int) -> list[tuple[int, float]]:
        if self._columns is None:
            return []
        lo, hi = self._columns.indptr[i : i + 2]
        places = self._columns.indices[lo:hi]
        near = self._columns.data[lo:hi] * self._unit[places, topic]
        order, total = np.argsort(-near, kind="stable")[:CARRIERS], float(near.sum())
        return [(int(places[o]), float(near[o]) / total) for o in order if near[o] > 0]

    def _keys(self, place: int) -> Sequence[str]:
        model = self._subject.model
        return () if model is None else model.vocabulary.keys[place].split(" ")

    @property
    def _pattern(self) -> str:
        model = self._subject.model
        return r"\S+" if model is None else model.weighting.pattern


def _key_of(subject: Subject) -> Callable[[str], str]:
    """word -> the key under which it is counted."""
    if subject.model is None:
        return str.lower
    words = replace(subject.model.weighting, ngrams=(1, 1)).words()
    return lambda word: " ".join(words(word))


def _pieces(text: str, keys: set[str], pattern: str, key: Callable[[str], str]) -> list[list[Any]]:
    """A text as pieces: [words, whether a carrier]."""
    text = unicodedata.normalize("NFC", text)
    found: list[list[Any]] = []
    at = 0
    for word in re.finditer(pattern, text):
        if keys and key(word[0]) in keys:
            found += [[text[at : word.start()], 0], [word[0], 1]]
            at = word.end()
    return [piece for piece in [*found, [text[at:], 0]] if piece[0]]


def mixture_scale(w: Array) -> Array:
    """‖w_c‖, by which a document's weights become weights for topics of length 1."""
    length: Array = np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    return length
