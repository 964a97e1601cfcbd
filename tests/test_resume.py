"""``resume``: what it says of a run that was kept, and that going on from the file alone changes no bits."""

import numpy as np
import pytest
import scipy.sparse as sp
from kept_runs import A, assert_same, broken, call, no_waiting_for_the_disk  # noqa: F401

import partwise as pw
from partwise.engine.checkpoint import KIND, LAYOUT
from partwise.storage import archive

WAYS = {
    "plain": {},
    "sparse": {"matrix": sp.csr_array(A)},
    "default rules": {"stop": None, "algorithm": "acls"},
    "rules of rules": {"stop": pw.AllOf((pw.Angle(1e-9), pw.Frobenius(change=1e-9) | pw.MaxIterations(3)))},
    "polish": {"algorithm": pw.acls(0.1, 0.2), "polish": pw.extrapolated(pw.hals(sweeps=2)), "settle": True},
    "biases": {"biases": True, "algorithm": None, "init": None},
    "restarts": {"restarts": 5, "init": "nndsvd", "racing": None, "keep": "last", "svd": True, "seed": None},
}


@pytest.mark.parametrize("way", WAYS)
def test_go_needs_only_the_matrix(way, tmp_path, monkeypatch):
    """The file holds every setting: with the data the run goes on and ends as the unbroken one does."""
    path = tmp_path / "run"
    matrix = WAYS[way].get("matrix", A)
    assert broken(monkeypatch, path, 4, **WAYS[way])
    found = pw.resume(path).go(matrix)
    assert_same(found, call(**WAYS[way] | {"seed": found.certificate.seed}))
    assert_same(pw.resume(path).go(matrix), found)


def test_it_says_what_it_is(tmp_path, monkeypatch):
    """The settings, the iteration, the error and the time; printed lines fit a terminal."""
    path = tmp_path / "run"
    stop = pw.MaxIterations(14)
    assert broken(monkeypatch, path, 6, stop=stop)
    seen = pw.resume(path)
    assert (seen.shape, seen.phase, seen.iteration) == ((60, 44), "run", 6)
    assert seen.error == call(stop=stop).history.error[6]
    told = str(seen)
    for text in ("60 × 44, float64", "als-hals(sweeps=5)", "random-acol", "under way at iteration 6", "MaxIterations"):
        assert text in told
    seen.go(A)
    assert "finished at iteration 14" in str(pw.resume(path))


def test_what_no_file_holds_is_asked_for(tmp_path, monkeypatch):
    """A start or a rule of one's own must be given again, and the sentence says how."""
    path, start = tmp_path / "run", np.ones((60, 4)) + np.eye(60, 4)
    assert broken(monkeypatch, path, 4, init=start)
    with pytest.raises(ValueError, match=r"has its own init \(given\).*go\(matrix, init="):
        pw.resume(path).go(A)
    assert_same(pw.resume(path).go(A, init=start), call(init=start))
    with pytest.raises(ValueError, match="another init"):
        pw.resume(path).go(A, init=2 * start)


def test_an_algorithm_of_ones_own_is_asked_for(tmp_path, monkeypatch):
    """An algorithm that the table cannot make is given again too."""
    own = pw.Algorithm("mine", pw.hals().w, pw.acls().h)
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 4, algorithm=own)
    with pytest.raises(ValueError, match=r"its own algorithm \(mine\)"):
        pw.resume(path).go(A)
    assert_same(pw.resume(path).go(A, algorithm=own), call(algorithm=own))


def test_other_data_are_refused(tmp_path, monkeypatch):
    """The matrix is checked as factorize checks it."""
    assert broken(monkeypatch, tmp_path / "run", 4)
    with pytest.raises(ValueError, match="another matrix"):
        pw.resume(tmp_path / "run").go(A[:, 1:])


@pytest.mark.parametrize(("content", "error"), [(None, FileNotFoundError), (b"nothing of ours", ValueError)])
def test_no_checkpoint(content, error, tmp_path):
    """No file, or none of ours, is one sentence."""
    path = tmp_path / "run"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=r"There is no file|is not a partwise checkpoint file, or it is damaged"):
        pw.resume(path)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("data.shape", []),
        ("shown", {}),
        ("settings", None),
        ("settings", {}),
        ("settings.algorithm.penalties", []),
        ("settings.algorithm.penalties", [None, None]),
        ("settings.algorithm.settings", None),
        ("state", {"phase": "done"}),
        ("state.result.algorithm.penalties", [[], []]),
        ("seed", "x"),
    ],
)
def test_forged_checkpoints_are_refused_in_a_sentence(place, value, tmp_path):
    """Whatever stands in a file: its contents do not fit together."""
    path = tmp_path / "run"
    call(path)
    (tmp_path / "run.previous").unlink(missing_ok=True)
    meta, arrays, _ = archive.read(path, KIND, LAYOUT)
    *outer, last = place.split(".")
    inside = meta
    for name in outer:
        inside = inside[name]
    inside[last] = value
    archive.write(path, KIND, LAYOUT, meta, arrays)
    with pytest.raises(ValueError, match="do not fit together"):
        pw.resume(path).go(A)


@pytest.mark.parametrize(
    ("place", "forged"),
    [
        ("last.basis.rows", lambda array: array[:-1]),
        ("last.basis.rows", lambda array: -array),
        ("last.weights.rows", lambda array: array * np.nan),
        ("last.weights.rows", lambda array: array.astype(">f8")),
        ("last.basis.gram", lambda array: array[:2]),
        ("last.momentum.ahead.rows", lambda array: array.astype(complex)),
        ("last.momentum.h", lambda array: array[:-1]),
        ("last.previous_w", lambda array: array.ravel()),
        ("last.angles", lambda array: array[:0]),
        ("history", lambda array: array[:0]),
    ],
)
def test_forged_arrays_of_a_run_are_refused(place, forged, tmp_path, monkeypatch):
    """A factor with too few rows would be read past its end, and what is not finite would be returned."""
    path = tmp_path / "run"
    assert broken(monkeypatch, path, 4, matrix=sp.csr_array(A))
    (tmp_path / "run.previous").unlink()
    meta, arrays, _ = archive.read(path, KIND, LAYOUT)
    inside = meta["state"]["run"]
    for name in place.split("."):
        inside = inside[name]
    archive.write(path, KIND, LAYOUT, meta, arrays | {inside["array"]: forged(arrays[inside["array"]])})
    with pytest.raises(ValueError, match="do not fit together"):
        pw.resume(path).go(sp.csr_array(A))
