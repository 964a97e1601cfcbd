"""Texts and topic models from the command line: progress while reading, remarks on stderr."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from partwise.cli.matrix_input import is_matrix, matrix_from
from partwise.cli.options import ReadingOptions
from partwise.cli.output import counted, note, working
from partwise.data.dask.connecting import connected
from partwise.data.write import ArrayOrSparse
from partwise.text.cluster_collection import collect_parquet
from partwise.text.collection import Collection, Names, collect
from partwise.text.disk_collection import holds_texts, open_collection
from partwise.text.model_files import load_model
from partwise.text.read_documents import read_documents
from partwise.text.topic_model import TopicModel
from partwise.text.weighting import Weighting
from partwise.types import Data


def collection_from(
    path: str,
    weighting: Weighting,
    reading: ReadingOptions,
    client: Any = None,
    named: Callable[[Names], None] | None = None,
) -> Collection:
    """Read and weigh texts, in this process or on a cluster; bad documents are counted on stderr.

    ``named`` is for :func:`partwise.text.collection.collect`, where that reads them.
    """
    with working("reading") as update:
        if path != "-" and holds_texts(path):
            collection = _open_converted(path, weighting, reading, client)
        elif client is None:
            documents = read_documents(path, warn=note, **vars(reading))
            collection = collect(counted(documents, update, "documents read"), weighting, named=named)
        else:
            collection = _read_on_cluster(path, weighting, reading, client)
    for remark in collection.remarks():
        note(remark)
    return collection


def _read_on_cluster(path: str, weighting: Weighting, reading: ReadingOptions, client: Any) -> Collection:
    if path == "-" or reading.format not in (None, "parquet"):
        raise ValueError("A cluster reads Parquet files alone, which its workers open by their names.")
    if reading.strip is not None or reading.unique:
        raise ValueError("A cluster reads texts as they are; leave --strip and --unique out.")
    columns = {name: value for name, value in vars(reading).items() if name not in ("format", "strip", "unique")}
    return collect_parquet(path, weighting, client=client, warn=note, **columns)


def _open_converted(path: str, weighting: Weighting, reading: ReadingOptions, client: Any) -> Collection:
    """Open a folder of `convert`; options that differ from those it was counted with are refused."""
    collection = open_collection(path, client=client)
    usual = vars(ReadingOptions())
    changed = [name for name, value in vars(reading).items() if value != usual[name]]
    if changed:
        raise ValueError(f"{path} was read when it was converted; leave --{changed[0].replace('_', '-')} out.")
    if weighting not in (Weighting(), collection.vocabulary.weighting):
        raise ValueError(f"{path} was counted with other options about words; leave them out, or convert again.")
    return collection


def are_texts(path: str, reading: ReadingOptions) -> bool:
    """Whether a path names texts, and neither a matrix nor a folder of `convert`."""
    named = reading.column is not None or reading.format is not None
    return named or not (is_matrix(path) or (Path(path).is_dir() and holds_texts(path)))


def matrix_or_texts(path: str, weighting: Weighting, reading: ReadingOptions) -> ArrayOrSparse | Data:
    """The matrix in a file or a folder of `convert`, or that of texts."""
    return matrix_of_texts(path, weighting, reading) if are_texts(path, reading) else matrix_from(path)


def matrix_of_texts(path: str, weighting: Weighting, reading: ReadingOptions) -> sp.csr_array | Data:
    """The matrix of texts, for a verb that shows no document, so that no column of titles is looked for."""
    return collection_from(path, weighting, replace(reading, title_column=None)).A


def cluster(scheduler: str | None) -> AbstractContextManager[Any]:
    """A client of the scheduler, or None where no scheduler is named."""
    return nullcontext() if scheduler is None else connected(scheduler)


def topic_model_from(path: Path, verb: str) -> TopicModel:
    """A topic model from a file; an LSI model, which has no topics, is refused."""
    model = load_model(path)
    if not isinstance(model, TopicModel):
        raise ValueError(f"{path} is an LSI model, which has no topics; `partwise {verb}` needs a model of `topics`.")
    return model
