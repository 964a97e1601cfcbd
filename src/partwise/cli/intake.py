"""Texts from the command line to a collection: progress while reading, then what was amiss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from partwise.cli.output import counted, note, working
from partwise.stopping import Reason
from partwise.text.base import TextModel
from partwise.text.collection import Collection, collect
from partwise.text.documents import read_documents
from partwise.text.model import TopicModel
from partwise.text.model_files import load_model
from partwise.text.weighting import Weighting


def read_collection(path: str, weighting: Weighting, **reading: Any) -> Collection:
    """Read and weigh texts; single bad documents are counted and told on stderr."""
    with working("reading") as tell:
        documents = read_documents(path, warn=note, **reading)
        collection = collect(counted(documents, tell, "documents read"), weighting)
    for remark in collection.remarks():
        note(remark)
    return collection


def fitted(model: TextModel, collection: Collection) -> None:
    """Fit a model; Ctrl-C ends the command here, though the library would keep what there is."""
    terms, documents = collection.A.shape
    with working(f"factorising {terms:,} terms × {documents:,} documents"):
        model.fit_collection(collection)
    if isinstance(model, TopicModel) and model.factorization.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt


def topic_model(path: Path, verb: str) -> TopicModel:
    """A topic model from a file; the SVD's has no topics."""
    model = load_model(path)
    if not isinstance(model, TopicModel):
        raise ValueError(f"{path} is an LSI model, which has no topics; `partwise {verb}` needs a model of `topics`.")
    return model
