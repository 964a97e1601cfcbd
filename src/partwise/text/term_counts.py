"""The first of two passes over texts that do not fit in memory: counts of terms, and the vocabulary of their sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from partwise.text.analyzer import Analyzer, bucket
from partwise.text.stop_words import AUTO
from partwise.text.term_stream import TokenCounts, read_terms
from partwise.text.vocabulary import (
    CANDIDATES,
    Vocabulary,
    by_frequency,
    commonest,
    in_range,
    most_frequent,
    shown,
    why_empty,
)
from partwise.text.weighting import Weighting
from partwise.text.weighting_schemes import WEIGHTS, TermTotals
from partwise.text.word_stream import batches
from partwise.types import Array

BATCH = 2**20
"""Characters of the texts that are counted together."""


@dataclass
class TermCounts:
    """Counts of the terms of documents; those of two sets of documents are added."""

    tokens: TokenCounts = field(default_factory=TokenCounts)
    df: Counter[str] = field(default_factory=Counter)
    tf: Counter[str] = field(default_factory=Counter)
    tf_log_tf: dict[str, float] = field(default_factory=dict)
    """Σ tf log tf over the documents; a term that is in no document twice is not in it."""

    def __add__(self, other: TermCounts) -> TermCounts:
        tf_log_tf = dict(self.tf_log_tf)
        for key, value in other.tf_log_tf.items():
            tf_log_tf[key] = tf_log_tf.get(key, 0.0) + value
        return TermCounts(self.tokens + other.tokens, self.df + other.df, self.tf + other.tf, tf_log_tf)

    def add(self, analyzer: Analyzer, texts: Iterable[str]) -> None:
        """Count some texts more."""
        stream = read_terms(analyzer, texts, threads=1)
        keys, totals = stream.names(np.arange(stream.counts.shape[1])), TermTotals.of(stream.counts.T.tocsr())
        for name, count in vars(stream.tokens).items():
            setattr(self.tokens, name, getattr(self.tokens, name) + count)
        self.df.update(dict(zip(keys, map(int, totals.df), strict=True)))
        self.tf.update(dict(zip(keys, map(int, totals.tf), strict=True)))
        for i in np.flatnonzero(totals.tf_log_tf):
            self.tf_log_tf[keys[i]] = self.tf_log_tf.get(keys[i], 0.0) + float(totals.tf_log_tf[i])

    def prune(self, analyzer: Analyzer) -> None:
        """Drop the terms that no bucket will be named after, so that memory stays bounded."""
        if (hashing := analyzer.hashing) is None:
            return
        tokens = self.tokens
        candidates, sizes = [], Counter[str]()
        for term, _ in by_frequency(tokens.terms):
            sizes[key := bucket(term, hashing)] += 1
            if sizes[key] <= CANDIDATES:
                candidates.append(term)
        tokens.terms = Counter({term: tokens.terms[term] for term in candidates})
        if analyzer.stems is not None:
            stems = {stem for term in candidates for stem in term.split(" ")}
            forms = commonest(tokens.surface, analyzer.stems.__getitem__)
            tokens.surface = Counter({forms[stem]: tokens.surface[forms[stem]] for stem in stems if stem in forms})
            analyzer.stems.clear()


def entry_count(vocabulary: Vocabulary, counts: TermCounts) -> int:
    """How many entries the matrix of the counted documents has for the terms of a vocabulary."""
    return sum(counts.df[key] for key in vocabulary.keys)


def check_two_passes(weighting: Weighting) -> None:
    """Refuse what needs all texts in memory."""
    if weighting.phrases is not None:
        raise ValueError("Phrases are found in texts in memory; leave phrases out where the matrix is on disk.")
    if weighting.language == AUTO:
        raise ValueError("Name the language of texts that are read in two passes; it is recognised in memory alone.")
    if weighting.stop_words == AUTO:
        raise ValueError("Stop words are found in texts in memory; name them where the matrix is on disk.")


def count_terms(weighting: Weighting, texts: Iterable[str]) -> TermCounts:
    """The counts of texts."""
    check_two_passes(weighting)
    counts, analyzer = TermCounts(), weighting.analyzer()
    for batch in batches(texts, BATCH):
        counts.add(analyzer, batch)
    counts.prune(analyzer)
    return counts


def vocabulary_from_counts(weighting: Weighting, counts: TermCounts) -> Vocabulary:
    """The vocabulary that ``Weighting.fit`` finds for the same documents in memory, by the same rules."""
    keys = np.array(sorted(counts.df), object)
    n = counts.tokens.documents
    df, tf = (np.array([count[key] for key in keys], np.float64) for count in (counts.df, counts.tf))
    chosen = np.flatnonzero(in_range(weighting, df, n))
    if not len(chosen):
        raise ValueError(why_empty(weighting, counts.tokens, len(keys)))
    chosen = chosen[most_frequent(weighting, tf[chosen])]
    terms = tuple(keys[chosen])
    tf_log_tf: Array = np.array([counts.tf_log_tf.get(key, 0.0) for key in terms], np.float64)
    global_weights = WEIGHTS[weighting.weight][1](TermTotals(n, df[chosen], tf[chosen], tf_log_tf))
    return Vocabulary(weighting, shown(weighting.analyzer(), counts.tokens, terms), terms, global_weights)
