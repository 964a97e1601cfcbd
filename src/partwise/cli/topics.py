"""``partwise topics``: named topics of a collection of documents, and a model to search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from partwise.arguments import whole_number
from partwise.cli import options
from partwise.cli.fitting import fit_texts, saving
from partwise.cli.output import (
    abridged,
    check_checkpoint,
    check_output,
    print_json,
    printable,
    say,
    show,
    table,
    working,
)
from partwise.cli.plugins import load_plugins
from partwise.cli.report import ReportFile, check_report
from partwise.cli.text_input import cluster, collection_from
from partwise.text.clusters import LabelScores, label_scores
from partwise.text.model_files import NamesAhead
from partwise.text.topic_model import TopicModel
from partwise.text.topics import Example, Topic, Topics


@options.grouped()
def topics(
    path: options.Texts,
    k: Annotated[int, typer.Option("-k", "--topics", help="How many topics.")] = 10,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the model in this file.")] = None,
    report: ReportFile = None,
    terms: Annotated[int, typer.Option(help="How many terms of each topic to show.")] = 10,
    as_json: options.Json = False,
    *,
    reading: options.ReadingOptions,
    words: options.WordOptions,
    algorithm: options.AlgorithmName = None,
    loss: options.LossName = None,
    init: options.InitName = None,
    plugin: options.Plugins = None,
    penalties: options.PenaltyOptions,
    fitting: options.FittingOptions,
    scheduler: Annotated[
        str | None, options.fitting(help="Work on the Dask cluster of this scheduler, e.g. tcp://host:8786.")
    ] = None,
) -> None:
    """Find the topics of a pile of documents, and save a model to search.

    Example: partwise topics news.csv --column text -k 10 -o news.partwise

    Example: partwise topics news/ --column text --scheduler tcp://host:8786 -o news.partwise
    """
    load_plugins(plugin)
    weighting = words.weighting()
    chosen = penalties.algorithm(algorithm, loss)
    model = TopicModel(k, weighting=weighting, algorithm=chosen, loss=loss, init=init, **vars(fitting))
    model.check()
    whole_number("--terms", terms)
    output = check_output(output, path)
    report = check_report(report, path, output)
    check_checkpoint(fitting.checkpoint, path)
    with cluster(scheduler) as client, NamesAhead() as ahead:
        named = None if output is None else ahead.begin
        fit_texts(model, collection_from(path, weighting, reading, client, named))
        with saving(model, output, ahead):
            with working("describing and saving"):
                topic_list = model.topics(terms)
            if not as_json:
                _show(model, topic_list)
        if report is not None:
            from partwise.report import write_report  # imported late: only a page needs it

            with working("writing the report"):
                write_report(model, report)
    if as_json:
        print_json(summary(model, topic_list, output, report))
        return
    say("", f"Saved in {output}." if output else "Not saved; -o FILE keeps the model, to search and compare.")
    if report is not None:
        say(f"The report is written to {report}; open it in a browser.")


def _show(model: TopicModel, topic_list: Topics) -> None:
    """Print the tables."""
    show_topics(topic_list, scores_of(model))
    show_swamping(model)
    show_worth(model)


def summary(model: TopicModel, topic_list: Topics, output: Path | None, report: Path | None = None) -> dict[str, Any]:
    """The content of the tables and the settings, for JSON."""
    collection, scores = model.collection, scores_of(model)
    return {
        "model": None if output is None else str(output),
        "report": None if report is None else str(report),
        "documents": len(collection.ids),
        "terms": len(model.terms),
        "empty": len(collection.empty),
        "duplicates": len(collection.duplicates),
        **topic_list.as_dict(),
        "stop_word_candidates": list(model.swamping_words()),
        "scores": None if scores is None else vars(scores),
        "weighting": model.weighting.as_dict(),
        "certificate": model.certificate.as_dict(),
    }


def scores_of(model: TopicModel) -> LabelScores | None:
    """The agreement of the strongest topics with the labels; None without labels."""
    return label_scores(model.strongest.topic, model.collection.labels)


def show_topics(topic_list: Topics, scores: LabelScores | None) -> None:
    """Print a row for each topic: its name, its terms, and a document in which it is strong."""
    shown = table("topic", "share", "docs", "NPMI", "about", left=["about"])
    for topic in topic_list:
        rest = [term.term for term in topic.terms if term.term not in topic.name.split(", ")]
        about = Text.assemble(
            (printable(topic.name), "bold"), "  ", printable(", ".join(rest)), ("\n" + _like(topic), "dim")
        )
        npmi = "" if topic.coherence is None else f"{topic.coherence:.2f}"
        shown.add_row(str(topic.topic), f"{topic.share:.1%}", f"{topic.size:,}", npmi, about)
    show(shown)
    coherence = "" if topic_list.coherence is None else f"Mean coherence (NPMI) {topic_list.coherence:.3f}; "
    say("", f"{coherence}diversity {topic_list.diversity:.0%} (distinct terms among those listed).")
    show_scores(scores)


def _name(example: Example) -> str:
    """The title of a document, or its id, with its first words where that is a bare number."""
    name = example.title or example.id
    return f"{name}: {example.snippet}" if name.isdigit() else name


def _like(topic: Topic) -> str:
    """Titles of a topic's documents, as many as fit a line."""
    titles = [abridged(_name(one), 45) for one in topic.documents]
    kept = titles[:2] if sum(map(len, titles[:2])) < 45 else titles[:1]
    return printable("like " + "; ".join(kept)) if kept else "no document"


def show_swamping(model: TopicModel, most: int = 12) -> None:
    """Name the words that stand in most topics, and those that were left out for that."""
    if dropped := model.weighting.further_stop_words:
        say(f"Left out, since they stood in most topics: {', '.join(dropped)}.")
    elif words := model.swamping_words()[:most]:
        say(f"In most topics, so perhaps stop words (--stop-words auto leaves them out): {', '.join(words)}.")


def show_scores(scores: LabelScores | None) -> None:
    """Print the agreement with labels as a sentence."""
    if scores is None:
        return
    rest = f"; {scores.left_out:,} without a topic or a label are left out" if scores.left_out else ""
    say(
        f"Against the labels of {scores.documents:,} documents{rest}: purity {scores.purity:.3f}, "
        f"NMI {scores.nmi:.3f}, ARI {scores.ari:.3f}."
    )


def show_worth(model: TopicModel) -> None:
    """Print the main numbers of the certificate; all of it is in the model and in --json."""
    certificate, (terms, documents) = model.certificate, model.certificate.shape
    residual = "" if certificate.kkt is None else f" (KKT {certificate.kkt:.1e})"
    say(
        f"{documents:,} documents, {terms:,} terms; {certificate.explained:.1%} {certificate.units[1]}, "
        f"{certificate.verdict}{residual} after {certificate.iterations} iterations, {certificate.duration}."
    )
