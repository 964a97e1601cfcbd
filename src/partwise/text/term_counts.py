"""The first of two passes over texts that do not fit in memory: counts of terms, and the vocabulary of their sum."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from partwise.text.tokenizer import TokenCounts
from partwise.text.vocabulary import Vocabulary, why_empty
from partwise.text.weighting import Weighting
from partwise.text.weighting_schemes import WEIGHTS, TermTotals
from partwise.types import Array


@dataclass
class TermCounts:
    """Counts of the terms of documents; those of two sets of documents are added."""

    tokens: TokenCounts = field(default_factory=TokenCounts)
    df: Counter[str] = field(default_factory=Counter)
    tf: Counter[str] = field(default_factory=Counter)
    tf_log_tf: dict[str, float] = field(default_factory=dict)
    """Σ tf log tf over the documents; a term that is in no document twice is not in it."""

    def add(self, keys: list[str]) -> None:
        """Count one document."""
        counts = Counter(keys)
        self.df.update(counts.keys())
        self.tf.update(keys)
        for key, count in counts.items():
            if count > 1:
                self.tf_log_tf[key] = self.tf_log_tf.get(key, 0.0) + count * math.log(count)

    def __add__(self, other: TermCounts) -> TermCounts:
        tf_log_tf = dict(self.tf_log_tf)
        for key, value in other.tf_log_tf.items():
            tf_log_tf[key] = tf_log_tf.get(key, 0.0) + value
        return TermCounts(self.tokens + other.tokens, self.df + other.df, self.tf + other.tf, tf_log_tf)


def count_terms(weighting: Weighting, texts: Iterable[str]) -> TermCounts:
    """The counts of texts."""
    counts = TermCounts()
    tokenizer = weighting.tokenizer(counts.tokens)
    for text in texts:
        counts.add(tokenizer(text))
    tokenizer.prune()
    return counts


def vocabulary_from_counts(weighting: Weighting, counts: TermCounts) -> Vocabulary:
    """The vocabulary that ``Weighting.fit`` finds for the same documents in memory, by the same rules."""
    keys = np.array(sorted(counts.df), object)
    n = counts.tokens.documents
    df, tf = (np.array([count[key] for key in keys], np.float64) for count in (counts.df, counts.tf))
    low, high = (limit * n if isinstance(limit, float) else limit for limit in (weighting.min_df, weighting.max_df))
    chosen = (df >= low) & (df <= high)
    if not chosen.any():
        raise ValueError(why_empty(weighting, counts.tokens, "no terms remain" if len(keys) else "empty vocabulary"))
    if weighting.max_terms is not None and chosen.sum() > weighting.max_terms:
        commonest = (-tf[chosen]).argsort()[: weighting.max_terms]  # as scikit-learn has it, ties included
        chosen = np.isin(np.arange(len(keys)), np.flatnonzero(chosen)[commonest])
    terms = tuple(keys[chosen])
    tf_log_tf: Array = np.array([counts.tf_log_tf.get(key, 0.0) for key in terms], np.float64)
    global_weights = WEIGHTS[weighting.weight][1](TermTotals(n, df[chosen], tf[chosen], tf_log_tf))
    return Vocabulary(weighting, weighting.tokenizer(counts.tokens).shown(terms), terms, global_weights)
