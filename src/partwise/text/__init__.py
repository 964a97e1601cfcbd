"""From a pile of documents to topics, clusters and search."""

from partwise.text.collection import Collection, collect
from partwise.text.document import Document
from partwise.text.documents import read_documents
from partwise.text.lsi import LSI
from partwise.text.model import TopicModel
from partwise.text.model_files import load_model
from partwise.text.spread import collect_parquet
from partwise.text.stop_words import read_stop_words
from partwise.text.stored import open_collection, store_texts
from partwise.text.text_files import TextFiles
from partwise.text.weighting import Vocabulary, Weighting
from partwise.text.weights import WEIGHTS

__all__ = [
    "LSI",
    "WEIGHTS",
    "Collection",
    "Document",
    "TextFiles",
    "TopicModel",
    "Vocabulary",
    "Weighting",
    "collect",
    "collect_parquet",
    "load_model",
    "open_collection",
    "read_documents",
    "read_stop_words",
    "store_texts",
]
