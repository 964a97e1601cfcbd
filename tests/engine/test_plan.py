"""``plan``: what it expects is what is measured, and a limit that cannot be kept is refused before any work."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.arguments import as_bytes

RUN = """
import sys, numpy as np, scipy.sparse as sp, partwise as pw
A = sp.random_array((60_000, 40_000), density=0.001, rng=np.random.default_rng(0), format="csr")
print(pw.plan(A, 20, algorithm=sys.argv[1], init="random", threads=2).memory)
pw.factorize(A, 20, algorithm=sys.argv[1], init="random", threads=2, stop=pw.MaxIterations(6))
print([int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""


def _weighted(rows):
    """A tall array in which a tenth is unknown."""
    rng = np.random.default_rng(0)
    matrix = rng.random((rows, 60))
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    return pw.observed(matrix, missing="nan")


def _sparse(rows):
    small = sp.random_array((rows, 2 * rows // 3), density=0.0005, rng=np.random.default_rng(0), format="csr")
    return sp.csr_array(small + sp.eye_array(*small.shape))


@pytest.mark.parametrize(
    ("algorithm", "matrix", "rows"),
    [("acls", _sparse, 30_000), ("als-hals", _sparse, 30_000), (pw.sparse_parts("hals", w=0.6), _weighted, 9_000)],
    ids=["acls", "als-hals", "sparse parts with unknown entries"],
)
def test_arrays_are_as_planned(algorithm, matrix, rows):
    """The peak of numpy's own memory is within a quarter of the plan."""
    data, settings = matrix(rows), {"algorithm": algorithm, "init": "random", "threads": 2}
    stop = [pw.Stationarity(1e-12), pw.MaxIterations(7)]
    pw.factorize(matrix(300), 4, stop=stop, **settings)
    made = pw.plan(data, 20, **settings)
    tracemalloc.start()
    pw.factorize(data, 20, stop=stop, **settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.75 * peak <= made.copies + made.factors + made.buffers <= 1.25 * peak + 3_000_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc of Linux")
@pytest.mark.parametrize("name", ["acls", "als-hals"])
def test_a_process_is_as_planned(name):
    """The peak of the resident memory of a process is within a quarter of the plan."""
    done = subprocess.run([sys.executable, "-c", RUN, name], capture_output=True, text=True, check=True)
    planned, peak = map(int, done.stdout.split())
    assert 0.75 * peak <= planned <= 1.25 * peak


def test_a_checkpoint_is_as_planned(tmp_path):
    """The file on disk is within a quarter of the plan."""
    data = np.random.default_rng(0).random((800, 600))
    made = pw.plan(data, 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partwise.engine.checkpoint.Checkpoint.finish", lambda *given: None, raising=False)
        pw.factorize(data, 20, stop=pw.MaxIterations(16), checkpoint=tmp_path / "run", every=8)
    size = (tmp_path / "run").stat().st_size
    assert 0.75 * size <= made.checkpoint <= 1.25 * size


def test_a_shape_is_enough():
    """A shape with its number of entries gives what the matrix gives, and that is what can be counted by hand."""
    data = sp.random_array((900, 700), density=0.01, rng=np.random.default_rng(0), format="csr")
    assert pw.plan((900, 700), 5, nnz=data.nnz, threads=2) == pw.plan(data, 5, threads=2)
    assert pw.plan((900, 700), 5, threads=2) == pw.plan(np.ones((900, 700)), 5, threads=2)
    pair = (900 + 700) * 5 * 8
    one = pw.plan((900, 700), 5, algorithm="hals", init="random", threads=2)
    assert (one.factors, one.checkpoint, one.disk) == (int(4.2 * pair), int(1.6 * pair), 3 * int(1.6 * pair))
    assert one.data == 900 * 700 * 8
    three = pw.plan((900, 700), 5, algorithm="hals", init="random", threads=2, restarts=3)
    assert (three.factors, three.checkpoint) == (int(4.2 * 3 * pair), int(1.6 * 3 * pair))
    assert one.memory == one.data + one.copies + one.factors + one.buffers + one.program


def test_a_limit_that_cannot_be_kept():
    """Refused before the matrix is even looked at; one that can be kept changes nothing."""
    data = np.random.default_rng(0).random((50, 40))
    with pytest.raises(ValueError, match=r"would take memory .* more than memory_limit=1 MB"):
        pw.factorize(data, 3, memory_limit="1MB")
    stop = pw.MaxIterations(3)
    found = pw.factorize(data, 3, stop=stop, memory_limit=10**9)
    assert np.array_equal(found.W, pw.factorize(data, 3, stop=stop).W)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("1GB", 10**9), ("1.5 gb", 15 * 10**8), ("2GiB", 2**31), ("512M", 512 * 10**6), (7, 7)],
)
def test_sizes(given, wanted):
    """Bytes as people write them."""
    assert as_bytes(given) == wanted


@pytest.mark.parametrize("given", ["", "GB", "-1GB", "1XB", 0, -5, True, float("inf"), [1]])
def test_bad_sizes(given):
    """Everything else is refused."""
    with pytest.raises(ValueError, match="A memory limit must be"):
        as_bytes(given)


@pytest.mark.parametrize(
    ("rank", "settings", "sentence"),
    [
        (0, {}, "from 1 to 8"),
        (999, {}, "from 1 to 8"),
        (10**30, {}, "from 1 to 8"),
        ("x", {}, "rank must be a whole number, not 'x'"),
        (2.5, {}, "whole number"),
        (True, {}, "whole number"),
        (2, {"restarts": 0}, "whole number of at least 1"),
        (2, {"restarts": -9}, "whole number of at least 1"),
        (2, {"nnz": -1}, "nnz must be"),
        (2, {"dtype": "x"}, "dtype must be a type of numbers"),
        (2, {"dtype": "M8[D]"}, "must hold numbers"),
    ],
)
def test_bad_numbers(rank, settings, sentence):
    """Checked before anything is estimated."""
    with pytest.raises((ValueError, TypeError), match=sentence):
        pw.plan((9, 8), rank, **settings)


def test_numbers_beyond_the_machine():
    """A plan of what nobody has is a large number, not an error."""
    assert "TB" in str(pw.plan((10**30, 10**30), 2, restarts=10**30))


def test_frames_and_lists():
    """A data frame is counted in its own precision, a sparse one by its entries; lists are arrays."""
    import pandas as pd

    values = np.ones((30, 20), np.float32)
    assert pw.plan(pd.DataFrame(values), 2) == pw.plan(values, 2)
    assert pw.plan(values.tolist(), 2) == pw.plan(values.astype(float), 2)
    frame = pd.DataFrame.sparse.from_spmatrix(sp.eye_array(30, format="csc"))
    assert pw.plan(frame, 2).data < pw.plan((30, 30), 2).data
