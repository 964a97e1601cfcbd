"""``partwise transform``: the topic mixtures of new documents."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from partwise.arguments import choose
from partwise.cli import options
from partwise.cli.output import counted, csv_text, destination, note, print_json, working
from partwise.storage.atomic import atomic
from partwise.storage.targets import is_stream
from partwise.text.document import Document
from partwise.text.mixtures import Strongest, degrees
from partwise.text.model_files import load_model
from partwise.text.read_documents import read_documents
from partwise.text.text_model import TextModel
from partwise.text.topic_model import TopicModel
from partwise.types import Array

BATCH = 1000
FOREIGN = 0.6
"""From this share of unknown words on, texts may be in another language than the model's."""


@dataclass(frozen=True)
class Mixture:
    """One new document: its strongest topic (None: no known term), degree, margin, and its share of every topic."""

    id: str
    topic: int | None
    degree: float
    margin: float
    mixture: tuple[float, ...]


@options.grouped("title_column", "label_column")
def transform(
    model: options.Model,
    path: options.Texts,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Write to this file (csv, tsv, json, jsonl or npz); - is stdout as csv."),
    ] = Path("-"),
    as_json: options.Json = False,
    *,
    reading: options.ReadingOptions,
) -> None:
    """Give the topic mixture of new documents, with the topics of a model.

    Example: partwise transform news.partwise new.csv --column text -o mixtures.csv
    """
    to_file = str(output) != "-"
    plain = not to_file or (is_stream(output) and not output.suffix)
    write: Callable[[list[Mixture]], bytes] = (
        mixtures_csv if plain else choose("file type", output.suffix[1:].lower(), WRITERS)
    )
    if to_file:
        output = destination(output, path, model)
    mixtures = fold_in_documents(load_model(model), path, reading)
    if to_file:
        with atomic(output) as file:
            file.write(write(mixtures))
    unknown = [one.id for one in mixtures if one.topic is None]
    if unknown:
        has = "document has" if len(unknown) == 1 else "documents have"
        note(f"{len(unknown):,} {has} no term of the model (first: {unknown[0]}).")
    if as_json:
        summary = {"output": str(output), "documents": len(mixtures), "without_topic": len(unknown)}
        print_json(summary if to_file else [asdict(one) for one in mixtures])
    elif not to_file:
        sys.stdout.write(mixtures_csv(mixtures).decode())
    else:
        note(f"{len(mixtures):,} documents written to {output}.")


def fold_in_documents(model: TextModel, path: str, reading: options.ReadingOptions) -> list[Mixture]:
    """The mixtures of new documents, read and folded in batch by batch."""
    mixtures: list[Mixture] = []
    with working("reading") as update:
        source = vars(replace(reading, title_column=None))
        documents = counted(read_documents(path, warn=note, **source), update, "documents")
        while batch := list(islice(documents, BATCH)):
            if not mixtures:
                _note_foreign_words(model, batch)
            mixtures += _rows(model, [d.id for d in batch], model.transform(batch))
    return mixtures


def _note_foreign_words(model: TextModel, documents: list[Document]) -> None:
    """Say so where most words of the first documents are not the model's."""
    share = model.vocabulary.unknown_share(document.text for document in documents)
    if share > FOREIGN:
        language = model.weighting.language
        note(f"{share:.0%} of the words are unknown to the model, whose language is {language}; is it the right one?")


def _rows(model: TextModel, ids: list[str], weights: Array) -> Iterator[Mixture]:
    if not isinstance(model, TopicModel):
        raise ValueError("An LSI model has signed coordinates, no mixtures; use a model of `partwise topics`.")
    parts = degrees(weights)
    strongest = Strongest.of(parts)
    rows = zip(ids, strongest.topic, strongest.degree, strongest.margin, parts, strict=True)
    for id_, topic, degree, margin, mixture in rows:
        yield Mixture(id_, None if topic < 0 else int(topic), float(degree), float(margin), tuple(map(float, mixture)))


def mixtures_csv(mixtures: list[Mixture], delimiter: str = ",") -> bytes:
    """A row for each document, a column for each topic."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    count = len(mixtures[0].mixture) if mixtures else 0
    rows.writerow(["id", "topic", "degree", "margin", *(f"topic_{c}" for c in range(count))])
    for one in mixtures:
        numbers = (f"{number:.6g}" for number in (one.degree, one.margin, *one.mixture))
        rows.writerow([csv_text(one.id), "" if one.topic is None else one.topic, *numbers])
    return text.getvalue().encode("utf-8", "replace")


def _json(mixtures: list[Mixture]) -> bytes:
    return (json.dumps([asdict(one) for one in mixtures], indent=1) + "\n").encode()


def _jsonl(mixtures: list[Mixture]) -> bytes:
    return "".join(json.dumps(asdict(one)) + "\n" for one in mixtures).encode()


def _npz(mixtures: list[Mixture]) -> bytes:
    file = io.BytesIO()
    topic = np.array([-1 if one.topic is None else one.topic for one in mixtures])
    ids, parts = np.array([one.id for one in mixtures]), np.array([one.mixture for one in mixtures])
    np.savez_compressed(file, ids=ids, topic=topic, mixture=parts)
    return file.getvalue()


WRITERS: dict[str, Callable[[list[Mixture]], bytes]] = {
    "csv": mixtures_csv,
    "tsv": lambda mixtures: mixtures_csv(mixtures, "\t"),
    "json": _json,
    "jsonl": _jsonl,
    "npz": _npz,
}
