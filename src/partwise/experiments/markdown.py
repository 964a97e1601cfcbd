"""Results in Markdown: the paragraph of an experiment, and the page of all."""

from __future__ import annotations

from collections.abc import Mapping

from partwise.experiments.experiment import Cell, Experiment, Record, Result, Table, Verdict


def paragraph(experiment: Experiment, result: Result) -> str:
    """The settings, then a verdict for every claim with its numbers, in Markdown."""
    lines = [f"# {experiment.title}", "", f"{experiment.section}. " + " ".join(result.notes), ""]
    return "\n".join([*lines, *claims(result)]) + "\n"


def claims(result: Result) -> list[str]:
    """A line for every claim."""
    return [f"- “{c.says}” ({c.section}): **{c.verdict}**. {c.numbers}" for c in result.claims]


def markdown(table: Table) -> str:
    """A table in Markdown."""
    rows = [table.columns, tuple("---" for _ in table.columns), *table.rows]
    return "\n".join("| " + " | ".join(cell_text(c) for c in row) + " |" for row in rows)


def cell_text(value: Cell) -> str:
    """A number with four digits, words as they stand."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else value.replace("|", "\\|")


def paper_page(experiments: Mapping[str, tuple[Experiment, Result, Record]], folder: str) -> str:
    """docs/paper.md: all experiments, the paper's values beside ours."""
    every = [claim for _, result, _ in experiments.values() for claim in result.claims]
    tally = ", ".join(f"{sum(c.verdict is v for c in every)} {_plural(v)}" for v in Verdict)
    seconds = sum(record["seconds"] for _, _, record in experiments.values())
    record = next(iter(experiments.values()))[2]
    versions = ", ".join(f"{name} {version}" for name, version in record["key"]["versions"].items())
    parts = [
        "# The paper, reproduced",
        "Langville, Meyer, Albright, Cox and Duling, *Algorithms, Initializations, and Convergence for the Nonnegative "
        "Matrix Factorization*: every table and figure, made by `partwise reproduce all`, with a verdict for every "
        "claim. This page and the files beside it are written by `make paper`.",
        f"Of {len(every)} claims {tally}. All {len(experiments)} experiments took {seconds:.0f} seconds on "
        f"{record['cores']} cores ({record['machine']}, {versions}).",
        *(part for name in experiments for part in _part(name, *experiments[name][:2], folder)),
    ]
    return "\n\n".join(parts)


def _plural(verdict: Verdict) -> str:
    return {Verdict.HOLDS: "hold", Verdict.IN_PART: "hold in part", Verdict.NOT: "do not hold here"}[verdict]


def _part(name: str, experiment: Experiment, result: Result, folder: str) -> list[str]:
    shown = [part for table in result.tables for part in (f"**{table.title}**", markdown(table))]
    return [
        f"## {experiment.title}",
        f"`partwise reproduce {name}`: {experiment.section}. " + " ".join(result.notes),
        f"![{experiment.title}]({folder}/{name}/figure.png)",
        "\n".join(claims(result)),
        *shown,
    ]
