"""``Vocabulary``: the terms of a collection with their weights, and the columns of A for new texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.text.json_arrays import array_to_json, array_to_strings, json_to_array, strings_to_array
from partwise.text.spelling import Spelling
from partwise.text.tokenizer import TokenCounts, Tokenizer
from partwise.text.weighting import Weighting
from partwise.text.weighting_schemes import WEIGHTS, TermTotals
from partwise.types import Array


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The terms of a collection with their global weights; enough to weight new texts alike."""

    weighting: Weighting
    terms: tuple[str, ...]
    """The terms as they are shown."""
    keys: tuple[str, ...]
    """The terms as they are counted: stems, hash buckets, or the terms themselves."""
    global_weights: Array

    def __len__(self) -> int:
        return len(self.keys)

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """The matrix of other texts (terms × documents); words outside the vocabulary are ignored."""
        _check_texts(texts)
        self._vectorizer.analyzer.counts = TokenCounts()  # counts of earlier texts are not needed, and would grow
        return self.weighted(self._vectorizer.transform(texts))

    def weighted(self, counts: sp.csr_array) -> sp.csr_array:
        """Counts (documents × terms) as weights, transposed."""
        from sklearn.preprocessing import normalize  # imported late: it takes a second

        local = WEIGHTS[self.weighting.weight][0]
        weights = sp.csr_array(counts, dtype=np.float64)
        weights.sort_indices()  # so that a document has the same bits wherever it comes from
        weights.data = local(weights.data) * self.global_weights[weights.indices]
        weights.eliminate_zeros()
        if self.weighting.normalize and weights.nnz:
            weights = normalize(weights, copy=False)
        return sp.csr_array(weights.T.tocsr())

    def column(self, text: str) -> Array:
        """The column of A for one text, the same numbers as ``transform([text])`` without loading scikit-learn."""
        counts = np.zeros(len(self))
        for key in self.weighting.tokenizer()(text):
            if key in self._rows:
                counts[self._rows[key]] += 1
        column = WEIGHTS[self.weighting.weight][0](counts) * self.global_weights
        length = float(np.linalg.norm(column))
        return column / length if self.weighting.normalize and length > 0 else column

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """The words of a text that are not in the vocabulary, each once, without stop words."""
        single = replace(self.weighting, ngrams=(1, 1))
        words, keys = replace(single, stem=None, hashing=None).tokenizer(), single.tokenizer()
        pairs = zip(words(text), keys(text), strict=True)
        return tuple(dict.fromkeys(word for word, key in pairs if key not in self._known_words))

    def suggestions(self, words: Iterable[str], n: int = 3) -> dict[str, tuple[str, ...]]:
        """For each word the known words that are spelt most like it, where there are any."""
        found = {word: self._spelling.nearest(word, n) for word in words}
        return {word: near for word, near in found.items() if near}

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(word for key in self.keys for word in key.split(" "))

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(word for term in self.terms for word in term.split(" "))

    @cached_property
    def _vectorizer(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer  # imported late: it takes a second

        return CountVectorizer(analyzer=self.weighting.tokenizer(), vocabulary=self.keys, dtype=np.float64)

    def as_arrays(self) -> dict[str, Array]:
        """The vocabulary as plain arrays, for a file."""
        return {
            "weighting": json_to_array(self.weighting.as_dict()),
            "terms": strings_to_array(self.terms),
            "keys": strings_to_array(self.keys),
            "global_weights": self.global_weights,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Vocabulary:
        """The vocabulary that :meth:`as_arrays` described."""
        terms, keys = array_to_strings(arrays["terms"]), array_to_strings(arrays["keys"])
        weights = np.asarray(arrays["global_weights"], np.float64)
        if not len(terms) == len(keys) == len(weights) or weights.ndim != 1:
            raise ValueError("The vocabulary is damaged: terms, keys and weights differ in number.")
        return cls(Weighting.from_dict(array_to_json(arrays["weighting"])), terms, keys, weights)


def fit_vocabulary(weighting: Weighting, texts: Iterable[str]) -> tuple[Vocabulary, sp.csr_array]:
    """The vocabulary of texts and their matrix A (terms × documents), in one pass in memory."""
    tokenizer = weighting.tokenizer()
    counts, keys = _count(weighting, tokenizer, texts)
    global_weights = WEIGHTS[weighting.weight][1](TermTotals.of(counts))
    vocabulary = Vocabulary(weighting, tokenizer.shown(keys), keys, global_weights)
    return vocabulary, vocabulary.weighted(counts)


def _count(weighting: Weighting, tokenizer: Tokenizer, texts: Iterable[str]) -> tuple[sp.csr_array, tuple[str, ...]]:
    """(counts, keys) by scikit-learn; an empty vocabulary is explained."""
    from sklearn.feature_extraction.text import CountVectorizer  # imported late: it takes a second

    _check_texts(texts)
    vectorizer = CountVectorizer(
        analyzer=tokenizer,
        min_df=weighting.min_df,
        max_df=weighting.max_df,
        max_features=weighting.max_terms,
        dtype=np.float64,
    )
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:
        if (reason := why_empty(weighting, tokenizer.counts, str(error))) is None:
            raise
        raise ValueError(reason) from None
    return sp.csr_array(counts), tuple(map(str, vectorizer.get_feature_names_out()))


def why_empty(weighting: Weighting, counts: TokenCounts, message: str) -> str | None:
    """Why a vocabulary is empty by scikit-learn's message, or None where that is about something else."""
    if not any(phrase in message for phrase in ("empty vocabulary", "no terms remain", "max_df corresponds")):
        return None
    n, low, high = counts.documents, weighting.min_df, weighting.max_df
    documents = "1 document" if n == 1 else f"{n:,} documents"
    if n == 0:
        return "The collection is empty: there is no document."
    if counts.words == 0:
        return f"There is no word in {documents}; look at the column, the encoding or the pattern of a word."
    if counts.content_words == 0:
        return f"There is no word left in {documents} once stop words are left out; choose other stop words or none."
    if "empty vocabulary" in message:
        return f"There is no run of {weighting.ngrams[0]} words in {documents}; lower the shortest run in ngrams."
    if isinstance(low, int) and low > n:
        return f"min_df={low} asks for terms in at least {low} documents, and the collection has {documents}; lower it."
    return (
        f"No term is in enough and not too many documents of {n:,} (min_df={low}, max_df={high}); "
        "lower min_df or raise max_df."
    )


def _check_texts(texts: object) -> None:
    if isinstance(texts, str):
        raise TypeError("One text was given where several are expected; put it in a list.")
