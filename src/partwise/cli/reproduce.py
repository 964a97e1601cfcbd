"""``partwise reproduce``: the paper's tables and figures, with a verdict for every claim."""

from __future__ import annotations

import ast
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from partwise.arguments import choose
from partwise.datasets.registry import require
from partwise.experiments import EXPERIMENTS, Context, Experiment, Result
from partwise.experiments.corpora import weighting
from partwise.experiments.experiment import Record
from partwise.experiments.result_files import load_finished, remove_unfinished, unfinished_folder, write_result


def reproduce(
    name: Annotated[str, typer.Argument(help=f"one of {', '.join(EXPERIMENTS)}, or all")],
    data: Annotated[Path | None, typer.Option(help="look here first, then in PARTWISE_DATA, then in the cache")] = None,
    out: Annotated[
        Path, typer.Option(help="a folder for the results; each experiment has one of its own in it")
    ] = Path("paper"),
    again: Annotated[bool, typer.Option("--again", help="run anew what is finished or begun")] = False,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="other settings, such as weight=tfidf,stem=none or split=both")
    ] = None,
) -> None:
    """Measure one of the paper's tables or figures, or all, and judge its claims.

    What is finished in --out is not run again; of the long experiments (basis-vectors, polish, sparsity) not even the
    fits that were finished when they were broken off. Texts are weighted as the paper's probably were (log-entropy,
    stemmed); another weighting is --set weight=tfidf,stem=none.

    Example: partwise reproduce initializations --out paper
    """
    choose("experiment", name, {**EXPERIMENTS, "all": None})
    chosen = dict(EXPERIMENTS) if name == "all" else {name: EXPERIMENTS[name]}
    settings = _settings(chosen, set_ or [])
    if data is not None and not data.is_dir():
        raise ValueError(f"--data {data} is no folder.")
    require([need for experiment in chosen.values() for need in experiment.needs], data)
    out.mkdir(parents=True, exist_ok=True)
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(highlight=False, soft_wrap=True)
    with Progress(*columns, console=errors, disable=not sys.stderr.isatty(), transient=True) as bar:
        whole = bar.add_task("experiments", total=len(chosen))
        part = bar.add_task("", total=None)

        def progress(label: str, done: int, total: int) -> None:
            bar.update(part, description=label, completed=done, total=total)

        for each, experiment in chosen.items():
            context = Context(data, progress, unfinished_folder(out / each, settings[each]))
            result, seconds = _run_or_load(out / each, experiment, context, settings[each], again)
            _show(console, each, result, seconds)
            bar.advance(whole)


def _run_or_load(
    folder: Path, experiment: Experiment, context: Context, settings: Record, again: bool
) -> tuple[Result, float | None]:
    """The stored result and None, or a new result and the seconds it took."""
    if not again and (stored := load_finished(folder, settings)) is not None:
        return stored, None
    remove_unfinished(folder, None if again else context.fits_folder)
    began, processor = time.perf_counter(), time.process_time()
    result = experiment.run(context, **settings)
    seconds = time.perf_counter() - began
    write_result(folder, experiment, result, settings, seconds, time.process_time() - processor)
    remove_unfinished(folder)
    return result, seconds


def _settings(chosen: Mapping[str, Experiment], assignments: Sequence[str]) -> dict[str, Record]:
    """The settings of each experiment, overridden by the assignments of ``--set`` where it has that setting."""
    settings = {name: experiment.settings for name, experiment in chosen.items()}
    known = {key: value for own in settings.values() for key, value in own.items()}
    for assignment in (each for several in assignments for each in re.split(r",\s*(?=\w+\s*=)", several)):
        key, equals, value = assignment.partition("=")
        if not equals:
            raise ValueError(f"--set {assignment} is no setting; write it as name=value, such as split=both.")
        usual = choose("setting", key, known)
        wanted = _value(usual, value)
        if type(wanted) is not type(usual):
            raise ValueError(f"--set {key} must be like {usual!r}, not {value!r}.")
        for own in settings.values():
            own.update({key: wanted} if key in own else {})
    for own in settings.values():
        weighting(own["weight"], own["stem"], 1)
    return settings


def _value(usual: object, text: str) -> object:
    if isinstance(usual, str):
        return text
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _show(console: Console, name: str, result: Result, seconds: float | None) -> None:
    took = "was finished" if seconds is None else f"took {seconds:.1f} s"
    console.print(f"[bold]{name}[/bold] {took}")
    for claim in result.claims:
        console.print(f"  {claim.verdict}: {claim.says}")
