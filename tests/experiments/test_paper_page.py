"""docs/paper.md and the pages behind it say what the result files beside them say; verdicts follow from those."""

import csv
import json
import re
from pathlib import Path

import pytest

from partwise.experiments import EXPERIMENTS, Result
from partwise.experiments.experiment import Verdict
from partwise.experiments.markdown import experiment_page

DOCS = Path(__file__).parents[2] / "docs"


def result(name: str) -> dict:
    return json.loads((DOCS / "paper" / name / "result.json").read_text(encoding="utf-8"))


def page(name: str) -> str:
    return (DOCS / "paper" / name / "README.md").read_text(encoding="utf-8")


def shown(name: str, title: str) -> list[list[str]]:
    """The cells of a table of the page, without its head."""
    lines = page(name).split(f"**{title}**\n\n")[1].split("\n\n")[0].splitlines()
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
def test_verdicts_follow_from_the_stored_numbers(name: str) -> None:
    """All of them, made again from the series in the file, and the page is made from the file."""
    stored = Result.from_dict(result(name)["result"])
    assert EXPERIMENTS[name].verdicts(stored.series) == stored.claims
    assert page(name) == experiment_page(name, EXPERIMENTS[name], stored)


def test_eight_of_ten_by_hand() -> None:
    """The categories that ten topics cover and the terms they share with table 3, without the code of the package."""
    series = result("basis-vectors")["result"]["series"]
    names = series["categories"]
    leaders = {names[topic["shares"].index(max(topic["shares"]))] for topic in series["topics"]}
    assert set(names) - leaders == {"wheat", "corn"}
    assert all(both / every > 0.98 for every, both in series["grains"].values())
    table = next(t for t in result("basis-vectors")["result"]["tables"] if t["name"] == "best")
    for _, theirs, _, ours, _, _, shared in table["rows"]:
        same = [a for a in theirs.split(", ") if any(a.strip(".")[:4] == b[:4] for b in ours.split(", "))]
        assert abs(len(same) - shared) <= 1, (theirs, ours)
    assert sum(row[-1] for row in table["rows"]) >= 35


def test_runs_that_the_paper_did_not_make_count_for_nothing() -> None:
    """AHCLS with λ = .5 may end anywhere; a worse run of the paper's own changes a verdict."""
    stored = Result.from_dict(result("algorithms")["result"])
    for one in stored.series["collections"].values():
        one["methods"]["ahcls, λ = .5"]["error"] = [99.0] * len(one["methods"]["acls"]["error"])
    assert EXPERIMENTS["algorithms"].verdicts(stored.series) == stored.claims
    stored.series["collections"]["cisi"]["methods"]["gdcls"]["error"][-1] = 99.0
    assert EXPERIMENTS["algorithms"].verdicts(stored.series) != stored.claims


def test_the_page_counts_its_verdicts_and_is_a_screen() -> None:
    """Counts in the first lines and in the table of experiments; every page behind it is linked; no long read."""
    text = (DOCS / "paper.md").read_text(encoding="utf-8")
    every = [claim["verdict"] for name in EXPERIMENTS for claim in result(name)["result"]["claims"]]
    counts = [every.count(verdict.value) for verdict in Verdict]
    assert f"Of {len(every)} claims {counts[0]} hold, {counts[1]} hold in part and {counts[2]} do not hold here" in text
    rows = re.findall(r"^\| \[[^]]+\]\(paper/([\w-]+)/README\.md\) \| [^|]* \| (\d+) \| (\d+) \| (\d+) \|", text, re.M)
    assert [row[0] for row in rows] == list(EXPERIMENTS)
    assert [sum(int(row[place]) for row in rows) for place in (1, 2, 3)] == counts
    assert len(text.splitlines()) < 90
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert f"the paper: {len(every)} claims in ten experiments" in readme
    assert f"{counts[0]} hold, {counts[1]} hold in part, {counts[2]} do not hold here" in readme


def test_results_were_made_with_the_usual_settings_and_are_small() -> None:
    """What is committed is what the command makes unless told otherwise, in less than three megabytes."""
    for name, experiment in EXPERIMENTS.items():
        assert result(name)["key"]["settings"] == json.loads(json.dumps(experiment.settings))
    assert sum(path.stat().st_size for path in (DOCS / "paper").rglob("*") if path.is_file()) < 3e6
