"""The first of two passes over texts: what is counted of some documents, and the vocabulary of all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from partwise.text.weighting import Vocabulary, Weighting, why_empty
from partwise.text.weights import WEIGHTS, Totals
from partwise.text.words import Seen
from partwise.types import Array


@dataclass
class Tally:
    """Counts of some documents; those of two piles are added."""

    seen: Seen = field(default_factory=Seen)
    df: Counter[str] = field(default_factory=Counter)
    tf: Counter[str] = field(default_factory=Counter)
    spread: Counter[str] = field(default_factory=Counter)
    """Σ tf log tf; a term that is nowhere twice is not in it."""

    def note(self, keys: list[str]) -> None:
        """Count one document."""
        counts = Counter(keys)
        self.df.update(counts.keys())
        self.tf.update(keys)
        for key, count in counts.items():
            if count > 1:
                self.spread[key] += count * math.log(count)  # type: ignore[assignment]

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{name: mine + getattr(other, name) for name, mine in vars(self).items()})


def tally_of(weighting: Weighting, texts: Iterable[str]) -> Tally:
    """The counts of some texts."""
    found = Tally()
    words = weighting.words(found.seen)
    for text in texts:
        found.note(words(text))
    words.prune()
    return found


def vocabulary_of(weighting: Weighting, tally: Tally) -> Vocabulary:
    """The vocabulary that ``Weighting.fit`` finds for the same documents in memory, by the same rules."""
    keys = np.array(sorted(tally.df), object)
    n, df, tf = tally.seen.documents, _numbers(tally.df, keys), _numbers(tally.tf, keys)
    low, high = (some * n if isinstance(some, float) else some for some in (weighting.min_df, weighting.max_df))
    held = (df >= low) & (df <= high)
    if not held.any():
        why = why_empty(weighting, tally.seen, "no terms remain" if len(keys) else "empty vocabulary")
        raise ValueError(why)
    if weighting.max_terms is not None and held.sum() > weighting.max_terms:
        most = (-tf[held]).argsort()[: weighting.max_terms]  # as scikit-learn has it, ties included
        held = np.isin(np.arange(len(keys)), np.flatnonzero(held)[most])
    kept = tuple(keys[held])
    totals = Totals(n, df[held], tf[held], _numbers(tally.spread, kept))
    return Vocabulary(weighting, weighting.words(tally.seen).shown(kept), kept, WEIGHTS[weighting.weight][1](totals))


def _numbers(counts: Counter[str], keys: Iterable[str]) -> Array:
    return np.array([counts[key] for key in keys], np.float64)
