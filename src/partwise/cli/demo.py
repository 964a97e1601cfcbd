"""``partwise demo``: topics, certificate, searches and a page from the docstrings of Python's standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli import options
from partwise.cli.fitting import fit_texts
from partwise.cli.output import destination, pairs, print_json, say, show, working
from partwise.cli.report import has_plotly, report_at
from partwise.cli.search import show_answer
from partwise.cli.topics import show_topics, summary
from partwise.datasets.standard_library import load_standard_library
from partwise.report import write_report
from partwise.text.collection import collect
from partwise.text.document import Document
from partwise.text.topic_model import TopicModel
from partwise.text.weighting import Weighting

TITLE = "What Python's standard library is about"
NO_REPORT = "No report was written, since plotly is not installed: pip install 'partwise[report]'."
QUERIES = ("read a compressed archive", "parse command line arguments")


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to save the model.")] = Path("demo.partwise"),
    report: Annotated[Path, typer.Option("--report", help="Where to write the page.")] = Path("demo.html"),
    k: Annotated[int, typer.Option("-k", "--topics", help="How many topics.")] = 20,
    as_json: options.Json = False,
) -> None:
    """Fit the docstrings of Python's standard library: topics, the certificate, two searches, a page to look at.

    Example: partwise demo
    """
    model = TopicModel(k, weighting=demo_weighting())
    model.check()
    output = destination(output)
    if drawn := has_plotly():
        report = report_at(report, output)
    with working("reading the standard library"):
        collection = collect(demo_documents(), model.weighting)
    fit_texts(model, collection)
    model.save(output)
    if drawn:
        with working("writing the page"):
            write_report(model, report, title=TITLE)
    topic_list, answers = model.topics(8), [model.search(query, 3) for query in QUERIES]
    if as_json:
        print_json(
            summary(model, topic_list, output, report if drawn else None)
            | {"searches": [answer.as_dict() for answer in answers]}
        )
        return
    terms, documents = collection.A.shape
    say(f"{documents:,} docstrings of Python's standard library, {terms:,} terms, {k} topics:", "")
    show_topics(topic_list, None)
    say("", "What the factorisation is worth:", "")
    show(pairs(model.certificate.rows()))
    for answer in answers:
        say("", f'partwise search {output} "{answer.query}" -n 3', "")
        show_answer(answer, model.names)
    say("", f"The model is saved in {output}.")
    say(f"The report is written to {report}; open it in a browser." if drawn else NO_REPORT)


def demo_weighting() -> Weighting:
    """The default; stems too where the stemmer is installed, so that "arguments" finds "argument"."""
    return Weighting(stem="english" if find_spec("snowballstemmer") else None)


def demo_documents() -> Iterator[Document]:
    """The docstrings of the standard library, each followed by the words of its name: zip file of zipfile.ZipFile."""
    for document in load_standard_library():
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", document.id.replace(".", " "))
        yield replace(document, text=f"{document.text}\n{name}")
