"""One short text in the terms of a vocabulary, without loading scikit-learn: a search should begin at once."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from partwise.text.weighting import Vocabulary
from partwise.text.weights import WEIGHTS
from partwise.types import Array


def query_column(vocabulary: Vocabulary, text: str) -> Array:
    """The column of A for one text, the same numbers as ``vocabulary.transform([text])``."""
    weighting, places = vocabulary.weighting, {key: i for i, key in enumerate(vocabulary.keys)}
    column = np.zeros(len(vocabulary))
    for key in weighting.words()(text):
        if key in places:
            column[places[key]] += 1
    column = WEIGHTS[weighting.weight][0](column) * vocabulary.global_weights
    length = float(np.linalg.norm(column))
    return column / length if weighting.normalize and length > 0 else column


def unknown_words(vocabulary: Vocabulary, text: str) -> tuple[str, ...]:
    """The words of a text that the vocabulary has not got, each once; stop words are not missed."""
    weighting = vocabulary.weighting
    single = replace(weighting, ngrams=(1, 1))
    plain, stemmed = replace(single, stem=None, hashing=None).words(), single.words()
    parts = {part for key in vocabulary.keys for part in key.split(" ")}
    pairs = zip(plain(text), stemmed(text), strict=True)
    return tuple(dict.fromkeys(word for word, key in pairs if key not in parts))


def near_words(vocabulary: Vocabulary, words: tuple[str, ...]) -> tuple[str, ...]:
    """For each word the term that is spelt most like it, where there is one."""
    found = [get_close_matches(word, vocabulary.terms, n=1, cutoff=0.75) for word in words]
    return tuple(dict.fromkeys(near[0] for near in found if near))
