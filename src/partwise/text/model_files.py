"""Models as one file of arrays and JSON: names, first words, vocabulary, factors; no texts, and nothing that runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from partwise.linalg.svd import SVD
from partwise.result.factorization import Factorization
from partwise.storage import archive as files
from partwise.text.base import TextModel
from partwise.text.collection import Collection
from partwise.text.lsi import LSI
from partwise.text.model import TopicModel
from partwise.text.packed import pack_strings, unpack_strings
from partwise.text.weighting import Vocabulary
from partwise.types import Array

LAYOUT = 1
STRINGS = ("ids", "titles", "labels", "snippets")
Model = TypeVar("Model", bound=TextModel)
Path = str | os.PathLike[str]


def save(model: TopicModel, path: Path) -> None:
    """Write a topic model."""
    about, arrays = model.factorization.stored()
    told = model.certificate.start
    settings = {"k": int(model.k), "seed": model.seed, "restarts": int(model.restarts), "init": told and told.init}
    meta = {"settings": settings, "factorization": about, "collection": _about(model.collection)}
    files.write(path, TopicModel.KIND, LAYOUT, meta, arrays | _arrays(model.collection))


def load_topic_model(path: Path) -> TopicModel:
    """Read a topic model; a start that only the one who fitted it had is noted as the default one."""

    def made(meta: Any, arrays: Mapping[str, Array]) -> TopicModel:
        settings, fit = meta["settings"], Factorization.from_stored(meta["factorization"], arrays)
        model = TopicModel(settings["k"], seed=settings["seed"], restarts=settings["restarts"])
        if fit.algorithm is not None:
            model.algorithm = fit.algorithm
        model._collection = _collection(meta["collection"], arrays, (len(fit.w), len(fit.h)))
        model.weighting = model._collection.vocabulary.weighting
        model._keep(fit)
        return model

    return _read(path, TopicModel.KIND, made)


def save_lsi(model: LSI, path: Path) -> None:
    """Write an LSI model."""
    svd = model.svd
    meta = {
        "settings": {"k": int(model.k), "seed": model.seed},
        "svd": {"norm2": svd.norm2, "rest2": svd.rest2},
        "collection": _about(model.collection),
    }
    arrays = {"u": svd.u, "s": svd.s, "v": svd.v}
    files.write(path, LSI.KIND, LAYOUT, meta, arrays | _arrays(model.collection))


def load_lsi(path: Path) -> LSI:
    """Read an LSI model."""

    def made(meta: Any, arrays: Mapping[str, Array]) -> LSI:
        model = LSI(meta["settings"]["k"], seed=meta["settings"]["seed"])
        u, s, v = arrays["u"], arrays["s"], arrays["v"]
        if not u.shape[1] == v.shape[1] == len(s):
            raise ValueError("The factors differ in rank.")
        model._svd = SVD(u, s, v, float(meta["svd"]["norm2"]), float(meta["svd"]["rest2"]))
        model._collection = _collection(meta["collection"], arrays, (len(u), len(v)))
        model.weighting = model._collection.vocabulary.weighting
        return model

    return _read(path, LSI.KIND, made)


LOADERS: dict[str, Callable[[Path], TextModel]] = {TopicModel.KIND: load_topic_model, LSI.KIND: load_lsi}


def load_model(path: Path) -> TextModel:
    """A topic model or an LSI model; every other file is refused in a sentence."""
    return LOADERS.get(files.kind(path) or "", load_topic_model)(path)


def _read(path: Path, kind: str, made: Callable[[Any, Mapping[str, Array]], Model]) -> Model:
    meta, arrays, _ = files.read(path, kind, LAYOUT)
    try:
        return made(meta, arrays)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        if isinstance(error.__context__, ImportError):
            raise  # the file is sound, but a package that it needs, such as the stemmer's, is not there
        raise ValueError(f"{path} is a {kind} file, but its contents do not fit together.") from None


def _about(collection: Collection) -> dict[str, Any]:
    return {"empty": list(collection.empty), "duplicates": [list(pair) for pair in collection.duplicates]}


def _arrays(collection: Collection) -> dict[str, Array]:
    found = {name: pack_strings(getattr(collection, name)) for name in STRINGS}
    found |= {f"vocabulary_{name}": array for name, array in collection.vocabulary.as_arrays().items()}
    matrix = collection.A
    return found | {"a_values": matrix.data, "a_terms": _terms(matrix), "a_documents": matrix.indices}


def _terms(matrix: sp.csr_array) -> Array:
    """How many documents each term is in."""
    counts: Array = np.diff(matrix.indptr).astype(np.int32)
    return counts


def _collection(about: Any, arrays: Mapping[str, Array], shape: tuple[int, int]) -> Collection:
    """The collection of a file, every length compared with the factors'."""
    mine = {name.removeprefix("vocabulary_"): a for name, a in arrays.items() if name.startswith("vocabulary_")}
    vocabulary = Vocabulary.from_arrays(mine)
    strings = {name: unpack_strings(arrays[name]) for name in STRINGS}
    if len(vocabulary) != shape[0] or any(len(found) != shape[1] for found in strings.values()):
        raise ValueError("The names do not fit the factors.")
    starts = np.concatenate([[0], np.cumsum(arrays["a_terms"], dtype=np.int64)])
    matrix = sp.csr_array((arrays["a_values"], arrays["a_documents"], starts), shape=shape)
    matrix.check_format(full_check=True)
    return Collection(
        **strings,
        A=matrix,
        vocabulary=vocabulary,
        empty=tuple(int(i) for i in about["empty"]),
        duplicates=tuple((int(a), int(b)) for a, b in about["duplicates"]),
    )
