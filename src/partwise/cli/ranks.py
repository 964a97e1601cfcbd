"""``partwise ranks``: which rank?"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from partwise.cli import options
from partwise.cli.output import check_output, say, show
from partwise.cli.plugins import load_plugins
from partwise.cli.text_input import are_texts, matrix_or_texts
from partwise.inits.table import as_init
from partwise.losses.table import algorithm_for, loss_of
from partwise.storage.atomic import atomic
from partwise.study.ranks import Ranks, recommend, survey

OF_TEXTS = (
    "Of texts this is a guide only: no rule here finds the number of classes that people made reliably. Read the "
    "topics at other k as well."
)


@options.grouped()
def ranks(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A matrix (npz, npy, mtx, csv, tsv, parquet), or texts."),
    ],
    least: Annotated[int, typer.Option("--from", help="the smallest rank to try")] = 2,
    most: Annotated[int, typer.Option("--to", help="the largest rank to try")] = 12,
    by: Annotated[str, typer.Option(help="what decides: stability, or held-out entries")] = "stability",
    runs: Annotated[int, typer.Option(help="how many starts at each rank; 1 with --by held-out skips stability")] = 6,
    folds: Annotated[int, typer.Option(help="how many folds --by held-out takes")] = 5,
    algorithm: options.AlgorithmName = None,
    loss: options.LossName = None,
    init: Annotated[str | None, typer.Option(help="a name in partwise.INITS; else a random start")] = None,
    plugin: options.Plugins = None,
    seed: Annotated[int, typer.Option(help="the first seed")] = 0,
    plot: Annotated[Path | None, typer.Option(help="write a picture to this file (png, svg or pdf)")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON instead of a table")] = False,
    *,
    unknown: options.UnknownOptions,
    reading: options.ReadingOptions,
    words: options.WordOptions,
) -> None:
    """Try several ranks and recommend one, with runners-up and the reason.

    Example: partwise ranks matrix.npz --from 2 --to 20 --plot ranks.png

    Example: partwise ranks news.csv --column text --to 20

    With --loss poisson, words are counted and neither weighted nor normalised.

    Example: partwise ranks counts.npz --by held-out --loss poisson --plot ranks.png
    """
    load_plugins(plugin)
    counts = loss_of(algorithm_for(algorithm, loss)).counts
    as_init(init)
    weighting = words.weighting()
    if counts:
        weighting = replace(weighting, weight="counts", normalize=False)
    plot = check_output(plot, source)
    if most < least:
        raise ValueError(f"--to {most} is below --from {least}; give a range such as --from 2 --to 12.")
    data = unknown.observed(matrix_or_texts(source, weighting, reading))
    tried = range(least, most + 1)
    rows = survey(
        data,
        tried,
        by=by,
        runs=runs,
        folds=folds,
        algorithm=algorithm,
        loss=loss,
        init=init,
        seed=seed,
    )
    errors = Console(stderr=True)
    quiet = not sys.stderr.isatty()
    tracked = track(rows, "ranks", total=len(tried), console=errors, disable=quiet, transient=True)
    recommendation = recommend(list(tracked))
    if plot is not None:
        with atomic(plot) as file:
            recommendation.plot().savefig(file, format=plot.suffix[1:] or "png", dpi=120)
    if as_json:
        sys.stdout.write(json.dumps(recommendation.as_dict(), indent=1) + "\n")
    else:
        _show(recommendation)
        if are_texts(source, reading):
            say(OF_TEXTS)


def _show(recommendation: Ranks) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False, collapse_padding=True)  # fits 80 columns
    for name in ("rank", *recommendation.columns, "s"):
        table.add_column(name, justify="right")
    for row in recommendation.rows:
        mark = "bold" if row.rank == recommendation.recommended else ""
        values = [getattr(row, field) for field in recommendation.columns.values()]
        cells = ["" if value != value else f"{value:.4f}" for value in values]
        table.add_row(str(row.rank), *cells, f"{row.seconds:.1f}", style=mark)
    show(table)
    say("", f"Recommended: {recommendation.recommended}. {recommendation.why}")
    if recommendation.runners_up:
        say(f"Runners-up: {', '.join(map(str, recommendation.runners_up))}.")
