"""The topics of a page: share, size, coherence, reliability, and example documents with the terms that carry them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.linalg.matching import unit_columns
from partwise.linalg.measures import hoyer
from partwise.plot.colours import colour
from partwise.report.diagnostics import Diagnostics
from partwise.report.encoding import Payload, clipped, significant
from partwise.report.labelled_fit import LabelledFit
from partwise.result.coherence import npmi_coherence
from partwise.text.mixtures import Strongest, degrees, unit_weights
from partwise.text.tokenizer import highlight_pattern
from partwise.text.topics import representatives
from partwise.types import Array

EXAMPLES, CARRIERS, TOP = 5, 8, 10


def topics_payload(labelled: LabelledFit, diagnostics: Diagnostics) -> list[Payload]:
    """A dict for each topic."""
    w, fit = labelled.fit.w, labelled.fit
    weights = unit_weights(w, fit.h)
    parts = degrees(weights)
    strongest = Strongest.of(parts)
    coherence = [None] * fit.rank if labelled.matrix is None else npmi_coherence(as_data(labelled.matrix), w, TOP)
    sparsity, carriers = hoyer(w, axis=0), _CarrierTerms(labelled)
    reliability = [None] * fit.rank if diagnostics.reliability is None else diagnostics.reliability
    return [
        {
            "name": clipped(labelled.names[c], 120),
            "colour": colour(c),
            "share": significant(labelled.shares[c]),
            "size": size,
            "coherence": significant(coherence[c], 3),
            "sparsity": significant(sparsity[c], 3),
            "reliability": significant(reliability[c], 3),
            "examples": [
                carriers.example(int(i), c, float(parts[i, c]))
                for i in representatives(strongest.topic, weights, c, EXAMPLES)
            ],
        }
        for c, size in enumerate(strongest.sizes(fit.rank))
    ]


class _CarrierTerms:
    """The terms that carry a topic in a document: the largest summands a_i u_ic of its product with the unit column."""

    def __init__(self, labelled: LabelledFit) -> None:
        self._labelled = labelled
        self._unit = unit_columns(labelled.fit.w)
        self._columns = None if labelled.matrix is None else sp.csc_array(labelled.matrix)
        self._key = _key_of(labelled)

    def example(self, i: int, topic: int, degree: float) -> Payload:
        """A document with its carrier terms, and its snippet cut into pieces at these terms."""
        labelled, carriers = self._labelled, self._strongest(i, topic)
        keys = {part for row, _ in carriers for part in self._keys(row)}
        return {
            "id": clipped(labelled.ids[i]),
            "title": clipped(labelled.titles[i]),
            "degree": significant(degree, 3),
            "carriers": [[clipped(labelled.rows[row], 80), significant(share, 3)] for row, share in carriers],
            "pieces": _pieces(clipped(labelled.snippets[i]), keys, self._pattern, self._key),
        }

    def _strongest(self, i: int, topic: int) -> list[tuple[int, float]]:
        """(row, share of the product) of the terms that carry a topic most in document i."""
        if self._columns is None:
            return []
        lo, hi = self._columns.indptr[i : i + 2]
        rows = self._columns.indices[lo:hi]
        products = self._columns.data[lo:hi] * self._unit[rows, topic]
        order, total = np.argsort(-products, kind="stable")[:CARRIERS], float(products.sum())
        return [(int(rows[o]), float(products[o]) / total) for o in order if products[o] > 0]

    def _keys(self, row: int) -> Sequence[str]:
        model = self._labelled.model
        return () if model is None else model.vocabulary.keys[row].split(" ")

    @property
    def _pattern(self) -> str:
        model = self._labelled.model
        return r"\S+" if model is None else model.weighting.pattern or highlight_pattern()


def _key_of(labelled: LabelledFit) -> Callable[[str], str]:
    """word -> the key under which it is counted."""
    if labelled.model is None:
        return str.lower
    words = replace(labelled.model.weighting, ngrams=(1, 1)).analyzer()
    return lambda word: " ".join(words(word))


def _pieces(text: str, keys: set[str], pattern: str, key: Callable[[str], str]) -> list[list[str | int]]:
    """A text as pieces [text, 1 where it is a carrier term, else 0]."""
    text = unicodedata.normalize("NFC", text)
    pieces: list[list[str | int]] = []
    at = 0
    for word in re.finditer(pattern, text):
        if keys and key(word[0]) in keys:
            pieces += [[text[at : word.start()], 0], [word[0], 1]]
            at = word.end()
    pieces.append([text[at:], 0])
    return [piece for piece in pieces if piece[0]]


def mixture_scale(w: Array) -> Array:
    """‖w_c‖, by which a document's weights become weights for topics of length 1."""
    length: Array = np.linalg.norm(w.astype(np.float64, copy=False), axis=0)
    return length
