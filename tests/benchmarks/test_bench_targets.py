"""The table of targets and the summaries, from made-up runs."""

import json

import pytest
from harness import summary, targets
from harness.problems import Problem
from harness.report import curves_table, fits_table, targets_table, terminal_targets
from harness.summary import reached, summarise

PROBLEM = Problem("reuters", "Reuters", 50, (100, 80), 900, True, "0123")


def row(seconds, error, kkt=1e-3, **more):
    """A solver's medians."""
    figures = {"seconds": seconds, "error": error, "kkt": kkt, **more}
    spread = {name: {"median": value, "least": value, "most": value} for name, value in figures.items()}
    return {"label": "x", "seeds": 3, "dates": ["d", "d"], "versions": {}, "target": None, "iterations": None, **spread}


def outcome(on, limit, results):
    """The outcome of the row of the table that begins so."""
    (result,) = [t for t in targets.TARGETS if t.on.startswith(on) and t.limit == limit and "RcppML" not in t.against]
    return result.measured(results)


@pytest.mark.parametrize(
    ("ours", "error", "met"), [(1.0, 0.5, True), (1.0, 0.5004, True), (1.0, 0.51, False), (2.0, 0.5, False)]
)
def test_default_against_default(ours, error, met):
    """An eighth of the time with an error of at most theirs and 0.1 %."""
    results = {"reuters": {"fits": {"partwise": row(ours, error), "sklearn_cd": row(9.0, 0.5)}}}
    result = outcome("Reuters, all", "(a) 8 ×", results)
    assert result.met is met
    assert result.figure == f"{9 / ours:.1f} ×"
    assert "KKT 1.0e-03" in result.detail


def test_a_peer_over_the_limit_is_a_lower_bound():
    """A peer that was stopped gives a ratio of at least so much; one that failed gives none."""
    peers = {"partwise": row(10.0, 0.5), "sklearn_cd": {"label": "x", "over": 600}}
    result = outcome("generated", "(a) 8 ×", {"text1e7": {"fits": peers}})
    assert result.met
    assert result.figure == "at least 60.0 ×"
    peers["sklearn_cd"] = {"label": "x", "failed": "MemoryError"}
    assert outcome("generated", "(a) 8 ×", {"text1e7": {"fits": peers}}).met is None


@pytest.mark.parametrize(("kkt", "met"), [(1e-3, True), (2e-3, False)])
def test_the_target_must_be_reached(kkt, met):
    """Being quick is not enough: the residual must be down to theirs."""
    ours = {**row(1.0, 0.5, kkt), "target": 1e-3}
    results = {"reuters": {"fits": {"partwise_to_kkt": ours, "sklearn_cd": row(3.0, 0.5)}}}
    assert outcome("Reuters, all", "2.5 ×", results).met is met


def test_the_faster_of_the_two_svds_counts():
    """ACLS is compared with the quicker one, and not compared while one is not measured."""
    fits = {"partwise_acls_to_svd": {**row(0.2, 0.8), "target": 0.8}, "svd_arpack": row(0.3, 0.7)}
    assert outcome("ACLS", "1 ×", {"reuters10": {"fits": fits}}).met is None
    fits["svd_randomized"] = row(0.1, 0.7)
    result = outcome("ACLS", "1 ×", {"reuters10": {"fits": fits}})
    assert (result.met, result.figure) == (False, "0.5 ×")


@pytest.mark.parametrize(("last", "met"), [(4.0, True), (6.5, False)])
def test_linear_cost(last, met):
    """The cost of a nonzero may grow by half."""
    cost = {"text1e6": (1e6, 0.03), "text1e7": (1e7, 0.4), "text1e8": (1e8, last)}
    results = {
        name: {"nnz": nnz, "fits": {"partwise_iterations": row(9.0, 0.5, iteration_seconds=seconds)}}
        for name, (nnz, seconds) in cost.items()
    }
    assert outcome("one iteration", "at most 1.5 ×", results).met is met


@pytest.mark.parametrize(("peak", "met"), [(2.8e9, True), (3.0e9, False)])
def test_memory(peak, met):
    """2.4 × 12 bytes a nonzero, and six factors beside it."""
    about = {
        "nnz": 10**8,
        "shape": [10**5 - 1, 1],
        "rank": 1,
        "fits": {"partwise_memory": row(9, 0.5, peak_bytes=peak)},
    }
    assert outcome("peak memory", "at most 2.4 × + 6 (m + n) k words", {"text1e8": about}).met is met


def records(solver, key="a", date="2026-01-01T00:00:00", curve=()):
    """Two seeds of one solver."""
    common = {"solver": solver, "key": key, "date": date, "versions": {"p": key}, "target": None}
    for seed, seconds in enumerate((1.0, 3.0)):
        yield {**common, "kind": "fit", "seed": seed, "seconds": seconds, "error": 0.5, "kkt": 1e-3}
        if curve:
            rows = [{"iterations": i, "seconds": s * seconds, "error": e, "kkt": 0.1} for i, s, e in curve]
            yield {**common, "kind": "curve", "seed": seed, "rows": rows}


def test_summary_and_the_time_to_come_near(tmp_path, monkeypatch):
    """Medians, the best error of all runs, and the seconds on the line between two points."""
    monkeypatch.setattr(summary, "RESULTS", tmp_path)
    quick = [*records("partwise", curve=[(1, 0.1, 0.9), (5, 0.5, 0.4)])]
    slow = [*records("sklearn_cd", curve=[(1, 1.0, 0.9), (5, 9.0, 0.6)])]
    content = summarise(PROBLEM, {"mlpack": "not here"}, quick + slow)
    assert content["fits"]["partwise"]["seconds"] == {"median": 2.0, "least": 1.0, "most": 3.0}
    assert content["best_error"] == 0.4
    assert content["curves"]["sklearn_cd"]["within"] == [None, None]
    first = 0.1 + 0.4 * (0.9 - 0.4004) / 0.5
    assert content["curves"]["partwise"]["within"] == pytest.approx([first, 3 * first], rel=1e-5)
    result = outcome("Reuters, all", "(b) 8 ×", {"reuters": content})
    assert result.met
    assert result.figure == f"at least {18 / (2 * first):.1f} ×"
    for text in (fits_table(content), curves_table(content), targets_table({"reuters": content})):
        assert "partwise" in text
    assert max(len(line) for line in terminal_targets({"reuters": content}).splitlines()) < 80


def test_versions_are_never_mixed_and_earlier_rows_stay(tmp_path, monkeypatch):
    """Only runs of the newest versions count; a solver without new records keeps its row, on the same matrix alone."""
    monkeypatch.setattr(summary, "RESULTS", tmp_path)
    newer = [{**r, "seconds": 7.0} for r in records("partwise", "b", "2026-02-01T00:00:00")]
    content = summarise(PROBLEM, {}, [*records("partwise"), *newer, *records("sklearn_cd")])
    assert content["fits"]["partwise"]["seconds"]["least"] == 7.0
    summary.save("bench-reuters", content)
    assert json.loads((tmp_path / "bench-reuters.json").read_text()) == content
    later = summarise(PROBLEM, {}, list(records("partwise", "c", "2026-03-01T00:00:00")))
    assert later["fits"]["sklearn_cd"] == content["fits"]["sklearn_cd"]
    other = Problem("reuters", "Reuters", 50, (100, 80), 900, True, "4567")
    assert set(summarise(other, {}, list(records("partwise")))["fits"]) == {"partwise"}


def test_reached():
    """The first point may be enough, and no point may be."""
    points = [{"seconds": 1.0, "error": 0.5}, {"seconds": 2.0, "error": 0.3}]
    assert [reached(points, level) for level in (0.6, 0.4, 0.2)] == [1.0, pytest.approx(1.5), None]
