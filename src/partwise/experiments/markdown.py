"""Results in Markdown: the page of an experiment, its claims and tables."""

from __future__ import annotations

from partwise.experiments.experiment import Cell, Claim, Experiment, Result, Table, Wording


def experiment_page(name: str, experiment: Experiment, result: Result) -> str:
    """The settings, a verdict for every claim with its numbers, the figure, the tables."""
    parts = [
        f"# {experiment.title}",
        f"`partwise reproduce {name}`: {experiment.section}. " + " ".join(result.notes),
        "\n".join(f"- {claim_text(claim)}: **{claim.verdict}**. {claim.numbers}" for claim in result.claims),
        f"![{experiment.title}](figure.png)",
        *(part for table in result.tables for part in (f"**{table.title}**", markdown(table))),
    ]
    return "\n\n".join(parts) + "\n"


def claim_text(claim: Claim) -> str:
    """The claim and where it stands; quotation marks are for the paper's own words."""
    if claim.wording is Wording.QUOTED:
        return f"“{claim.says}” ({claim.section})"
    return f"{claim.says} ({claim.section}; {claim.wording})"


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
