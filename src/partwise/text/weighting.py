"""``Weighting``: which words of texts are terms of the matrix, and how they are weighted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import scipy.sparse as sp

from partwise.arguments import choose, is_whole, number, quoted, shortened, whole_number
from partwise.storage.settings import Plain, Reader, plain
from partwise.text.analyzer import Analyzer, Stems, check_texts, stemmer
from partwise.text.languages import recognise
from partwise.text.stop_words import (
    AUTO,
    ELISIONS,
    ENGLISH,
    LANGUAGE,
    StopWords,
    check_stop_words,
    language_name,
    stop_words_of,
)
from partwise.text.tokenizer import WordRule, default_rule, pattern_rule
from partwise.text.weighting_schemes import WEIGHTS

if TYPE_CHECKING:
    from partwise.text.vocabulary import Vocabulary

TokenizerFunction = Callable[[str], list[str]]


@dataclass(frozen=True)
class Weighting:
    """Which words count, and how much.

    Parameters
    ----------
    weight : "log-entropy", "tfidf" or "counts".
    stop_words : "language" (those of ``language``), "auto" (also the words that are found in most topics, see
        :func:`partwise.text.swamping.swamping_words`), a language, None, or a tuple of words.
    ngrams : the shortest and the longest run of words that is a term; a stop word ends a run.
    min_df, max_df : in how many documents a term must and may be; a whole number counts, a float is a share.
    max_terms : keep the commonest terms only.
    stem : "language" for the Snowball stemmer of ``language``, or a stemmer's name such as "english"; each stem is
        shown as its commonest surface form.
    normalize : whether every document has length 1.
    pattern : a regular expression of a word, in texts in lower case; None for the words of every script
        (:func:`partwise.text.tokenizer.default_rule`).
    hashing : count the buckets of a hash table of this size instead of terms, for collections whose vocabulary is too
        large for the memory; terms in one bucket are one, shown as the commonest of them.
    language : a language of the package ``stop-words`` by its name or ISO code, or "auto" to recognise it.
    tokenizer : a function text -> list of words, in place of ``pattern``. A model file keeps only its name.
    numbers : whether digits alone are words.
    phrases : neighbours whose NPMI is at least this, such as 0.5, become one term; ``phrase_count`` is how often they
        must occur.
    further_stop_words : are left out besides ``stop_words``, where words are stemmed with all words of the same stem.
    across_stop_words : whether n-grams join words over a stop word between them, as in version 0.1.
    """

    weight: str = "log-entropy"
    stop_words: str | tuple[str, ...] | None = LANGUAGE
    ngrams: tuple[int, int] = (1, 1)
    min_df: int | float = 2
    max_df: int | float = 1.0
    max_terms: int | None = None
    stem: str | None = None
    normalize: bool = True
    pattern: str | None = None
    hashing: int | None = None
    language: str = ENGLISH
    tokenizer: TokenizerFunction | str | None = None
    numbers: bool = False
    phrases: float | None = None
    phrase_count: int = 10
    further_stop_words: tuple[str, ...] = ()
    across_stop_words: bool = False

    def __post_init__(self) -> None:
        choose("weight", self.weight, WEIGHTS)
        check_stop_words(self.stop_words)
        if not isinstance(self.further_stop_words, tuple) or not all(
            isinstance(word, str) for word in self.further_stop_words
        ):
            words = quoted(self.further_stop_words)
            raise TypeError(f'further_stop_words must be a tuple of words such as ("said", "mr"), not {words}.')
        _check_ngrams(self.ngrams)
        _check_count_or_share("min_df", self.min_df)
        _check_count_or_share("max_df", self.max_df)
        if self.max_terms is not None:
            whole_number("max_terms", self.max_terms, 1, "or None")
        if self.hashing is not None:
            size = whole_number("hashing", self.hashing, 2, "such as 2**18, or None")
            object.__setattr__(self, "hashing", size)  # one of numpy's kind could not hold a hash
        if not isinstance(self.language, str):
            raise TypeError(f"language must be a name such as {ENGLISH!r}, or {AUTO!r}, not {quoted(self.language)}.")
        if self.language != AUTO:
            object.__setattr__(self, "language", language_name(self.language))
        if (stem := self.stem_language) is not None and stem != AUTO:
            stemmer(stem)
        if self.pattern is not None:
            _check_pattern(self.pattern)
        if self.tokenizer is not None and not callable(self.tokenizer) and not isinstance(self.tokenizer, str):
            raise TypeError(
                f"tokenizer must be a function text -> list of words, or None, not {quoted(self.tokenizer)}."
            )
        if self.phrases is not None:
            number("phrases", self.phrases, -1, 1)
            whole_number("phrase_count", self.phrase_count)
            if self.hashing is not None:
                raise ValueError("Phrases need a vocabulary in memory; leave hashing or phrases out.")

    @property
    def stem_language(self) -> str | None:
        """The name of the stemmer, None where words are not stemmed."""
        return self.language if self.stem == LANGUAGE else self.stem

    @property
    def sought_phrases(self) -> tuple[float, int] | None:
        """The least NPMI and the least count of phrases; None where none are looked for."""
        return None if self.phrases is None else (self.phrases, self.phrase_count)

    def analyzer(self, phrases: Iterable[str] = ()) -> Analyzer:
        """text -> list of keys, with the phrases that have been found."""
        if self.language == AUTO:
            raise ValueError("The language is not known yet: fit texts, or name it.")
        rule, stems = self.rule(), None if self.stem_language is None else Stems(self.stem_language)
        further = () if stems is None else (stems[rule.fold(word)] for word in self.further_stop_words)
        return Analyzer(
            rule,
            self.stopped(),
            stems,
            frozenset(phrases),
            self.ngrams,
            self.across_stop_words,
            self.hashing,
            frozenset(further),
        )

    def rule(self) -> WordRule:
        """How texts are cut into words."""
        if isinstance(self.tokenizer, str):
            raise ValueError(
                f"This model was fitted with the tokenizer {shortened(self.tokenizer)}, which a file cannot hold; "
                "give it again: model.use_tokenizer(function)."
            )
        if self.tokenizer is not None:
            return WordRule(self.tokenizer)
        if self.pattern is not None:
            return pattern_rule(self.pattern)
        return default_rule(self.numbers, self.joins_apostrophes)

    @property
    def joins_apostrophes(self) -> bool:
        """Whether letters on both sides of an apostrophe are one word."""
        return self.language not in ELISIONS

    def stopped(self) -> StopWords:
        """The stop words, as they are in folded texts."""
        folding = self.rule().fold
        if isinstance(self.stop_words, str):
            language = self.language if self.stop_words in (LANGUAGE, AUTO) else language_name(self.stop_words)
            words, hiragana = stop_words_of(language), language == "japanese"
        else:
            words, hiragana = frozenset(map(folding, self.stop_words or ())), False
        return StopWords(words.union(map(folding, self.further_stop_words)), hiragana)

    def words(self) -> Analyzer:
        """Deprecated: :meth:`analyzer`."""
        warnings.warn("Weighting.words is called Weighting.analyzer now.", DeprecationWarning, stacklevel=2)
        return self.analyzer()

    def of_language(self, texts: Iterable[str]) -> Weighting:
        """This weighting with the language of texts where it is "auto"; without stop words where none is recognised."""
        check_texts(texts)
        if self.language != AUTO:
            return self
        language = recognise(texts)
        if language is not None:
            return replace(self, language=language)
        return replace(self, language=ENGLISH, stop_words=None if self.stop_words == LANGUAGE else self.stop_words)

    def fit(self, texts: Iterable[str], *, threads: int | None = None) -> tuple[Vocabulary, sp.csr_array]:
        """The vocabulary of texts and their matrix A (terms × documents), in one pass."""
        from partwise.text.vocabulary import fit_vocabulary  # a vocabulary is made with a weighting

        return fit_vocabulary(self, texts, threads)

    def as_dict(self) -> dict[str, Plain]:
        """The options as JSON can hold them; of a tokenizer only its name."""
        options: dict[str, Plain] = plain(replace(self, tokenizer=self._tokenizer_name), kinds=False)
        return options

    @property
    def _tokenizer_name(self) -> str | None:
        if self.tokenizer is None or isinstance(self.tokenizer, str):
            return self.tokenizer
        module, name = (getattr(self.tokenizer, part, "") for part in ("__module__", "__qualname__"))
        return ".".join(filter(None, (module, name))) or type(self.tokenizer).__name__

    @classmethod
    def from_dict(cls, options: Mapping[str, Plain]) -> Weighting:
        """The weighting that :meth:`as_dict` described; unknown options and wrong types are refused.

        Options that a file of version 0.1 does not have are taken as they were there.
        """
        known = {field.name: field for field in fields(cls)}
        for name in options:
            choose("weighting option", name, known)
        return Reader().read(cls, {"across_stop_words": True, **options})


def _check_count_or_share(name: str, value: float) -> None:
    share = isinstance(value, float) and 0 <= value <= 1
    if not share and not (is_whole(value) and value >= 1):
        raise ValueError(
            f"{name} must be a whole number of at least 1 or a share from 0.0 to 1.0, not {quoted(value)}."
        )


def _check_ngrams(value: tuple[int, int]) -> None:
    pair = isinstance(value, tuple) and len(value) == 2 and all(is_whole(size) for size in value)
    if not pair or not 1 <= value[0] <= value[1]:
        raise ValueError(f"ngrams must be two whole numbers such as (1, 2), the smaller first, not {quoted(value)}.")


def _check_pattern(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except (re.error, TypeError) as error:
        raise ValueError(f"The pattern of a word {quoted(pattern)} is not a regular expression: {error}.") from None
    if groups > 1:
        raise ValueError(
            f"The pattern of a word {quoted(pattern)} may have at most one group; write (?:...) for the others."
        )
