"""``Vocabulary``: the terms of a collection with their weights, and the columns of A for new texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import scipy.sparse as sp

from partwise.text.analyzer import Analyzer, bucket, check_texts
from partwise.text.json_arrays import array_to_json, array_to_strings, json_to_array, strings_to_array
from partwise.text.languages import SAMPLE
from partwise.text.spelling import Spelling
from partwise.text.stop_words import AUTO
from partwise.text.term_stream import TermStream, TokenCounts, narrow, read_terms
from partwise.text.weighting import Weighting
from partwise.text.weighting_schemes import WEIGHTS, TermTotals
from partwise.types import Array

WORD = 8
"""Bytes of a name that are compared as one number."""
CANDIDATES = 2
"""How many terms of a hash bucket are remembered, one of which will be its name."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The terms of a collection with their global weights; enough to weight new texts alike."""

    weighting: Weighting
    terms: tuple[str, ...]
    """The terms as they are shown."""
    keys: tuple[str, ...]
    """The terms as they are counted: stems, hash buckets, or the terms themselves."""
    global_weights: Array
    phrases: tuple[str, ...] = ()
    """Pairs of words that are one term."""

    def __len__(self) -> int:
        return len(self.keys)

    def transform(self, texts: Iterable[str], *, threads: int | None = None) -> sp.csr_array:
        """The matrix of other texts (terms × documents); words outside the vocabulary are ignored."""
        return self.weighted(self._counts(texts, threads))

    def _counts(self, texts: Iterable[str], threads: int | None = None) -> sp.csr_array:
        check_texts(texts)
        stream = read_terms(self.analyzer, texts, threads=threads)
        keys = stream.names(np.arange(stream.counts.shape[1]))
        rows = np.fromiter((self._rows.get(key, -1) for key in keys), np.int32, len(keys))
        return _by_term(stream.counts, rows, len(self))

    def weighted(self, counts: sp.csr_array) -> sp.csr_array:
        """Counts (terms × documents) as weights; the sums over a document run in the order of the terms."""
        local = WEIGHTS[self.weighting.weight][0]
        values = local(counts.data.astype(np.float64))
        values *= np.repeat(self.global_weights, np.diff(counts.indptr))
        weights = sp.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)
        weights.eliminate_zeros()
        if self.weighting.normalize and weights.nnz:
            lengths = np.sqrt(np.bincount(weights.indices, weights.data**2, weights.shape[1]))
            weights.data /= lengths[weights.indices]
        return weights

    def column(self, text: str) -> Array:
        """The column of A for one text."""
        column: Array = self.transform([text]).toarray()[:, 0]
        return column

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """The words of a text that are not in the vocabulary, each once, without stop words."""
        return tuple(dict.fromkeys(word for word in self.analyzer.content_words(text) if not self._knows(word)))

    def unknown_share(self, texts: Iterable[str]) -> float:
        """The share of the words of texts, stop words left out, that are not in the vocabulary; 0 without any word."""
        words = Counter(word for text in texts for word in self.analyzer.content_words(text))
        unknown = sum(count for word, count in words.items() if not self._knows(word))
        return unknown / words.total() if words else 0.0

    def _knows(self, word: str) -> bool:
        unit, hashing = self.analyzer.unit(word), self.weighting.hashing
        assert unit is not None
        return (unit if hashing is None else bucket(unit, hashing)) in self._known_words

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(part for key in self.keys for part in key.split(" "))

    def suggestions(self, words: Iterable[str], n: int = 3) -> dict[str, tuple[str, ...]]:
        """For each word the known words that are spelt most like it, where there are any."""
        nearest = {word: self._spelling.nearest(word, n) for word in words}
        return {word: near for word, near in nearest.items() if near}

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(word for term in self.terms for word in term.split(" "))

    @cached_property
    def analyzer(self) -> Analyzer:
        """text -> list of keys."""
        return self.weighting.analyzer(self.phrases)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.keys)}

    def as_arrays(self) -> dict[str, Array]:
        """The vocabulary as plain arrays, for a file."""
        arrays = {
            "weighting": json_to_array(self.weighting.as_dict()),
            "terms": strings_to_array(self.terms),
            "keys": strings_to_array(self.keys),
            "global_weights": self.global_weights,
        }
        return arrays | ({"phrases": strings_to_array(self.phrases)} if self.phrases else {})

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Vocabulary:
        """The vocabulary that :meth:`as_arrays` described."""
        terms, keys = array_to_strings(arrays["terms"]), array_to_strings(arrays["keys"])
        phrases = array_to_strings(arrays["phrases"]) if "phrases" in arrays else ()
        weights = np.asarray(arrays["global_weights"], np.float64)
        if not len(terms) == len(keys) == len(weights) or weights.ndim != 1:
            raise ValueError("The vocabulary is damaged: terms, keys and weights differ in number.")
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError("The vocabulary is damaged: its weights are not finite and nonnegative.")
        return cls(Weighting.from_dict(array_to_json(arrays["weighting"])), terms, keys, weights, phrases)


def fit_vocabulary(
    weighting: Weighting, texts: Iterable[str], threads: int | None = None
) -> tuple[Vocabulary, sp.csr_array]:
    """The vocabulary of texts and their matrix A (terms × documents), in one pass in memory."""
    check_texts(texts)
    weighting, texts = _recognised(weighting, texts)
    stream = read_terms(weighting.analyzer(), texts, find=weighting.sought_phrases, threads=threads)
    counts, keys = _chosen(weighting, stream)
    global_weights = WEIGHTS[weighting.weight][1](TermTotals.of(counts))
    terms = shown(stream.analyzer, stream.tokens, keys)
    vocabulary = Vocabulary(weighting, terms, keys, global_weights, tuple(sorted(stream.analyzer.phrases)))
    return vocabulary, vocabulary.weighted(counts)


def _recognised(weighting: Weighting, texts: Iterable[str]) -> tuple[Weighting, Iterable[str]]:
    """The weighting with its language, and the texts, of which the first may have been read for it."""
    if weighting.language != AUTO:
        return weighting, texts
    rest, head, length = iter(texts), [], 0
    for text in rest:
        head.append(text)
        length += len(text)
        if length > SAMPLE:
            break
    return weighting.of_language(head), chain(head, rest)


def _chosen(weighting: Weighting, stream: TermStream) -> tuple[sp.csr_array, tuple[str, ...]]:
    """(counts, terms × documents; keys) of the terms in enough and not too many documents, in alphabetical order."""
    counts, size = stream.counts, stream.counts.shape[1]
    df = np.bincount(counts.indices, minlength=size)
    kept = np.flatnonzero(in_range(weighting, df, counts.shape[0]))
    if not len(kept):
        raise ValueError(why_empty(weighting, stream.tokens, size))
    names = stream.names(kept)
    order = alphabetical(names)
    if weighting.max_terms is not None:
        order = order[most_frequent(weighting, np.bincount(counts.indices, counts.data, size)[kept[order]])]
    return sp.csr_array(counts.T.tocsr()[kept[order]]), tuple(map(names.__getitem__, order.tolist()))


def alphabetical(names: Sequence[str]) -> Array:
    """The order of names by their code points, which is that of their bytes in UTF-8: by 8 bytes, 8 more, as strings.

    Equal names keep their order.
    """
    text = np.frombuffer("".join(names).encode("utf-8", "surrogatepass") + bytes(2 * WORD), np.uint8)
    edges = np.cumsum([0, *map(len, names)])
    if edges[-1] < len(text) - 2 * WORD:  # as bytes: of those that begin a character there is one for each
        edges = np.flatnonzero((text & 0xC0) != 0x80)[edges]
    starts, ends = edges[:-1], edges[1:]
    heads = _numbers(text, starts, ends)
    order: Array = heads.argsort()
    places = np.flatnonzero(_alike(heads[order]))
    alike = order[places]  # most names are not, and done
    tails = _numbers(text, starts[alike] + WORD, ends[alike])
    inner = np.lexsort((tails, heads[alike]))
    alike, keys = alike[inner], np.stack([heads[alike], tails])[:, inner]
    equal = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    runs = np.flatnonzero(np.diff(equal, prepend=False, append=False)).reshape(-1, 2)
    for lo, hi in runs.tolist():  # names lo to hi, hi among them
        alike[lo : hi + 1] = sorted(sorted(alike[lo : hi + 1].tolist()), key=names.__getitem__)
    order[places] = alike
    return order


def _numbers(text: Array, starts: Array, ends: Array) -> Array:
    """The first bytes of pieces of a text as numbers that are in the order of these bytes, zeros after their ends."""
    pieces: Array = np.ndarray(len(text) - WORD + 1, ">u8", text, strides=(1,))[starts].astype(np.uint64)
    beyond = (8 * np.clip(WORD - (ends - starts), 0, WORD)).astype(np.uint64)
    pieces >>= beyond
    pieces <<= beyond
    return pieces


def _alike(numbers: Array) -> Array:
    """Which of some numbers in order are equal to a neighbour."""
    equal: Array = np.concatenate([[False], numbers[1:] == numbers[:-1], [False]])
    return equal[1:] | equal[:-1]


def in_range(weighting: Weighting, df: Array, documents: int) -> Array:
    """Which terms are in at least ``min_df`` and at most ``max_df`` documents, and in one."""
    limits = (weighting.min_df, weighting.max_df)
    low, high = (limit * documents if isinstance(limit, float) else limit for limit in limits)
    inside: Array = (df >= max(low, 1)) & (df <= high)
    return inside


def most_frequent(weighting: Weighting, tf: Array) -> Array:
    """The numbers, increasing, of the ``max_terms`` most frequent terms; of all where there is no limit."""
    if weighting.max_terms is None or len(tf) <= weighting.max_terms:
        return np.arange(len(tf))
    return np.sort((-tf).argsort()[: weighting.max_terms])  # as scikit-learn has it, ties included


def _by_term(counts: sp.csr_array, places: Array, size: int) -> sp.csr_array:
    """The counts transposed, with column j as row ``places[j]``; those at −1 are left out."""
    terms = places[counts.indices]
    kept = np.flatnonzero(terms >= 0)
    starts = narrow(np.searchsorted(kept, counts.indptr))
    shape = (counts.shape[0], size)
    return sp.csr_array((counts.data[kept], terms[kept], starts), shape=shape).T.tocsr()


def shown(analyzer: Analyzer, tokens: TokenCounts, keys: Iterable[str]) -> tuple[str, ...]:
    """The terms as a reader knows them: of a bucket its commonest term, of a stem its commonest surface form."""
    terms, stems, hashing = tuple(keys), analyzer.stems, analyzer.hashing
    if hashing is not None:
        names = commonest(tokens.terms, lambda term: bucket(term, hashing))
        terms = tuple(names.get(key, key) for key in terms)
    if stems is None:
        return terms
    forms = commonest(tokens.surface, stems.__getitem__)
    return tuple(" ".join(forms.get(stem, stem) for stem in term.split(" ")) for term in terms)


def commonest(counts: Counter[str], key: Callable[[str], str]) -> dict[str, str]:
    """For each key its most frequent word, ties by the alphabet."""
    best: dict[str, str] = {}
    for word, _ in by_frequency(counts):
        best.setdefault(key(word), word)
    return best


def by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """(word, count), the most frequent first, ties by the alphabet."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def why_empty(weighting: Weighting, counts: TokenCounts, terms: int) -> str:
    """Why a vocabulary is empty, of ``terms`` terms before the limits."""
    n, low, high = counts.documents, weighting.min_df, weighting.max_df
    documents = "1 document" if n == 1 else f"{n:,} documents"
    if n == 0:
        return "The collection is empty: there is no document."
    if counts.words == 0:
        return f"There is no word in {documents}; look at the column, the encoding or the pattern of a word."
    if counts.content_words == 0:
        return f"There is no word left in {documents} once stop words are left out; choose other stop words or none."
    if not terms:
        return f"There is no run of {weighting.ngrams[0]} words in {documents}; lower the shortest run in ngrams."
    if isinstance(low, int) and low > n:
        return f"min_df={low} asks for terms in at least {low} documents, and the collection has {documents}; lower it."
    return (
        f"No term is in enough and not too many documents of {n:,} (min_df={low}, max_df={high}); "
        "lower min_df or raise max_df."
    )
