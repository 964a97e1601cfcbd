"""``Weighting``: which words of texts are terms of the matrix, and how they are weighted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import scipy.sparse as sp

from partwise.arguments import choose, is_whole, whole_number
from partwise.storage.settings import Plain, Reader, plain
from partwise.text.stop_words import check_stop_words, english
from partwise.text.tokenizer import PATTERN, TokenCounts, Tokenizer, stemmer
from partwise.text.weighting_schemes import WEIGHTS

if TYPE_CHECKING:
    from partwise.text.vocabulary import Vocabulary


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
    hashing : count the buckets of a hash table of this size instead of terms, for collections whose vocabulary is too
        large for the memory; terms in one bucket are one, shown as the commonest of them.
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
        _check_count_or_share("min_df", self.min_df)
        _check_count_or_share("max_df", self.max_df)
        if self.max_terms is not None:
            whole_number("max_terms", self.max_terms, 1, "or None")
        if self.hashing is not None:
            whole_number("hashing", self.hashing, 2, "such as 2**18, or None")
        if self.stem is not None:
            stemmer(self.stem)
        _check_pattern(self.pattern)

    def tokenizer(self, counts: TokenCounts | None = None) -> Tokenizer:
        """A new tokenizer of texts, or one that adds to the counts of another."""
        stop = english() if self.stop_words == "english" else frozenset(w.lower() for w in self.stop_words or ())
        return Tokenizer(self.pattern, stop, self.stem, self.ngrams, self.hashing, counts)

    def words(self, seen: TokenCounts | None = None) -> Tokenizer:
        """Deprecated: :meth:`tokenizer`."""
        warnings.warn("Weighting.words is called Weighting.tokenizer now.", DeprecationWarning, stacklevel=2)
        return self.tokenizer(seen)

    def fit(self, texts: Iterable[str]) -> tuple[Vocabulary, sp.csr_array]:
        """The vocabulary of texts and their matrix A (terms × documents), in one pass."""
        from partwise.text.vocabulary import fit_vocabulary  # a vocabulary is made with a weighting

        return fit_vocabulary(self, texts)

    def as_dict(self) -> dict[str, Plain]:
        """The options as JSON can hold them."""
        options: dict[str, Plain] = plain(self, kinds=False)
        return options

    @classmethod
    def from_dict(cls, options: Mapping[str, Plain]) -> Weighting:
        """The weighting that :meth:`as_dict` described; unknown options and wrong types are refused."""
        known = {field.name: field for field in fields(cls)}
        for name in options:
            choose("weighting option", name, known)
        return Reader().read(cls, dict(options))


def _check_count_or_share(name: str, value: float) -> None:
    share = isinstance(value, float) and 0 <= value <= 1
    if not share and not (is_whole(value) and value >= 1):
        raise ValueError(f"{name} must be a whole number of at least 1 or a share from 0.0 to 1.0, not {value!r}.")


def _check_ngrams(value: tuple[int, int]) -> None:
    pair = isinstance(value, tuple) and len(value) == 2 and all(is_whole(size) for size in value)
    if not pair or not 1 <= value[0] <= value[1]:
        raise ValueError(f"ngrams must be two whole numbers such as (1, 2), the smaller first, not {value!r}.")


def _check_pattern(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except (re.error, TypeError) as error:
        raise ValueError(f"The pattern of a word {pattern!r} is not a regular expression: {error}.") from None
    if groups > 1:
        raise ValueError(f"The pattern of a word {pattern!r} may have at most one group; write (?:...) for the others.")
