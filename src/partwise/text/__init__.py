"""From a pile of documents to a matrix."""

from partwise.documents import Document
from partwise.text.collection import Collection, collect
from partwise.text.documents import read_documents
from partwise.text.stop_words import read_stop_words
from partwise.text.weighting import WEIGHTS, Vocabulary, Weighting

__all__ = [
    "WEIGHTS",
    "Collection",
    "Document",
    "Vocabulary",
    "Weighting",
    "collect",
    "read_documents",
    "read_stop_words",
]
