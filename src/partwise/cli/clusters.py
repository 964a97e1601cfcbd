"""``partwise clusters``: every document with its topic, and how the topics agree with labels."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from partwise.arguments import choose
from partwise.cli import options
from partwise.cli.output import (
    abridged,
    cell,
    check_output,
    console,
    csv_text,
    print_json,
    printable,
    say,
    show,
    table,
)
from partwise.cli.text_input import topic_model_from
from partwise.cli.topics import show_scores
from partwise.storage.atomic import atomic
from partwise.text.clusters import WAYS, Clusters

HOW = {
    "space": "By space: from the strongest topic by k-means in the SVD's space, which agrees better with labels that "
    "people gave; --by topics is the strongest topic alone.",
    "topics": "By topics: each document has its strongest topic.",
}


def clusters(
    model: options.Model,
    by: Annotated[
        str,
        typer.Option(help="topics: the strongest topic; space: from there by k-means in the SVD's space."),
    ] = WAYS[0],
    documents: Annotated[bool, typer.Option("--documents", help="List every document, not only the clusters.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write every document to this CSV file.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Say which documents belong to which topic, and how surely.

    Example: partwise clusters news.partwise -o clusters.csv
    """
    choose("--by", by, dict.fromkeys(WAYS))
    output = check_output(output, model)
    clustering = topic_model_from(model, "clusters").clusters(by=by)
    if output is not None:
        with atomic(output) as file:
            file.write(clusters_csv(clustering).encode("utf-8", "replace"))
    if as_json:
        print_json(clustering.as_dict())
        return
    show_documents(clustering) if documents else show_clusters(clustering)
    if clustering.unassigned:
        has = "document has" if clustering.unassigned == 1 else "documents have"
        say("", f"{clustering.unassigned:,} {has} no known term and so no topic.")
    say("", HOW[by])
    show_scores(clustering.scores)


def clusters_csv(clustering: Clusters) -> str:
    """CSV with a row for each document."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "title", "label", "topic", "name", "degree", "margin"])
    for one in clustering:
        topic, name = ("", "") if one.topic is None else (one.topic, clustering.names[one.topic])
        texts = [csv_text(text) for text in (one.id, one.title, one.label)]
        rows.writerow([*texts, topic, csv_text(name), f"{one.degree:.6g}", f"{one.margin:.6g}"])
    return text.getvalue()


def show_clusters(clustering: Clusters) -> None:
    """Print a row for each topic: its number of documents, their mean degree and margin, their commonest labels."""
    labelled = clustering.scores is not None
    shown = table(
        "topic", "docs", "degree", "margin", "about", *(["labels"] if labelled else []), left=["about", "labels"]
    )
    for topic, name in enumerate(clustering.names):
        own = [one for one in clustering if one.topic == topic]
        count = max(len(own), 1)
        degree, margin = sum(one.degree for one in own) / count, sum(one.margin for one in own) / count
        common = Counter(one.label for one in own if one.label).most_common(3)
        labels = [cell(", ".join(f"{label} {many}" for label, many in common))] if labelled else []
        shown.add_row(str(topic), f"{len(own):,}", f"{degree:.2f}", f"{margin:.2f}", cell(name), *labels)
    show(shown)


def show_documents(clustering: Clusters) -> None:
    """Print a line for each document, one by one, since there may be very many."""
    width = console().width - 24
    sys.stdout.write("topic  degree  margin  document\n")
    for one in clustering:
        head = f"{one.id}  {one.title}" if one.title and one.title != one.id else one.id
        topic = "-" if one.topic is None else str(one.topic)
        text = Text(abridged(printable(head), width))
        text.truncate(width, overflow="ellipsis")
        sys.stdout.write(f"{topic:>5}{one.degree:>8.2f}{one.margin:>8.2f}  {text.plain}\n")
