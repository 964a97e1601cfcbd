"""``TermStream``: what an :class:`~partwise.text.analyzer.Analyzer` makes of many texts, as numbers, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from partwise import kernels
from partwise.text.analyzer import Analyzer, bucket
from partwise.text.phrases import find_phrases, join_phrases
from partwise.text.word_stream import Words, WordStream, read_words
from partwise.threads.pool import Workers, borders
from partwise.types import Array

SMALL = 2**20
"""Up to so many words scipy counts them; the compiled kernel must be loaded first."""


Names = Callable[[Array], list[str]]
"""numbers of terms -> the terms"""


@dataclass
class TokenCounts:
    """What has been read: enough to explain an empty vocabulary and to show terms as a reader knows them."""

    documents: int = 0
    words: int = 0
    content_words: int = 0
    """Words that are no stop words."""
    surface: Counter[str] = field(default_factory=Counter)
    """Words as they were written, where they are stemmed."""
    terms: Counter[str] = field(default_factory=Counter)
    """Terms as they were, where only their hash buckets are counted."""

    def __add__(self, other: TokenCounts) -> TokenCounts:
        return TokenCounts(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass(frozen=True, eq=False)
class TermStream:
    """Distinct keys as columns of the counts, documents × keys; their names are made for those that are wanted."""

    counts: sp.csr_array
    names: Names
    """numbers of columns -> keys"""
    tokens: TokenCounts
    analyzer: Analyzer
    """With the phrases that were found."""


@dataclass(frozen=True, eq=False)
class _Runs:
    """n-grams of one length: their numbers, the texts they are in, and how they are written."""

    ids: Array
    texts: Array
    size: int
    names: Names


def read_terms(
    analyzer: Analyzer,
    texts: Iterable[str],
    *,
    find: tuple[float, int] | None = None,
    threads: int | None = None,
) -> TermStream:
    """The terms of texts; ``find`` are the least NPMI and the least count of phrases that are looked for first."""
    words = read_words(analyzer.rule, texts, threads, analyzer.stop.words)
    unit_of, units = _units(analyzer, words)
    frequencies, kept = words.frequencies, unit_of >= 0
    counts = TokenCounts(len(words.edges) - 1, len(words.ids), int(frequencies[kept].sum()))
    if analyzer.stems is not None:
        kept &= frequencies > 0
        written = words.words.some(np.flatnonzero(kept))
        counts.surface.update(dict(zip(written, frequencies[kept].tolist(), strict=True)))
    if find is None and not analyzer.phrases and analyzer.ngrams == (1, 1):
        matrix = _count(words.ids, words.edges, unit_of, len(units), threads)
        stream = TermStream(matrix, units.some, counts, analyzer)
    else:
        stream = _read_runs(analyzer, words, unit_of[words.ids], units.all(), find, counts, threads)
    return stream if analyzer.hashing is None else _hashed(stream, analyzer.hashing)


def _units(analyzer: Analyzer, words: WordStream) -> tuple[Array, Words]:
    """(the unit of each word, −1 for a stop word; the units)"""
    if analyzer.stems is None:
        own = np.arange(len(words.words), dtype=np.int32)
        own[words.stopped] = -1
        if analyzer.stop.hiragana:
            own[[word in analyzer.stop for word in words.words.all()]] = -1
        return own, words.words
    numbers: dict[str, int] = {}
    unit_of = np.full(len(words.words), -1, np.int32)
    for number, word in enumerate(words.words.all()):
        if (unit := analyzer.unit(word)) is not None:
            unit_of[number] = numbers.setdefault(unit, len(numbers))
    return unit_of, Words.of(list(numbers))


def _read_runs(
    analyzer: Analyzer,
    words: WordStream,
    ids: Array,
    units: list[str],
    find: tuple[float, int] | None,
    counts: TokenCounts,
    threads: int | None,
) -> TermStream:
    """The counts where there are phrases or n-grams."""
    count = len(words.edges) - 1
    texts = np.repeat(np.arange(count, dtype=np.int32), np.diff(words.edges))
    if find is not None:
        analyzer = replace(analyzer, phrases=find_phrases(ids, texts, units, *find))
    if analyzer.phrases:
        ids, texts, units = join_phrases(ids, texts, units, analyzer.phrases)
    if analyzer.across_stop_words:
        ids, texts = ids[ids >= 0], texts[ids >= 0]
    runs = _runs(ids, texts, units, *analyzer.ngrams)
    matrices = [
        _count(run.ids, np.searchsorted(run.texts, np.arange(count + 1)), None, run.size, threads) for run in runs
    ]
    edges = np.cumsum([0, *(run.size for run in runs)])

    def names(wanted: Array) -> list[str]:
        keys = np.empty(len(wanted), object)
        for lo, hi, run in zip(edges[:-1], edges[1:], runs, strict=True):
            here = np.flatnonzero((wanted >= lo) & (wanted < hi))
            keys[here] = run.names(wanted[here] - lo)
        return list(keys)

    stream = TermStream(sp.csr_array(sp.hstack(matrices, "csr")), names, counts, analyzer)
    if not any(" " in unit for unit in units):
        return stream
    return _renamed(stream, names(np.arange(edges[-1])))  # a phrase and an n-gram may be written alike


def _hashed(stream: TermStream, hashing: int) -> TermStream:
    """Terms in one bucket are one; how often each was read is kept for the bucket's name."""
    terms = stream.names(np.arange(stream.counts.shape[1]))
    totals = np.bincount(stream.counts.indices, stream.counts.data, len(terms))
    stream.tokens.terms.update({term: int(total) for term, total in zip(terms, totals, strict=True)})
    return _renamed(stream, [bucket(term, hashing) for term in terms])


def _renamed(stream: TermStream, keys: list[str]) -> TermStream:
    """Columns of the same key added up."""
    numbers: dict[str, int] = {}
    places = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int32, len(keys))
    old, distinct = stream.counts, list(numbers)
    counts = sp.csr_array((old.data, places[old.indices], old.indptr), shape=(old.shape[0], len(distinct)))
    counts.sum_duplicates()
    return replace(stream, counts=counts, names=lambda wanted: [distinct[i] for i in wanted])


def _runs(units: Array, texts: Array, names: list[str], shortest: int, longest: int) -> list[_Runs]:
    """The n-grams of each length, without those that have a gap or reach into the next text."""

    def unit_names(wanted: Array) -> list[str]:
        return [names[i] for i in wanted.tolist()]

    runs, ids, size, written = [], units, len(names), unit_names
    for length in range(1, longest + 1):
        if length > 1:
            ids, pairs = _longer(ids, units, texts, length, len(names))
            size, written = len(pairs), partial(_written, pairs, len(names), written, unit_names)
        if length >= shortest:
            whole = ids >= 0
            runs.append(_Runs(ids[whole], texts[: len(ids)][whole], size, written))
    return runs


def _longer(ids: Array, units: Array, texts: Array, length: int, count: int) -> tuple[Array, Array]:
    """(numbers by place of the runs that are one unit longer, their distinct pairs: run · count + unit)"""
    places = max(len(units) - length + 1, 0)
    ids, last = ids[:places], units[length - 1 :]
    whole = (ids >= 0) & (last >= 0) & (texts[length - 1 :] == texts[:places])
    pairs, numbers = np.unique(ids[whole].astype(np.int64) * count + last[whole], return_inverse=True)
    longer = np.full(places, -1, np.int32)
    longer[whole] = numbers
    return longer, pairs


def _written(pairs: Array, count: int, heads: Names, tails: Names, wanted: Array) -> list[str]:
    chosen = pairs[wanted]
    return [f"{head} {tail}" for head, tail in zip(heads(chosen // count), tails(chosen % count), strict=True)]


def _count(ids: Array, edges: Array, term_of: Array | None, size: int, threads: int | None) -> sp.csr_array:
    """documents × terms, each term once in a document, in no particular order; ``term_of`` each id, −1 for none."""
    documents = len(edges) - 1
    term_of = np.arange(size, dtype=np.int32) if term_of is None else term_of
    if len(ids) < SMALL and not kernels.jit.is_ready(kernels.tokens.count_terms):
        terms = term_of[ids]
        kept = terms >= 0
        starts = narrow(np.concatenate([[0], np.cumsum(kept)])[edges])
        counts = sp.csr_array((np.ones(int(kept.sum()), np.int32), terms[kept], starts), shape=(documents, size))
        counts.sum_duplicates()
        return counts
    columns, counts = np.empty((2, len(ids)), np.int32)
    ends = np.zeros(documents + 1, np.int64)

    def block(lo: int, hi: int) -> None:
        seen, place = np.full(size, -1, np.int32), np.empty(size, np.int64)
        part = slice(int(edges[lo]), int(edges[hi]))
        filled = np.zeros(hi - lo + 1, np.int64)
        kernels.tokens.count_terms(
            ids[part], edges[lo : hi + 1] - edges[lo], term_of, seen, place, columns[part], counts[part], filled
        )
        ends[lo + 1 : hi + 1] = np.diff(filled)

    with Workers(threads) as workers:
        blocks = borders(edges)
        workers.map(block, blocks)
    filled = [slice(int(edges[lo]), int(edges[lo] + ends[lo + 1 : hi + 1].sum())) for lo, hi in blocks]
    parts = [(columns[part], counts[part]) for part in filled]
    return sp.csr_array(
        (np.concatenate([c for _, c in parts]), np.concatenate([t for t, _ in parts]), narrow(np.cumsum(ends))),
        shape=(documents, size),
    )


def narrow(starts: Array) -> Array:
    """The starts of rows in 32 bits where they fit, as scipy's own products have them."""
    return starts.astype(np.int32 if not len(starts) or starts[-1] < 2**31 else np.int64)
