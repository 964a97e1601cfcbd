"""Every experiment, small: what it gives, what is written, what is drawn."""

import csv
import json
from pathlib import Path

import pytest

from partwise.experiments import EXPERIMENTS, Context, Result, result_files
from partwise.experiments.experiment import Verdict, Wording

SMALL = {
    "algorithms": {"rank": 4, "iterations": 12, "seeds": 2},
    "initializations": {"rank": 4, "seeds": 2},
    "basis-vectors": {"rank": 5, "larger": 6, "restarts": 6, "iterations": 6},
    "convergence": {"rank": 4, "iterations": 12, "seeds": 2},
    "interpretation": {"rank": 4, "parts": 5, "ranks": (3, 6)},
    "sparsity": {"rank": 4, "iterations": 5, "seeds": 1},
    "nonnegativity": {"rank": 4, "iterations": 5, "seeds": 1},
    "locking": {"rank": 4, "iterations": 8, "seeds": 1},
    "polish": {"rank": 4, "fast": 4, "most": 30, "seeds": 1},
    "applications": {
        "runs": 4,
        "clusters": (2, 3, 4),
        "ranks": (2, 3),
        "splits": 1,
        "parts": 4,
        "concepts": 6,
        "least": 2,
    },
}
CLAIMS = {
    "algorithms": 8,
    "initializations": 16,
    "basis-vectors": 7,
    "convergence": 7,
    "interpretation": 6,
    "sparsity": 4,
    "nonnegativity": 8,
    "locking": 4,
    "polish": 5,
    "applications": 7,
}


@pytest.fixture(scope="module", params=list(EXPERIMENTS))
def outcome(request: pytest.FixtureRequest, small_data: Path) -> tuple[str, Result, list[tuple[str, int, int]]]:
    """(name, result, what was told on the way) of one experiment."""
    calls: list[tuple[str, int, int]] = []
    name = request.param
    context = Context(small_data, lambda *word: calls.append(word))
    return name, EXPERIMENTS[name].run(context, **SMALL[name]), calls


def test_every_claim_has_a_verdict_and_numbers(outcome) -> None:
    name, result, _ = outcome
    assert len(result.claims) == CLAIMS[name]
    for claim in result.claims:
        assert claim.verdict in Verdict
        assert claim.wording in Wording
        assert any(sign.isdigit() for sign in claim.numbers)
        assert claim.numbers.endswith(".")
        assert "nan" not in claim.numbers


def test_tables_are_square(outcome) -> None:
    _, result, _ = outcome
    for table in result.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_progress_reaches_its_end(outcome) -> None:
    _, _, calls = outcome
    assert calls
    assert all(0 <= done <= total for _, done, total in calls)
    assert {label for label, _, _ in calls} == {label for label, done, total in calls if done == total}


@pytest.fixture(scope="module")
def written(outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the experiment."""
    name, result, _ = outcome
    folder = tmp_path_factory.mktemp(name)
    result_files.write_result(folder, EXPERIMENTS[name], result, SMALL[name], 1.5, 2.5)
    return folder


def test_verdicts_follow_from_the_file(outcome, written: Path) -> None:
    """The claims that a run gives can be made again from the series in its file alone."""
    again, _ = result_files.read_result(written)
    assert EXPERIMENTS[outcome[0]].verdicts(again.series) == outcome[1].claims == again.claims


def test_what_is_written_is_what_was_found(outcome, written: Path) -> None:
    """JSON gives the result back, CSV the tables, the paragraph the verdicts; both figures are drawn."""
    name, result, _ = outcome
    again, record = result_files.read_result(written)
    assert json.dumps(again.as_dict()) == json.dumps(result.as_dict())
    assert (record["seconds"], record["processor_seconds"]) == (1.5, 2.5)
    for table in result.tables:
        with (written / f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert tuple(head) == table.columns
        assert rows == [["" if cell is None else str(cell) for cell in row] for row in table.rows]
    assert (written / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (written / "figure.svg").read_text(encoding="utf-8")
    text = (written / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {EXPERIMENTS[name].title}\n")
    for claim in result.claims:
        assert f"**{claim.verdict}**. {claim.numbers}" in text


def test_a_figure_is_drawn_from_the_file_alone_and_has_labels(outcome, written: Path) -> None:
    figure = EXPERIMENTS[outcome[0]].draw(result_files.read_result(written)[0])
    shown = [axis for axis in figure.get_axes() if axis.axison]
    assert all(axis.get_xlabel() or axis.get_ylabel() for axis in shown)


def test_only_the_same_settings_count_as_finished(outcome, written: Path) -> None:
    name, result, _ = outcome
    assert result_files.load_finished(written, SMALL[name]) == Result.from_dict(
        json.loads(json.dumps(result.as_dict()))
    )
    assert result_files.load_finished(written, {**SMALL[name], "weight": "counts"}) is None
    (written / "figure.svg").unlink()
    assert result_files.load_finished(written, SMALL[name]) is None
    assert result_files.load_finished(written / "nowhere", SMALL[name]) is None
