"""How texts become a matrix, terms × documents: counts, tf-idf or log-entropy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.arguments import choose
from partwise.text.packed import pack, pack_strings, unpack, unpack_strings
from partwise.text.stop_words import check_stop_words, english
from partwise.text.weights import WEIGHTS, Totals
from partwise.text.words import PATTERN, Seen, Words, stemmer
from partwise.types import Array


@dataclass(frozen=True)
class Weighting:
    """Which words count, and how much.

    Parameters
    ----------
    weight : "tfidf", "counts" or "log-entropy".
    stop_words : "english", None, or a tuple of words.
    ngrams : the shortest and the longest run of words that is a term.
    min_df, max_df : in how many documents a term must and may be; a whole number counts, a float is a share.
    max_terms : keep the commonest terms only.
    stem : a Snowball language such as "english"; each stem is shown as its commonest surface form.
    normalize : whether every document has length 1.
    pattern : the regular expression of a word.
    hashing : count places in a table of so many hashes instead of terms, for collections whose vocabulary is too large
        for the memory; terms that meet in a place are one, shown as the commonest of them.
    """

    weight: str = "tfidf"
    stop_words: str | tuple[str, ...] | None = "english"
    ngrams: tuple[int, int] = (1, 1)
    min_df: int | float = 2
    max_df: int | float = 1.0
    max_terms: int | None = None
    stem: str | None = None
    normalize: bool = True
    pattern: str = PATTERN
    hashing: int | None = None

    def __post_init__(self) -> None:
        choose("weight", self.weight, WEIGHTS)
        check_stop_words(self.stop_words)
        _check_ngrams(self.ngrams)
        _check_share("min_df", self.min_df)
        _check_share("max_df", self.max_df)
        if self.max_terms is not None and not (_is_whole(self.max_terms) and self.max_terms >= 1):
            raise ValueError(f"max_terms must be a whole number of at least 1 or None, not {self.max_terms!r}.")
        if self.hashing is not None and not (_is_whole(self.hashing) and self.hashing >= 2):
            raise ValueError(
                f"hashing must be a whole number of at least 2 such as 2**18, or None, not {self.hashing!r}."
            )
        if self.stem is not None:
            stemmer(self.stem)
        _check_pattern(self.pattern)

    def words(self, seen: Seen | None = None) -> Words:
        """A fresh analyzer of texts, or one that goes on from what another has seen."""
        stop = english() if self.stop_words == "english" else frozenset(w.lower() for w in self.stop_words or ())
        return Words(self.pattern, stop, self.stem, self.ngrams, self.hashing, seen)

    def fit(self, texts: Iterable[str]) -> tuple[Vocabulary, sp.csr_array]:
        """The vocabulary of texts and their matrix A (terms × documents), in one pass."""
        words = self.words()
        counts, keys = _counted(self, words, texts)
        vocabulary = Vocabulary(self, words.shown(keys), keys, WEIGHTS[self.weight][1](Totals.of(counts)))
        return vocabulary, vocabulary.weighted(counts)

    def as_dict(self) -> dict[str, Any]:
        """The options as JSON can hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Weighting:
        """The weighting that :meth:`as_dict` described."""
        known = {f.name for f in fields(cls)}
        if unknown := sorted(set(options) - known):
            raise ValueError(f"There is no weighting option {unknown[0]!r}; choose from {', '.join(sorted(known))}.")
        made: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in options.items()}
        return cls(**made)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The terms of a collection with their global weights; enough to weigh new texts alike."""

    weighting: Weighting
    terms: tuple[str, ...]
    """The terms as they are shown."""
    keys: tuple[str, ...]
    """The terms as they are counted: the stems, or the terms themselves."""
    global_weights: Array

    def __len__(self) -> int:
        return len(self.keys)

    def transform(self, texts: Iterable[str]) -> sp.csr_array:
        """The matrix of other texts (terms × documents); words outside the vocabulary are ignored."""
        _check_texts(texts)
        self._vectorizer.analyzer.seen = Seen()  # what earlier texts held is not needed, and would pile up
        return self.weighted(self._vectorizer.transform(texts))

    def weighted(self, counts: Any) -> sp.csr_array:
        """Counts (documents × terms) as weights, transposed."""
        from sklearn.preprocessing import normalize  # imported late: it takes a second

        local = WEIGHTS[self.weighting.weight][0]
        made = sp.csr_array(counts, dtype=np.float64)
        made.sort_indices()  # so that a document has the same bits wherever it comes from
        made.data = local(made.data) * self.global_weights[made.indices]
        made.eliminate_zeros()
        if self.weighting.normalize and made.nnz:
            made = normalize(made, copy=False)
        return sp.csr_array(made.T.tocsr())

    @cached_property
    def _vectorizer(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer  # imported late: it takes a second

        return CountVectorizer(analyzer=self.weighting.words(), vocabulary=self.keys, dtype=np.float64)

    def as_arrays(self) -> dict[str, Array]:
        """The vocabulary as plain arrays, for a file."""
        return {
            "weighting": pack(self.weighting.as_dict()),
            "terms": pack_strings(self.terms),
            "keys": pack_strings(self.keys),
            "global_weights": self.global_weights,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Vocabulary:
        """The vocabulary that :meth:`as_arrays` described."""
        terms, keys = unpack_strings(arrays["terms"]), unpack_strings(arrays["keys"])
        weights = np.asarray(arrays["global_weights"], np.float64)
        if not len(terms) == len(keys) == len(weights) or weights.ndim != 1:
            raise ValueError("The vocabulary is damaged: terms, keys and weights differ in number.")
        return cls(Weighting.from_dict(unpack(arrays["weighting"])), terms, keys, weights)


def _counted(weighting: Weighting, words: Words, texts: Iterable[str]) -> tuple[Any, tuple[str, ...]]:
    """(counts, keys) by scikit-learn; an empty vocabulary is explained."""
    from sklearn.feature_extraction.text import CountVectorizer  # imported late: it takes a second

    _check_texts(texts)
    vectorizer = CountVectorizer(
        analyzer=words,
        min_df=weighting.min_df,
        max_df=weighting.max_df,
        max_features=weighting.max_terms,
        dtype=np.float64,
    )
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:
        if (why := why_empty(weighting, words.seen, str(error))) is None:
            raise
        raise ValueError(why) from None
    return sp.csr_array(counts), tuple(map(str, vectorizer.get_feature_names_out()))


def why_empty(weighting: Weighting, seen: Seen, said: str) -> str | None:
    """Why scikit-learn found no vocabulary, or None when it complained of something else."""
    if not any(part in said for part in ("empty vocabulary", "no terms remain", "max_df corresponds")):
        return None
    n, low, high = seen.documents, weighting.min_df, weighting.max_df
    many = "1 document" if n == 1 else f"{n:,} documents"
    if n == 0:
        return "The collection is empty: there is no document."
    if seen.words == 0:
        return f"There is no word in {many}; look at the column, the encoding or the pattern of a word."
    if seen.kept == 0:
        return f"There is no word left in {many} once stop words are left out; choose other stop words or none."
    if "empty vocabulary" in said:
        return f"There is no run of {weighting.ngrams[0]} words in {many}; lower the shortest run in ngrams."
    if isinstance(low, int) and low > n:
        return f"min_df={low} asks for terms in at least {low} documents, and the collection has {many}; lower it."
    return (
        f"No term is in enough and not too many documents of {n:,} (min_df={low}, max_df={high}); "
        "lower min_df or raise max_df."
    )


def _check_texts(texts: Any) -> None:
    if isinstance(texts, str):
        raise TypeError("One text was given where several are expected; put it in a list.")


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_share(name: str, value: Any) -> None:
    share = isinstance(value, float) and 0 <= value <= 1
    if not (share or (_is_whole(value) and value >= 1)):
        raise ValueError(f"{name} must be a whole number of at least 1 or a share from 0.0 to 1.0, not {value!r}.")


def _check_ngrams(value: Any) -> None:
    good = isinstance(value, tuple) and len(value) == 2 and all(_is_whole(v) for v in value)
    if not good or not 1 <= value[0] <= value[1]:
        raise ValueError(f"ngrams must be two whole numbers such as (1, 2), the smaller first, not {value!r}.")


def _check_pattern(pattern: Any) -> None:
    try:
        groups = re.compile(pattern).groups
    except (re.error, TypeError) as error:
        raise ValueError(f"The pattern of a word {pattern!r} is not a regular expression: {error}.") from None
    if groups > 1:
        raise ValueError(f"The pattern of a word {pattern!r} may have at most one group; write (?:...) for the others.")
