"""A fit at the command line: Ctrl-C with and without a checkpoint, the result saved, its certificate printed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from partwise.cli.output import pairs, print_json, say, show, working
from partwise.engine.stopping import Reason
from partwise.result.factorization import Factorization
from partwise.text.collection import Collection
from partwise.text.model_files import NamesAhead, save_topic_model
from partwise.text.text_model import TextModel
from partwise.text.topic_model import TopicModel


class Interrupted(Exception):
    """Ctrl-C after which a checkpoint is left; the message names it."""


@contextmanager
def keeping(checkpoint: str | os.PathLike[str] | None) -> Iterator[None]:
    """Turn Ctrl-C into :class:`Interrupted` where a checkpoint exists, into KeyboardInterrupt where none does."""
    try:
        yield
    except BaseException as error:
        if not _by_ctrl_c(error):
            raise
        if checkpoint is None or not Path(checkpoint).exists():
            raise KeyboardInterrupt from None
        raise Interrupted(
            f"interrupted; the run is kept in {checkpoint}, and the same command goes on from there."
        ) from None


def _by_ctrl_c(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C or was raised while one was handled, e.g. by closing a file halfway."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def fit_texts(model: TextModel, collection: Collection) -> None:
    """Fit a model in place; Ctrl-C ends the command, though the library would return what it has so far."""
    terms, documents = collection.A.shape
    checkpoint = model.checkpoint if isinstance(model, TopicModel) else None
    with keeping(checkpoint), working(f"factorising {terms:,} terms × {documents:,} documents"):
        model.fit_collection(collection)
        if isinstance(model, TopicModel) and model.factorization.reason is Reason.INTERRUPTED:
            raise KeyboardInterrupt


@contextmanager
def saving(model: TextModel, output: Path | None, ahead: NamesAhead | None = None) -> Iterator[None]:
    """Save a model on another thread while the context lasts, and wait for it: most of that time is compressing."""
    save = partial(save_topic_model, model, ahead=ahead) if isinstance(model, TopicModel) else model.save
    with ThreadPoolExecutor(1, "partwise-saving") as pool:
        saved = None if output is None else pool.submit(save, output)
        yield
        if saved is not None:
            saved.result()


def save_fit(fit: Factorization, output: Path | None) -> None:
    """Save a fit; Ctrl-C ends the command, though the library would return what it has so far."""
    if fit.reason is Reason.INTERRUPTED:
        raise KeyboardInterrupt
    if output is not None:
        fit.save(output)


def show_fit(fit: Factorization, output: Path | None, as_json: bool) -> None:
    """Print the certificate, and where W and H are saved."""
    if as_json:
        print_json({"output": None if output is None else str(output), "certificate": fit.certificate.as_dict()})
        return
    show(pairs(fit.certificate.rows()))
    say("", f"Saved in {output}." if output else "Not saved; -o FILE keeps W and H for partwise.load.")
