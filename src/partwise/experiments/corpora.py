"""The term-document matrices that the experiments factor, each computed once in a process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from partwise import datasets
from partwise.experiments.experiment import Record
from partwise.text.tokenizer import PATTERN
from partwise.text.weighting import Weighting

MIN_DF = {"medlars": 2, "cisi": 2, "reuters10": 3}
PAPER_LIKE = ("log-entropy", "english")
"""The weight and the stemmer with which the topics of reuters10 are nearest to the paper's table 3."""
NO_STEM = "none"
_LIKE = {"weight": "log-entropy", "stem": "english"}
BESIDE: dict[str, Record] = {
    "log-entropy, stemmed": _LIKE,
    "log-entropy": {"weight": "log-entropy", "stem": NO_STEM},
    "tfidf, stemmed": {"weight": "tfidf", "stem": "english"},
    "tfidf": {"weight": "tfidf", "stem": NO_STEM},
    "counts, stemmed": {"weight": "counts", "stem": "english"},
}
"""The weightings whose results stand side by side: name -> options of :func:`reuters_corpus`."""
TRIED: dict[str, Record] = BESIDE | {
    "log-entropy, stemmed, columns of length 1": _LIKE | {"normalize": True},
    "log-entropy, stemmed, phrases": _LIKE | {"phrases": 0.5},
    "log-entropy, stemmed, pairs of words": _LIKE | {"ngrams": (1, 2)},
    "log-entropy, stemmed, terms of 2 documents": _LIKE | {"min_df": 2},
}
"""All that was tried in search of the paper's topics."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Terms by documents, the words, and the categories of each document where there are any."""

    name: str
    matrix: sp.csr_array
    terms: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...] = ()


def weighting(weight: str, stem: str, min_df: int, **further: Any) -> Weighting:
    """tf-idf in columns of length 1, the others as they stand: English stop words out, two letters or more."""
    usual = {"normalize": weight == "tfidf", "pattern": PATTERN, "stem": None if stem == NO_STEM else stem}
    return Weighting(**{"weight": weight, "min_df": min_df, **usual, **further})


@lru_cache(maxsize=8)
def smart_corpus(name: str, data: Path | None, weight: str, stem: str) -> Corpus:
    """MEDLARS or CISI: titles and abstracts, terms of at least two documents."""
    load = {"medlars": datasets.load_medlars, "cisi": datasets.load_cisi}[name]
    texts = [f"{document.title}\n{document.text}" for document in load(data).documents]
    vocabulary, matrix = weighting(weight, stem, MIN_DF[name]).fit(texts)
    return Corpus(name, matrix, vocabulary.terms)


@lru_cache(maxsize=2)
def articles(data: Path | None) -> tuple[datasets.Article, ...]:
    """The Reuters articles of the ModApte split in the ten most frequent categories, training and test."""
    return datasets.reuters10(datasets.load_reuters(data=data), "both")


@lru_cache(maxsize=2)
def reuters_corpus(data: Path | None, weight: str, stem: str, split: str = "train", **further: Any) -> Corpus:
    """reuters10: titles and bodies, terms of at least three documents."""
    chosen = datasets.reuters10(articles(data), split)  # type: ignore[arg-type]
    options = {"min_df": MIN_DF["reuters10"], **further}
    vocabulary, matrix = weighting(weight, stem, **options).fit([article.text for article in chosen])
    top = set(datasets.TOP_TEN)
    categories = tuple(tuple(t for t in article.topics if t in top) for article in chosen)
    return Corpus("reuters10", matrix, vocabulary.terms, categories)


def counts_note(data: Path | None, text: Corpus, split: str) -> str:
    """How many documents there are, beside the paper's number."""
    both = articles(data)
    train = sum(article.split == "train" for article in both)
    count = len(text.categories)
    return (
        f"reuters10 here is the {split} part of the ModApte split: {count:,} documents ({train:,} in training, "
        f"{len(both):,} with the test part; the paper counts 9,248, {9248 - count:+,} against ours), "
        f"{text.matrix.shape[0]:,} terms, {text.matrix.nnz:,} nonzeros."
    )


def weight_note(weight: str, stem: str) -> str:
    """What the entries are."""
    descriptions = {
        "tfidf": "tf-idf with smoothed idf, columns of length 1",
        "counts": "plain counts",
        "log-entropy": "log(1 + tf) times one minus the normalised entropy of the term, columns as they stand",
    }
    words = "nothing is stemmed" if stem == NO_STEM else f"words are stemmed (Snowball, {stem})"
    like = " This is the paper-like weighting (see basis-vectors)." if (weight, stem) == PAPER_LIKE else ""
    return f"The entries are {descriptions[weight]}; English stop words and single letters are left out, {words}.{like}"


def weighting_name(weight: str, stem: str) -> str:
    """'log-entropy, stemmed'."""
    return weight if stem == NO_STEM else f"{weight}, stemmed"
