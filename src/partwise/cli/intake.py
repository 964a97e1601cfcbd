"""Texts from the command line to a collection: progress while reading, then what was amiss."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from partwise.cli.output import counted, keeping, note, working
from partwise.data.dask.connecting import connected
from partwise.engine.stopping import Reason
from partwise.text.base import TextModel
from partwise.text.collection import Collection, collect
from partwise.text.documents import read_documents
from partwise.text.model import TopicModel
from partwise.text.model_files import load_model
from partwise.text.spread import collect_parquet
from partwise.text.stored import holds_texts, open_collection
from partwise.text.weighting import Weighting


def read_collection(path: str, weighting: Weighting, client: Any = None, **reading: Any) -> Collection:
    """Read and weigh texts, here or on a cluster; single bad documents are counted and told on stderr."""
    with working("reading") as tell:
        if path != "-" and holds_texts(path):
            collection = open_stored(path, weighting, client, **reading)
        elif client is None:
            documents = read_documents(path, warn=note, **reading)
            collection = collect(counted(documents, tell, "documents read"), weighting)
        else:
            collection = read_on(client, path, weighting, **reading)
    for remark in collection.remarks():
        note(remark)
    return collection


def read_on(client: Any, path: str, weighting: Weighting, format: str | None = None, **reading: Any) -> Collection:
    """The same by the workers of a cluster, which read Parquet alone."""
    if path == "-" or format not in (None, "parquet"):
        raise ValueError("A cluster reads Parquet files alone, which its workers open by their names.")
    return collect_parquet(path, weighting, client=client, warn=note, **reading)


def open_stored(path: str, weighting: Weighting, client: Any, **reading: Any) -> Collection:
    """Texts that `convert` has counted; what was asked of words then cannot be asked otherwise now."""
    collection = open_collection(path, client=client)
    asked = [name for name, value in reading.items() if value is not None and (name, value) != ("encoding", "utf-8")]
    if asked:
        raise ValueError(f"{path} was read when it was converted; leave --{asked[0].replace('_', '-')} out.")
    if weighting not in (Weighting(), collection.vocabulary.weighting):
        raise ValueError(f"{path} was counted with other options about words; leave them out, or convert again.")
    return collection


def cluster(scheduler: str | None) -> AbstractContextManager[Any]:
    """A client of the scheduler, or None where there is none."""
    return nullcontext() if scheduler is None else connected(scheduler)


def fitted(model: TextModel, collection: Collection) -> None:
    """Fit a model; Ctrl-C ends the command here, though the library would keep what there is."""
    terms, documents = collection.A.shape
    checkpoint = model.checkpoint if isinstance(model, TopicModel) else None
    with keeping(checkpoint), working(f"factorising {terms:,} terms × {documents:,} documents"):
        model.fit_collection(collection)
        if isinstance(model, TopicModel) and model.factorization.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt


def topic_model(path: Path, verb: str) -> TopicModel:
    """A topic model from a file; the SVD's has no topics."""
    model = load_model(path)
    if not isinstance(model, TopicModel):
        raise ValueError(f"{path} is an LSI model, which has no topics; `partwise {verb}` needs a model of `topics`.")
    return model
