"""``partwise compare``: algorithms and starts on your data, or two models side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from partwise.algorithms.table import as_algorithm
from partwise.cli import options
from partwise.cli.matrix_input import is_matrix, matrix_from
from partwise.cli.output import abridged, cell, print_json, say, show, table, working
from partwise.cli.plugins import load_plugins
from partwise.cli.text_input import matrix_of_texts, topic_model_from
from partwise.inits.table import as_init
from partwise.storage import archive as files
from partwise.study.compare import COMPARED, STARTS, MethodRow, compare_methods
from partwise.text.comparison import Comparison
from partwise.text.topic_model import TopicModel

SHOWN = 5


@options.grouped("id_column", "title_column", "label_column", "hashing")
def compare(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Texts or a matrix; or two model files.", show_default=False)
    ],
    k: Annotated[int, typer.Option("-k", "--rank", help="How many topics.")] = 10,
    algorithms: Annotated[
        str | None,
        typer.Option(help=f"Names with commas between; else {', '.join(COMPARED)}, where the data allow it."),
    ] = None,
    inits: Annotated[str | None, typer.Option(help=f"Names with commas between; else {', '.join(STARTS)}.")] = None,
    most: Annotated[int, typer.Option("--max-iterations", help="The most iterations of a run.")] = 100,
    as_json: options.Json = False,
    *,
    unknown: options.UnknownOptions,
    reading: options.ReadingOptions,
    words: options.WordOptions,
    plugin: options.Plugins = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
) -> None:
    """Compare algorithms × starts on texts or a matrix, or say what moved between two models.

    Example: partwise compare news.csv --column text -k 10

    Example: partwise compare january.partwise february.partwise
    """
    load_plugins(plugin)
    if len(paths) == 2:
        show_model_comparison(Path(paths[0]), Path(paths[1]), as_json)
        return
    if len(paths) != 1:
        raise ValueError(f"Give one file of texts or numbers, or two models, not {len(paths)} files.")
    if files.kind(paths[0]) == TopicModel.KIND:
        raise ValueError(f"{paths[0]} is a model; give a second one to compare it with, or the texts themselves.")
    weighting = words.weighting()
    settings: dict[str, Any] = {"algorithms": _names(algorithms), "inits": _names(inits), "most": most}
    for name in settings["algorithms"] or ():
        as_algorithm(name)
    for name in settings["inits"] or ():
        as_init(name)
    if reading.column is None and reading.format is None and is_matrix(paths[0]):
        data = matrix_from(paths[0])
    else:
        data = matrix_of_texts(paths[0], weighting, reading)
    show_grid(unknown.observed(data), k, as_json, seed=seed, threads=threads, **settings)


def show_grid(data: Any, k: int, as_json: bool, **settings: Any) -> None:
    """Run and print a row for each algorithm and start; a terminal shows which one is running."""
    rows: list[MethodRow] = []
    with working("run 1") as update:
        for row in compare_methods(data, k, **settings):
            rows.append(row)
            update(f"run {len(rows) + 1}")
    if as_json:
        print_json([row.as_dict() for row in rows])
        return
    names = ("algorithm", "start", "s", "its", "error", "over SVD", "W", "H", "KKT", "NPMI")
    shown = table(*names, left=names[:2], gap=1)
    for row in rows:
        over = "" if row.svd_ratio is None else f"{row.svd_ratio - 1:+.2%}"
        kkt, npmi = "" if row.kkt is None else f"{row.kkt:.0e}", "" if row.coherence is None else f"{row.coherence:.3f}"
        shown.add_row(
            row.algorithm, row.init, f"{row.seconds:.2f}", str(row.iterations), f"{row.error:.4f}", over,
            f"{row.sparsity_w:.2f}", f"{row.sparsity_h:.2f}", kkt, npmi,
        )  # fmt: skip
    show(shown)
    say("", "W and H: Hoyer's sparsity of the topics and of the documents. KKT at most 1e-04 is stationary.")


def show_model_comparison(first: Path, second: Path, as_json: bool) -> None:
    """Print which topics of two models match, and what moved."""
    comparison = topic_model_from(first, "compare").compare(topic_model_from(second, "compare"))
    if as_json:
        print_json(comparison.as_dict())
    else:
        show_comparison(comparison)


def show_comparison(comparison: Comparison) -> None:
    """Print a row for each pair of topics, then unmatched topics, then the documents that changed their topic."""
    shown = table("topics", "cosine", "share", "about", left=["about"])
    for match in comparison.matches:
        lines = [match.name if match.name == match.other_name else f"{match.name} → {match.other_name}"]
        lines += [f"+ {', '.join(match.gained)}"] * bool(match.gained) + [f"− {', '.join(match.lost)}"] * bool(
            match.lost
        )
        share = f"{match.share:.1%} → {match.other_share:.1%}"
        shown.add_row(f"{match.topic} → {match.other}", f"{match.cosine:.3f}", share, cell(*lines, styles=["bold"]))
    show(shown)
    for name, rest in (("first", comparison.only_first), ("second", comparison.only_second)):
        if rest:
            more = f"; and {len(rest) - SHOWN} more" if len(rest) > SHOWN else ""
            say(
                "",
                f"Only in the {name}: " + "; ".join(f"{topic} ({words})" for topic, words in rest[:SHOWN]) + f"{more}.",
            )
    say("", f"{comparison.shared_terms:,} terms in both (of {comparison.terms[0]:,} and {comparison.terms[1]:,}).")
    if comparison.shared_documents:
        first = ", the first of them" if len(comparison.moved) > SHOWN else ""
        end = f"{first}:" if comparison.moved else "."
        moved = f"{len(comparison.moved):,} of the {comparison.shared_documents:,} documents in both"
        say(f"{moved} changed their topic{end}")
    for one in comparison.moved[:SHOWN]:
        say(f"  {abridged(one.title or one.id, 50)}: {_topic(one.topic)} → {_topic(one.other)}")


def _topic(topic: int | None) -> str:
    return "none" if topic is None else str(topic)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
