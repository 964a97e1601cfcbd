"""From documents to topics, clusters and search."""

from partwise.text.cluster_collection import collect_parquet
from partwise.text.collection import Collection, collect
from partwise.text.disk_collection import open_collection, store_texts
from partwise.text.document import Document
from partwise.text.lsi import LSI
from partwise.text.model_files import load_model
from partwise.text.read_documents import TextFiles, read_documents
from partwise.text.stop_words import read_stop_words
from partwise.text.topic_model import TopicModel
from partwise.text.vocabulary import Vocabulary
from partwise.text.weighting import Weighting
from partwise.text.weighting_schemes import WEIGHTS

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
