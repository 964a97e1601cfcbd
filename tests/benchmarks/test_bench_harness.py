"""The harness in earnest on a tiny matrix: real processes, a time limit, records that stand and that do not."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from harness import modules, plan, problems, records
from harness.execute import execute
from harness.records import Cell

SOLVERS = modules.names("solvers")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A sparse problem in a cache of its own."""
    monkeypatch.setattr(problems, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(records, "RAW", tmp_path / "raw")
    matrix = sp.random_array((60, 45), density=0.2, rng=np.random.default_rng(0), format="csr")
    return problems.stored("tiny", "tiny", 4, matrix, "by hand")


def test_partwise_and_scikit_learn_in_processes_of_their_own(tiny):
    """Both are timed, checked and counted; a curve comes down along its way."""
    matrix = tiny.matrix()
    ours, theirs = (execute(Cell(tiny, name, "fit", 0), matrix, 100) for name in ("partwise", "sklearn_cd"))
    assert ours["error"] == pytest.approx(theirs["error"], rel=0.05)
    for record in (ours, theirs):
        assert record["seconds"] > 0
        assert record["iterations"] > 1
        assert 0 < record["kkt"] < 0.1
        assert record["peak_bytes"] is None or record["peak_bytes"] > 1e6
    curve = execute(Cell(tiny, "partwise", "curve", 0), matrix, 100)["rows"]
    assert curve[0]["iterations"] == 1
    assert curve[-1]["error"] < curve[0]["error"]


def test_a_run_over_the_limit_is_told(tiny):
    """The process is ended, and the record says so."""
    assert execute(Cell(tiny, "partwise", "fit", 0), tiny.matrix(), 0.05) == {"over": 0.05}


def test_a_solver_that_fails_is_told(tiny):
    """The last line of what it complained of."""
    wrong = dataclasses.replace(tiny, rank=0)
    assert "failed" in execute(Cell(wrong, "svd_arpack", "fit", 0), tiny.matrix(), 100)


def test_records_stand_for_the_same_run_alone(tiny):
    """Another matrix, seed or target is another run, and what failed is tried again."""
    cell = Cell(tiny, "partwise", "fit", 0)
    records.write(cell, {"seconds": 1.0})
    assert records.read(cell)["seconds"] == 1.0
    changes = [{"seed": 1}, {"target": 0.5}, {"problem": dataclasses.replace(tiny, signature="other")}]
    assert all(records.read(dataclasses.replace(cell, **change)) is None for change in changes)
    records.write(cell, {"failed": "MemoryError"})
    assert records.read(cell) is None


@pytest.mark.parametrize("kind", [sp.csr_matrix, np.asarray])
def test_inputs_are_read_only(kind, tiny):
    """A solver cannot change what the next one gets, and reads what was stored."""
    original = tiny.matrix().toarray()
    loaded = problems.stored("other", "other", 3, kind(original), "by hand").matrix()
    values = loaded.data if sp.issparse(loaded) else loaded
    assert not values.flags.writeable
    np.testing.assert_array_equal(loaded.toarray() if sp.issparse(loaded) else loaded, original)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_says_what_it_is(name):
    """A label, a fit, versions or the reason why it is missing; what it needs and where it runs exist."""
    module = modules.load("solvers", name)
    assert module.LABEL
    assert callable(module.fit)
    assert records.missing(name) or records.versions(name)
    assert set(getattr(module, "ONLY", ())) <= set(modules.names("datasets"))
    assert getattr(module, "NEEDS", ("partwise",))[0] in SOLVERS


@pytest.mark.parametrize("name", modules.names("datasets"))
def test_every_data_set_says_what_it_is(name):
    """A label, a rank, a loader, and only solvers that exist."""
    module = modules.load("datasets", name)
    assert module.LABEL
    assert module.RANK > 1
    assert callable(module.load)
    assert set(getattr(module, "SOLVERS", ())) <= set(SOLVERS)


def test_slow_runs_have_fewer_seeds():
    """Five for quick runs, one for those of minutes and those that did not end."""
    counts = [plan.seeds("sklearn_cd", {"seconds": s}, 5) for s in (1, 30, 100, 300)]
    assert counts == [5, 3, 2, 1]
    assert plan.seeds("sklearn_cd", {"over": 600}, 5) == 1
    assert plan.seeds("partwise_memory", {"seconds": 1}, 5) == 1


def test_a_target_is_a_median_of_another_solver():
    """1.01 times the median error of the SVD, and none without it."""
    known = {"svd_arpack": [{"error": 0.5}, {"error": 0.7}, {"error": 0.6}]}
    assert plan.target("partwise_acls_to_svd", known) == pytest.approx(0.606)
    assert plan.target("partwise_acls_to_svd", {}) is None
