"""Files that version 0.1 wrote: results, matrices on disk and checkpoints load and go on as they did there."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw

FOLDER = Path(__file__).parent / "fixtures" / "v0.1"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
with np.load(FOLDER / "inputs.npz") as INPUTS:
    SPARSE = sp.csr_array((INPUTS["data"], INPUTS["indices"], INPUTS["indptr"]), shape=INPUTS["shape"])
    DENSE = INPUTS["dense"]
MATRICES = {
    "checkpoint-race-1": SPARSE,
    "checkpoint-momentum-1": SPARSE,
    "checkpoint-polish-1": DENSE,
    "checkpoint-disk-1": None,
    "checkpoint-done-1": SPARSE,
}


def as_expected(name, fit):
    """The factors that version 0.1 ended with; the last bits depend on the machine."""
    wanted = EXPECTED[name]
    np.testing.assert_allclose(fit.w, wanted["w"], rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(fit.h, wanted["h"], rtol=1e-7, atol=1e-12)
    assert fit.error == pytest.approx(wanted["error"], rel=1e-9)
    assert fit.certificate.iterations == wanted["iterations"]
    assert fit.certificate.algorithm == wanted["algorithm"]


@pytest.mark.parametrize("name", sorted(name for name in EXPECTED if name.startswith("factorization")))
def test_results(name):
    """A saved result is read with its algorithm, history and certificate, and transforms."""
    fit = pw.load(FOLDER / name)
    as_expected(name, fit)
    assert str(fit.algorithm) == fit.certificate.algorithm
    assert len(fit.history) == fit.certificate.iterations + 1
    matrix = SPARSE if len(fit.w) == SPARSE.shape[0] else DENSE
    assert np.all(np.isfinite(fit.transform(matrix)))
    assert "KKT" in str(fit.certificate)


@pytest.mark.parametrize(("name", "matrix"), [("matrix-sparse-1", SPARSE.toarray()), ("matrix-dense-1", DENSE)])
def test_matrices_on_disk(name, matrix):
    """A stored matrix is the one that was written."""
    data = pw.open_matrix(FOLDER / name)
    assert data.shape == matrix.shape
    np.testing.assert_array_equal(data.rows(0, len(matrix)), matrix)


@pytest.mark.parametrize("name", MATRICES)
def test_checkpoints(name, tmp_path):
    """A run that version 0.1 kept, under way, in its race, polishing or finished, goes on to the same end."""
    path = tmp_path / "run"
    shutil.copy(FOLDER / name, path)
    matrix = pw.open_matrix(FOLDER / "matrix-sparse-1") if MATRICES[name] is None else MATRICES[name]
    kept = pw.resume(path)
    assert kept.phase == {"race": "race", "polish": "polish", "done": "done"}.get(name.split("-")[1], "run")
    assert kept.error > 0
    as_expected(name, kept.go(matrix))
    as_expected(name, pw.resume(path).go(matrix))
