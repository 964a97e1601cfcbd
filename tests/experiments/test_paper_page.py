"""docs/paper.md says what the result files beside it say."""

import csv
import json
from pathlib import Path

import pytest

from partwise.experiments import EXPERIMENTS
from partwise.experiments.experiment import Verdict

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "paper.md").read_text(encoding="utf-8") if (DOCS / "paper.md").exists() else ""


def result(name: str) -> dict:
    return json.loads((DOCS / "paper" / name / "result.json").read_text(encoding="utf-8"))


def part(name: str) -> str:
    """The part of the page about one experiment."""
    return PAGE.split(f"\n## {EXPERIMENTS[name].title}\n")[1].split("\n## ")[0]


def shown(name: str, title: str) -> list[list[str]]:
    """The cells of a table of the page, without its head."""
    lines = part(name).split(f"**{title}**\n\n")[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_numbers_on_the_page_are_those_of_the_files(name: str) -> None:
    """Every cell of every table, to the four digits shown, in the page and in the CSV file."""
    for table in result(name)["result"]["tables"]:
        with (DOCS / "paper" / name / f"{table['name']}.csv").open(encoding="utf-8", newline="") as file:
            kept = list(csv.reader(file))[1:]
        for row, cells, values in zip(table["rows"], shown(name, table["title"]), kept, strict=True):
            for value, cell, text in zip(row, cells, values, strict=True):
                if isinstance(value, (int, float)):
                    assert float(cell.replace(",", "")) == pytest.approx(value, rel=1e-3)
                    assert float(text) == value
                else:
                    assert cell.replace("\\|", "|") == text.strip() == (value or "").strip()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_verdicts_on_the_page_are_those_of_the_files(name: str) -> None:
    claims = result(name)["result"]["claims"]
    assert part(name).count("\n- “") == len(claims)
    for claim in claims:
        assert f"- “{claim['says']}” ({claim['section']}): **{claim['verdict']}**. {claim['numbers']}" in part(name)


def test_the_page_counts_its_verdicts() -> None:
    every = [claim["verdict"] for name in EXPERIMENTS for claim in result(name)["result"]["claims"]]
    counts = [every.count(verdict.value) for verdict in Verdict]
    assert f"Of {len(every)} claims {counts[0]} hold, {counts[1]} hold in part, {counts[2]} do not hold here." in PAGE


def test_results_were_made_with_the_usual_settings_and_are_small() -> None:
    """What is committed is what the command makes unless told otherwise, in less than three megabytes."""
    for name, experiment in EXPERIMENTS.items():
        assert result(name)["key"]["settings"] == json.loads(json.dumps(experiment.settings))
    assert sum(path.stat().st_size for path in (DOCS / "paper").rglob("*") if path.is_file()) < 3e6
