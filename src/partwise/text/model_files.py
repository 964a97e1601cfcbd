"""Models as one file of arrays and JSON: names, first words, vocabulary, A and the factors; no texts, no code."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from partwise.data.as_data import as_data
from partwise.data.sparse_structure import check_structure, check_whole
from partwise.linalg.svd import SVD
from partwise.result.factorization import Factorization
from partwise.storage import archive
from partwise.storage.atomic import Full, is_full
from partwise.storage.settings import Plain, Reader, plain
from partwise.storage.targets import check_target, is_stream, resolved
from partwise.text.collection import Collection, Names, column_type, gather
from partwise.text.json_arrays import array_to_strings, strings_to_array
from partwise.text.lsi import LSI
from partwise.text.term_stream import narrow
from partwise.text.text_model import TextModel
from partwise.text.topic_model import TopicModel
from partwise.text.vocabulary import Vocabulary
from partwise.types import Array

LAYOUT = 1
STRINGS = Names._fields
FEW = 2**17
"""Documents up to which their names are compressed in memory before a model is fitted, some 100 bytes each."""
CHUNK = 2**18
"""Bytes that are written at a time to reserve room on a disk."""
FittedModel = TypeVar("FittedModel", bound=TextModel)
Path = str | os.PathLike[str]


@dataclass(frozen=True)
class TopicSettings:
    """The settings of a topic model; its algorithm is stored with the factorisation."""

    k: int
    seed: int | None
    restarts: int
    init: str | None = None
    """The name of the start, for information."""


@dataclass(frozen=True)
class LsiSettings:
    """The settings of an LSI model."""

    k: int
    seed: int | None


@dataclass(frozen=True)
class SquaredNorms:
    """The squared norms of an SVD: of A, and of what the SVD leaves."""

    norm2: float
    rest2: float


@dataclass(frozen=True)
class DocumentRemarks:
    """The documents without terms and the copies of a collection."""

    empty: tuple[int, ...]
    duplicates: tuple[tuple[int, int], ...]


class NamesAhead:
    """The names of documents, compressed on another thread while their matrix is made and factored."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "partwise-names")
        self._names: Names | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, names: Names) -> None:
        """Begin where the documents are few."""
        if len(names.ids) <= FEW:
            self._names, self._draft = names, self._pool.submit(self._compressed, names)

    @staticmethod
    def _compressed(names: Names) -> archive.Draft:
        return archive.Draft({name: strings_to_array(strings) for name, strings in names._asdict().items()})

    def draft(self, collection: Collection) -> archive.Draft | None:
        """The beginning of a file, to be used once; None where the collection has other names."""
        names, self._names = self._names, None
        same = names is not None and all(getattr(collection, name) is names[i] for i, name in enumerate(STRINGS))
        return self._draft.result() if same else None


def save_topic_model(model: TopicModel, path: Path, ahead: NamesAhead | None = None) -> None:
    """Write a topic model, with names that have been compressed already where ``ahead`` has those of its documents."""
    about, arrays = model.factorization.stored()
    start = model.certificate.start
    settings = TopicSettings(int(model.k), model.seed, int(model.restarts), start.init if start else None)
    draft = None if ahead is None else ahead.draft(model.collection)
    _write(path, model, {"settings": plain(settings, kinds=False), "factorization": about}, arrays, draft)


def load_topic_model(path: Path) -> TopicModel:
    """Read a topic model; a start that only its author had is replaced by the default one."""

    def build(meta: Plain, arrays: Mapping[str, Array]) -> TopicModel:
        settings = Reader().read(TopicSettings, meta["settings"])
        fit = Factorization.from_stored(meta["factorization"], arrays)
        model = TopicModel(settings.k, seed=settings.seed, restarts=settings.restarts)
        if fit.algorithm is not None:
            model.algorithm = fit.algorithm
        model._collection = _collection(meta["collection"], arrays, (len(fit.w), len(fit.h)))
        model.weighting = model._collection.vocabulary.weighting
        model._set_factorization(fit)
        return model

    return _read(path, TopicModel.KIND, build)


def save_lsi(model: LSI, path: Path) -> None:
    """Write an LSI model."""
    svd = model.svd
    meta = {
        "settings": plain(LsiSettings(int(model.k), model.seed), kinds=False),
        "svd": plain(SquaredNorms(svd.norm2, svd.rest2), kinds=False),
    }
    _write(path, model, meta, {"u": svd.u, "s": svd.s, "v": svd.v})


def load_lsi(path: Path) -> LSI:
    """Read an LSI model."""

    def build(meta: Plain, arrays: Mapping[str, Array]) -> LSI:
        settings = Reader().read(LsiSettings, meta["settings"])
        norms = Reader().read(SquaredNorms, meta["svd"])
        u, s, v = arrays["u"], arrays["s"], arrays["v"]
        if not (u.ndim == v.ndim == 2 and s.shape == u.shape[1:] == v.shape[1:]):
            raise ValueError("The factors differ in rank.")
        if not all(array.dtype.kind == "f" and np.isfinite(array).all() for array in (u, s, v)):
            raise ValueError("The factors are not finite numbers.")
        model = LSI(settings.k, seed=settings.seed)
        model._set_svd(SVD(u, s, v, norms.norm2, norms.rest2))
        model._collection = _collection(meta["collection"], arrays, (len(u), len(v)))
        model.weighting = model._collection.vocabulary.weighting
        return model

    return _read(path, LSI.KIND, build)


LOADERS: dict[str, Callable[[Path], TextModel]] = {TopicModel.KIND: load_topic_model, LSI.KIND: load_lsi}


def load_model(path: Path) -> TextModel:
    """A topic model or an LSI model; every other file is refused in a sentence."""
    return LOADERS.get(archive.kind(path) or "", load_topic_model)(path)


def _read(path: Path, kind: str, build: Callable[[Plain, Mapping[str, Array]], FittedModel]) -> FittedModel:
    meta, arrays, _ = archive.read(path, kind, LAYOUT)
    try:
        return build(meta, arrays)
    except Exception as error:  # what somebody has written into a file can raise nearly anything
        if isinstance(error.__context__, ImportError):
            raise  # the file is sound, but a package that it needs, such as the stemmer's, is not installed
        raise ValueError(f"{path} is a {kind} file, but its contents do not fit together.") from None


def _write(
    path: Path,
    model: TextModel,
    meta: dict[str, Plain],
    arrays: Mapping[str, Array],
    draft: archive.Draft | None = None,
) -> None:
    """Write a model with its collection, whose names a draft holds already."""
    collection, vocabulary = model.collection, model.vocabulary.as_arrays()
    strings = {name: strings_to_array(getattr(collection, name)) for name in STRINGS if draft is None}
    terms = {f"vocabulary_{name}": array for name, array in vocabulary.items()}
    remarks = DocumentRemarks(collection.empty, collection.duplicates)
    meta = meta | {"collection": plain(remarks, kinds=False)}
    with _matrix_arrays(collection, path) as matrix:
        archive.write(path, model.KIND, LAYOUT, meta, {**arrays, **strings, **terms, **matrix}, draft)


@contextmanager
def _matrix_arrays(collection: Collection, path: Path) -> Iterator[dict[str, Array]]:
    """A in single precision by terms, as a file holds it.

    A matrix on disk or on workers is gathered part by part into temporary files beside the target, up to 8 bytes an
    entry, and never lies in memory as a whole.
    """
    with ExitStack() as files:
        if sp.issparse(collection.A):
            matrix = collection.in_memory()
            values, documents, counts = matrix.data, matrix.indices, np.diff(matrix.indptr).astype(np.int32)
            documents = documents.astype(column_type(matrix.shape[1]), copy=False)
        else:
            check_target(path)
            folder = None if is_stream(path) else resolved(path).parent

            def allocate(size: int, dtype: DTypeLike) -> Array:
                return _disk_array(files.enter_context(tempfile.TemporaryFile(dir=folder)), size, dtype)

            try:
                values, documents, counts = gather(as_data(collection.A), allocate)
            except OSError as error:
                if not is_full(error):
                    raise
                reason = f"there is no room beside it for a temporary copy of its matrix ({error.strerror})"
                raise Full(f"{path} could not be written, {reason}.") from None
        yield {"a_values": values, "a_terms": counts, "a_documents": documents}


def _disk_array(file: IO[bytes], size: int, dtype: DTypeLike) -> Array:
    """An array in a file whose room is reserved first, since a full disk would kill a process that writes to a map."""
    left = size * np.dtype(dtype).itemsize
    while left:
        left -= file.write(bytes(min(left, CHUNK)))
    file.flush()
    return np.memmap(file, dtype, "r+", shape=(size,)) if size else np.empty(0, dtype)


def _collection(remarks: Plain, arrays: Mapping[str, Array], shape: tuple[int, int]) -> Collection:
    """The collection of a file, every length compared with the factors'."""
    prefix = "vocabulary_"
    terms = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    vocabulary = Vocabulary.from_arrays(terms)
    strings = {name: array_to_strings(arrays[name]) for name in STRINGS}
    if len(vocabulary) != shape[0] or any(len(values) != shape[1] for values in strings.values()):
        raise ValueError("The names do not fit the factors.")
    counts = arrays["a_terms"]
    check_whole(counts, "a_terms")
    starts = narrow(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))
    if starts[-1] != len(arrays["a_values"]):
        raise ValueError("The entries of the terms are not all there are.")
    matrix = sp.csr_array((arrays["a_values"], arrays["a_documents"], starts), shape=shape)
    check_structure(matrix)
    sound = (matrix.data >= 0) & (matrix.data <= np.finfo(np.float32).max)  # a file holds them in single precision
    if matrix.dtype not in (np.float32, np.float64) or not sound.all():
        raise ValueError("The entries are not those of a nonnegative matrix.")
    notes = Reader().read(DocumentRemarks, remarks)
    return Collection(**strings, A=matrix, vocabulary=vocabulary, empty=notes.empty, duplicates=notes.duplicates)
