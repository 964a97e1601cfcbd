"""``partwise topics``: from a pile of documents to named topics and a model to search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from partwise.cli import options
from partwise.cli.grouping import grouped
from partwise.cli.intake import cluster, fitted, read_collection
from partwise.cli.output import check_checkpoint, check_output, plain, print_json, say, shortened, show, table, working
from partwise.cli.report import ReportFile, check_report
from partwise.factorize import DEFAULT_ALGORITHM
from partwise.report import write_report
from partwise.text.clusters import LabelScores, label_scores
from partwise.text.model import TopicModel
from partwise.text.topics import Topic, Topics


@grouped()
def topics(
    path: options.Texts,
    k: Annotated[int, typer.Option("-k", "--topics", help="How many topics.")] = 10,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the model in this file.")] = None,
    report: ReportFile = None,
    terms: Annotated[int, typer.Option(help="How many terms of each topic to show.")] = 10,
    as_json: options.Json = False,
    *,
    reading: options.Reading,
    words: options.Words,
    algorithm: options.AlgorithmName = DEFAULT_ALGORITHM,
    init: options.InitName = None,
    fitting: options.Fitting,
    scheduler: Annotated[
        str | None, options.fitting(help="Work on the Dask cluster of this scheduler, e.g. tcp://host:8786.")
    ] = None,
) -> None:
    """Find the topics of a pile of documents, and save a model to search.

    Example: partwise topics news.csv --column text -k 10 -o news.partwise

    Example: partwise topics news/ --column text --scheduler tcp://host:8786 -o news.partwise
    """
    weighting = words.weighting()
    model = TopicModel(k, weighting=weighting, algorithm=algorithm, init=init, **vars(fitting))
    model.check()
    if terms < 1:
        raise ValueError(f"--terms must be at least 1, not {terms}.")
    output = check_output(output, path)
    report = check_report(report, path, output)
    check_checkpoint(fitting.checkpoint, path)
    with cluster(scheduler) as client:
        fitted(model, read_collection(path, weighting, client, **vars(reading)))
    with working("describing and saving"):
        found = model.topics(terms)
        if output is not None:
            model.save(output)
        if report is not None:
            write_report(model, report)
    if as_json:
        print_json(summary(model, found, output, report))
    else:
        _tell(model, found, output, report)


def _tell(model: TopicModel, found: Topics, output: Path | None, report: Path | None) -> None:
    """The tables, and where everything is."""
    show_topics(found, scores_of(model))
    show_worth(model)
    say("", f"Saved in {output}." if output else "Not saved; -o FILE keeps the model, to search and compare.")
    if report is not None:
        say(f"The report is written to {report}; open it in a browser.")


def summary(model: TopicModel, found: Topics, output: Path | None, report: Path | None = None) -> dict[str, Any]:
    """All that the tables say, and more, for JSON."""
    collection, scores = model.collection, scores_of(model)
    return {
        "model": None if output is None else str(output),
        "report": None if report is None else str(report),
        "documents": len(collection.ids),
        "terms": len(model.terms),
        "empty": len(collection.empty),
        "duplicates": len(collection.duplicates),
        **found.as_dict(),
        "scores": None if scores is None else vars(scores),
        "weighting": model.weighting.as_dict(),
        "certificate": model.certificate.as_dict(),
    }


def scores_of(model: TopicModel) -> LabelScores | None:
    """How the strongest topics agree with the labels, where there are any."""
    return label_scores(model.strongest.topic, model.collection.labels)


def show_topics(found: Topics, scores: LabelScores | None) -> None:
    """A row for each topic: its name, its terms, and a document that shows it."""
    shown = table("topic", "share", "docs", "NPMI", "about", left=["about"])
    for topic in found:
        rest = [term.term for term in topic.terms if term.term not in topic.name.split(", ")]
        about = Text.assemble((plain(topic.name), "bold"), "  ", plain(", ".join(rest)), ("\n" + _like(topic), "dim"))
        npmi = "" if topic.coherence is None else f"{topic.coherence:.2f}"
        shown.add_row(str(topic.topic), f"{topic.share:.1%}", f"{topic.size:,}", npmi, about)
    show(shown)
    coherence = "" if found.coherence is None else f"Mean coherence (NPMI) {found.coherence:.3f}; "
    say("", f"{coherence}diversity {found.diversity:.0%} (distinct terms among those listed).")
    show_scores(scores)


def _like(topic: Topic) -> str:
    """Titles of documents that show a topic, as many as fit a line."""
    titles = [shortened(one.title or one.id, 45) for one in topic.documents]
    kept = titles[:2] if sum(map(len, titles[:2])) < 45 else titles[:1]
    return plain("like " + "; ".join(kept)) if kept else "no document"


def show_scores(scores: LabelScores | None) -> None:
    """Agreement with labels in a sentence."""
    if scores is None:
        return
    rest = f"; {scores.left_out:,} without a topic or a label are left out" if scores.left_out else ""
    say(
        f"Against the labels of {scores.documents:,} documents{rest}: purity {scores.purity:.3f}, "
        f"NMI {scores.nmi:.3f}, ARI {scores.ari:.3f}."
    )


def show_worth(model: TopicModel) -> None:
    """What the fit is worth, in two lines; the whole certificate is in the model and in --json."""
    told, (terms, documents) = model.certificate, model.certificate.shape
    residual = "" if told.kkt is None else f" (KKT {told.kkt:.1e})"
    say(
        f"{documents:,} documents, {terms:,} terms; {told.explained:.1%} of the squares explained, "
        f"{told.verdict}{residual} after {told.iterations} iterations, {told.seconds:.1f} s."
    )
