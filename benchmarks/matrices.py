"""The term-by-document matrices that the benchmarks factor, made anew at each call."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

from partwise import datasets


@dataclass(frozen=True)
class TermDocument:
    """A tf-idf matrix, terms by documents with unit columns, and the word of each row."""

    matrix: csr_array
    terms: npt.NDArray[np.str_]


def tfidf(texts: Iterable[str], min_df: int) -> TermDocument:
    """Runs of two or more Latin letters, lower case, without stop words, in at least `min_df` documents."""
    weighting = TfidfVectorizer(stop_words="english", token_pattern=r"[a-z]{2,}", min_df=min_df)
    documents_by_terms = weighting.fit_transform(texts)
    terms = np.asarray(weighting.get_feature_names_out(), dtype=np.str_)
    return TermDocument(csr_array(documents_by_terms.T, dtype=np.float64), terms)


def reuters(data: Path | None = None) -> TermDocument:
    """Reuters-21578, titles and bodies: 17,977 terms, 19,043 documents, 994,252 nonzeros."""
    articles = datasets.load_reuters(data=data)
    return tfidf((article.text for article in articles if article.body), min_df=3)


def reuters10(split: Literal["train", "test", "both"] = "train", data: Path | None = None) -> TermDocument:
    """The ten most frequent Reuters categories."""
    articles = datasets.reuters10(datasets.load_reuters(data=data), split)
    return tfidf((article.text for article in articles), min_df=3)


def medlars(data: Path | None = None) -> TermDocument:
    """The MEDLARS abstracts."""
    return _smart(datasets.load_medlars(data))


def cisi(data: Path | None = None) -> TermDocument:
    """The CISI titles and abstracts."""
    return _smart(datasets.load_cisi(data))


def _smart(collection: datasets.JudgedCollection) -> TermDocument:
    """Titles and texts of the documents; terms of a single document are left out."""
    return tfidf((f"{document.title}\n{document.text}" for document in collection.documents), min_df=2)
