"""``partwise transform``: the topic mixtures of new documents."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from partwise.arguments import choose
from partwise.cli import options
from partwise.cli.grouping import grouped
from partwise.cli.output import counted, destination, note, print_json, working
from partwise.storage.archive import atomic
from partwise.storage.targets import is_stream
from partwise.text.base import TextModel
from partwise.text.documents import read_documents
from partwise.text.mixtures import Strongest, degrees
from partwise.text.model import TopicModel
from partwise.text.model_files import load_model

BATCH = 1000


@dataclass(frozen=True)
class Mixture:
    """One new document: its strongest topic (None: no known term), degree, margin, and the part of every topic."""

    id: str
    topic: int | None
    degree: float
    margin: float
    mixture: tuple[float, ...]


@grouped("title_column", "label_column")
def transform(
    model: options.Model,
    path: options.Texts,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Write to this file (csv, tsv, json, jsonl or npz); - is stdout as csv."),
    ] = Path("-"),
    as_json: options.Json = False,
    *,
    reading: options.Reading,
) -> None:
    """Give the topic mixture of new documents, with the topics of a model.

    Example: partwise transform news.partwise new.csv --column text -o mixtures.csv
    """
    to_file = str(output) != "-"
    plain = not to_file or (is_stream(output) and not output.suffix)
    write: Callable[[list[Mixture]], bytes] = (
        as_csv if plain else choose("file type", output.suffix[1:].lower(), WRITERS)
    )
    if to_file:
        output = destination(output, path, model)
    found = mixtures(load_model(model), path, vars(reading))
    if to_file:
        with atomic(output) as file:
            file.write(write(found))
    unknown = [one.id for one in found if one.topic is None]
    if unknown:
        has = "document has" if len(unknown) == 1 else "documents have"
        note(f"{len(unknown):,} {has} no term of the model (first: {unknown[0]}).")
    if as_json:
        told = {"output": str(output), "documents": len(found), "without_topic": len(unknown)}
        print_json(told if to_file else [asdict(one) for one in found])
    elif not to_file:
        sys.stdout.write(as_csv(found).decode())
    else:
        note(f"{len(found):,} documents written to {output}.")


def mixtures(model: TextModel, path: str, reading: dict[str, Any]) -> list[Mixture]:
    """The mixtures of new documents, read and folded in by batches."""
    found: list[Mixture] = []
    with working("reading") as tell:
        documents = counted(read_documents(path, warn=note, **reading), tell, "documents")
        while batch := list(islice(documents, BATCH)):
            found += _rows(model, [d.id for d in batch], model.transform(batch))
    return found


def _rows(model: TextModel, ids: list[str], weights: Any) -> Iterator[Mixture]:
    if not isinstance(model, TopicModel):
        raise ValueError("An LSI model has signed coordinates, no mixtures; use a model of `partwise topics`.")
    parts = degrees(weights)
    strongest = Strongest.of(parts)
    rows = zip(ids, strongest.topic, strongest.degree, strongest.margin, parts, strict=True)
    for id_, topic, degree, margin, mixture in rows:
        yield Mixture(id_, None if topic < 0 else int(topic), float(degree), float(margin), tuple(map(float, mixture)))


def as_csv(found: list[Mixture], delimiter: str = ",") -> bytes:
    """A row a document, a column a topic."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    count = len(found[0].mixture) if found else 0
    rows.writerow(["id", "topic", "degree", "margin", *(f"topic_{c}" for c in range(count))])
    for one in found:
        numbers = (f"{number:.6g}" for number in (one.degree, one.margin, *one.mixture))
        rows.writerow([one.id, "" if one.topic is None else one.topic, *numbers])
    return text.getvalue().encode("utf-8", "replace")


def _json(found: list[Mixture]) -> bytes:
    return (json.dumps([asdict(one) for one in found], indent=1) + "\n").encode()


def _jsonl(found: list[Mixture]) -> bytes:
    return "".join(json.dumps(asdict(one)) + "\n" for one in found).encode()


def _npz(found: list[Mixture]) -> bytes:
    file = io.BytesIO()
    topic = np.array([-1 if one.topic is None else one.topic for one in found])
    ids, parts = np.array([one.id for one in found]), np.array([one.mixture for one in found])
    np.savez_compressed(file, ids=ids, topic=topic, mixture=parts)
    return file.getvalue()


WRITERS: dict[str, Callable[[list[Mixture]], bytes]] = {
    "csv": as_csv,
    "tsv": lambda found: as_csv(found, "\t"),
    "json": _json,
    "jsonl": _jsonl,
    "npz": _npz,
}
