"""Readers of the public data sets, in their original formats."""

from partwise.io.gct import read_gct

from .expression import Expression, load_golub, read_samples
from .faces import Faces, load_cbcl, load_olivetti, load_orl, read_matlab_faces, read_pgm_faces
from .locate import DataNotFound, find
from .movielens import Ratings, load_movielens, read_movielens
from .pgm import read_pgm
from .reuters import TOP_TEN, Article, load_reuters, read_reuters, reuters10
from .smart import (
    JudgedCollection,
    SmartRecord,
    load_cisi,
    load_medlars,
    read_judgements,
    read_smart_collection,
    read_smart_records,
)
from .standard_library import load_standard_library

__all__ = [
    "TOP_TEN",
    "Article",
    "DataNotFound",
    "Expression",
    "Faces",
    "JudgedCollection",
    "Ratings",
    "SmartRecord",
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
    "read_gct",
    "read_judgements",
    "read_matlab_faces",
    "read_movielens",
    "read_pgm",
    "read_pgm_faces",
    "read_reuters",
    "read_samples",
    "read_smart_collection",
    "read_smart_records",
    "reuters10",
]
