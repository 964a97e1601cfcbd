"""Readers of the public data sets, in their original formats."""

from .expression import Expression, load_golub, read_gct, read_samples
from .faces import Faces, load_cbcl, load_olivetti, load_orl, read_matlab_faces, read_pgm_faces
from .locate import DataNotFound, find
from .movielens import Ratings, load_movielens, read_movielens
from .pgm import read_pgm
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
    "Expression",
    "Faces",
    "Ratings",
    "find",
    "load_cbcl",
    "load_cisi",
    "load_golub",
    "load_medlars",
    "load_movielens",
    "load_olivetti",
    "load_orl",
    "load_reuters",
    "load_standard_library",
    "read_collection",
    "read_documents",
    "read_gct",
    "read_judgements",
    "read_matlab_faces",
    "read_movielens",
    "read_pgm",
    "read_pgm_faces",
    "read_reuters",
    "read_samples",
    "reuters10",
]
