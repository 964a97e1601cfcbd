"""What a page needs to answer a query: tokenisation, term weights, W, the penalised gram, and the share of topics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from partwise.algorithms.penalties import indefinite
from partwise.losses.table import loss_of
from partwise.report.encoding import Payload, clipped, packed, packed_rows
from partwise.text.analyzer import stemmer
from partwise.text.search import default_blend
from partwise.text.tokenizer import PATTERN, default_pattern
from partwise.text.topic_model import TopicModel
from partwise.text.weighting import Weighting
from partwise.types import Array

# Python's classes of letters as JavaScript spells them; what Python calls a letter includes ² and Ⅳ, but no digit.
PATTERNS = {
    PATTERN: r"[\p{L}\p{Nl}\p{No}]{2,}",
    r"\w+": r"[\p{L}\p{N}_]+",
    r"\w\w+": r"[\p{L}\p{N}_]{2,}",
    r"\b\w\w+\b": r"[\p{L}\p{N}_]{2,}",
    r"(?u)\b\w\w+\b": r"[\p{L}\p{N}_]{2,}",
    r"\S+": r"[^\s]+",
}
ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "e", "y", "ies", "ied", "ion", "ions", "ation", "al", "ment")
LONGEST_KEY = 120


def search_payload(model: TopicModel) -> Payload:
    """Tokenisation, term weights and gram, and remarks where the page can differ from ``model.search``."""
    weighting, vocabulary = model.weighting, model.vocabulary
    stop, stem = weighting.stopped(), weighting.stem_language
    keys = [clipped(key, LONGEST_KEY) for key in vocabulary.keys]
    gram, exact = solved_gram(model)
    remarks = []
    if weighting.tokenizer is not None or weighting.pattern not in (None, *PATTERNS):
        remarks.append("This model finds words by a rule of its own, so the page may split words differently.")
    if stem is not None:
        remarks.append("This model counts stems: the page knows the usual forms of its words, not every form.")
    hashed = weighting.hashing is not None
    if hashed:
        remarks.append("This model counts words in a table of hashes: the page knows the commonest word of each place.")
    if not exact:
        remarks.append(
            "This model's algorithm weighs new texts by a rule of its own, so the order may differ a little."
        )
    return {
        "pattern": _pattern(weighting),
        "default": weighting.pattern is None,
        "numbers": weighting.numbers,
        "stop": sorted(stop.words),
        "stop_hiragana": stop.hiragana,
        "phrases": list(vocabulary.phrases),
        "ngrams": list(weighting.ngrams),
        "across": weighting.across_stop_words,
        "weight": weighting.weight,
        "normalize": weighting.normalize,
        "keys": None if hashed or vocabulary.terms == vocabulary.keys else keys,
        "forms": None if hashed or stem is None else surface_forms(model, stem),
        "global": packed(vocabulary.global_weights, "f8"),
        "solved": packed(gram, "f8"),
        "blend": default_blend(model.factorization.rank),
        "remarks": remarks,
    }


def _pattern(weighting: Weighting) -> str:
    """The words as a regular expression of JavaScript's."""
    if weighting.pattern is None:
        return default_pattern(weighting.joins_apostrophes, r"[\p{L}\p{Nl}\p{No}]", r"\p{Nd}", r"\p{M}")
    return PATTERNS.get(weighting.pattern, PATTERNS[PATTERN])


def weights_payload(w: Array, rows: Iterable[str], gram: Array) -> Payload:
    """W by rows, the names of the rows, and WᵀW."""
    return {"names": [clipped(row, LONGEST_KEY) for row in rows], "w": packed_rows(w), "gram": packed(gram, "f8")}


def solved_gram(model: TopicModel) -> tuple[Array, bool]:
    """(the gram of the row problem with its penalty, whether nonnegative least squares on it is what search does)."""
    algorithm, gram = model.factorization.algorithm, model.gram
    if algorithm is None:
        return gram, False
    side, penalised = algorithm.h, algorithm.h.penalised(gram)
    if not loss_of(algorithm).stationarity or side.update.exact() is not None or indefinite(penalised):
        return gram, False
    return penalised, True


def surface_forms(model: TopicModel, language: str) -> dict[str, str]:
    """word -> stem, for the words of titles and snippets and for every term with the usual endings."""
    stem = stemmer(language).stemWord
    known = {part for key in model.vocabulary.keys for part in key.split(" ")}
    words = replace(model.weighting, stem=None, ngrams=(1, 1)).analyzer()
    collection = model.collection
    seen = {word for text in (*collection.titles, *collection.snippets) for word in words(text)}
    roots = known | {part for term in model.terms for part in term.split(" ")}
    seen |= {root + ending for root in roots for ending in ("", *ENDINGS) if len(root) <= 40}
    stems = {word: stem(word) for word in seen if len(word) <= LONGEST_KEY}
    return {word: key for word, key in sorted(stems.items()) if key in known and key != word}
