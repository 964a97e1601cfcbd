"""Readers of the public data sets, in their original formats."""

from .locate import DataNotFound, find
from .reuters import TOP_TEN, Article, load_reuters, read_reuters, reuters10
from .smart import (
    Collection,
    Document,
    load_cisi,
    load_medlars,
    read_collection,
    read_documents,
    read_judgements,
)
from .standard_library import load_standard_library

__all__ = [
    "TOP_TEN",
    "Article",
    "Collection",
    "DataNotFound",
    "Document",
    "find",
    "load_cisi",
    "load_medlars",
    "load_reuters",
    "load_standard_library",
    "read_collection",
    "read_documents",
    "read_judgements",
    "read_reuters",
    "reuters10",
]
