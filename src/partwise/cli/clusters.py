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

from partwise.cli import options
from partwise.cli.intake import topic_model
from partwise.cli.output import cell, check_output, console, plain, print_json, say, shortened, show, table
from partwise.cli.topics import show_scores
from partwise.storage.archive import atomic
from partwise.text.clusters import Clusters


def clusters(
    model: options.Model,
    documents: Annotated[bool, typer.Option("--documents", help="List every document, not only the clusters.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write every document to this CSV file.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Say which documents belong to which topic, and how surely.

    Example: partwise clusters news.partwise -o clusters.csv
    """
    output = check_output(output, model)
    found = topic_model(model, "clusters").clusters()
    if output is not None:
        with atomic(output) as file:
            file.write(as_csv(found).encode("utf-8", "replace"))
    if as_json:
        print_json(found.as_dict())
        return
    show_documents(found) if documents else show_clusters(found)
    if found.unassigned:
        has = "document has" if found.unassigned == 1 else "documents have"
        say("", f"{found.unassigned:,} {has} no known term and so no topic.")
    if found.scores is not None:
        say("")
        show_scores(found.scores)


def as_csv(found: Clusters) -> str:
    """Every document in a row."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["id", "title", "label", "topic", "name", "degree", "margin"])
    for one in found:
        topic, name = ("", "") if one.topic is None else (one.topic, found.names[one.topic])
        rows.writerow([one.id, one.title, one.label, topic, name, f"{one.degree:.6g}", f"{one.margin:.6g}"])
    return text.getvalue()


def show_clusters(found: Clusters) -> None:
    """A row for each topic: how many documents, how surely, and their commonest labels."""
    labelled = found.scores is not None
    shown = table(
        "topic", "docs", "degree", "margin", "about", *(["labels"] if labelled else []), left=["about", "labels"]
    )
    for topic, name in enumerate(found.names):
        own = [one for one in found if one.topic == topic]
        count = max(len(own), 1)
        degree, margin = sum(one.degree for one in own) / count, sum(one.margin for one in own) / count
        common = Counter(one.label for one in own if one.label).most_common(3)
        labels = [cell(", ".join(f"{label} {many}" for label, many in common))] if labelled else []
        shown.add_row(str(topic), f"{len(own):,}", f"{degree:.2f}", f"{margin:.2f}", cell(name), *labels)
    show(shown)


def show_documents(found: Clusters) -> None:
    """A line for each document, as they come: there may be very many."""
    width = console().width - 24
    sys.stdout.write("topic  degree  margin  document\n")
    for one in found:
        head = f"{one.id}  {one.title}" if one.title and one.title != one.id else one.id
        topic = "-" if one.topic is None else str(one.topic)
        text = Text(shortened(plain(head), width))
        text.truncate(width, overflow="ellipsis")
        sys.stdout.write(f"{topic:>5}{one.degree:>8.2f}{one.margin:>8.2f}  {text.plain}\n")
