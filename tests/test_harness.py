"""Signals at any moment, a disk that is full at any write, several processes on one path, indices out of range."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from command import ENVIRONMENT
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1]))

import partwise as pw
from fuzz.outcome import is_sentence, run
from partwise.data.sparse import SparseData

MANY = int(os.environ.get("PARTWISE_SIGNALS", "0"))
"""25 for ``make test-slow``: a hundred moments, and a full disk every 512 bytes."""
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, limits and forks of POSIX")
A = np.random.default_rng(0).random((30, 20))
TEXTS = "ship sail sea wind\nsail sea ship captain\nsong melody choir tune\nmelody song tune voice\n" * 3
VERBS = {
    "factorize": ("a.npy", "-k", "2", "-o", "out"),
    "topics": ("t.txt", "-k", "2", "-o", "out"),
    "convert": ("a.npy", "out"),
    "ranks": ("a.npy", "--to", "3", "--runs", "3"),
    "plan": ("a.npy", "-k", "2"),
    "report": ("m.partwise", "-o", "out"),
    "search": ("m.partwise", "ship"),
}
BEGIN = "import sys; sys.stdout.write('!'); sys.stdout.flush(); sys.argv = {}\n"
BEGIN += "import runpy; runpy.run_module('partwise', run_name='__main__', alter_sys=True)"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """What the verbs read."""
    folder = tmp_path_factory.mktemp("inputs")
    np.save(folder / "a.npy", A)
    (folder / "t.txt").write_text(TEXTS)
    pw.TopicModel(2, threads=1).fit(TEXTS.splitlines()).save(folder / "m.partwise")
    return folder


@pytest.mark.parametrize("number", range(4 * MANY or 2))
def test_a_signal_at_any_moment(number, inputs, tmp_path):
    """No traceback, an exit code that says what happened, an output that is whole or as it was, nothing beside it."""
    rng = np.random.default_rng(number)
    verb, sent = list(VERBS)[number % len(VERBS)], (signal.SIGINT, signal.SIGTERM)[number // len(VERBS) % 2]
    for file in inputs.iterdir():
        (tmp_path / file.name).symlink_to(file)
    earlier = number % 3 == 0 and verb != "convert"
    if earlier:
        (tmp_path / "out").write_bytes(b"what was there before")
    code = BEGIN.format(["partwise", verb, *VERBS[verb]])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, "cwd": tmp_path}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:
        assert process.stdout.read(1) == b"!"
        time.sleep(float(rng.uniform(0.05, 2.5)))
        process.send_signal(sent)
        stderr = process.communicate(timeout=60)[1].decode()
    assert "Traceback" not in stderr, (verb, sent, stderr)
    ended = (0, 128 + sent, -sent)  # the last one where the interpreter has taken its handlers back at its end
    assert process.returncode in ended, (verb, sent, stderr)
    left = {path.name for path in tmp_path.iterdir()} - {file.name for file in inputs.iterdir()}
    assert left <= {"out"}, (verb, sent)
    if "out" in left and (tmp_path / "out").is_file():
        content = (tmp_path / "out").read_bytes()
        if not (earlier and content == b"what was there before"):
            if verb == "report":
                assert content.rstrip().endswith(b"</html>")
            else:
                pw.load(tmp_path / "out")
    elif "out" in left:
        pw.open_matrix(tmp_path / "out")


def saved(folder):
    """A result that is saved."""
    pw.factorize(A, 3, stop=pw.MaxIterations(1), threads=1).save(folder / "out")


def kept(folder):
    """A run that is kept in checkpoints."""
    pw.factorize(A, 3, stop=pw.MaxIterations(3), threads=1, checkpoint=folder / "out", every=1)


def stored(folder):
    """A matrix that is written in parts."""
    pw.write_matrix(folder / "parts", A, part_bytes=1000)


def reported(folder):
    """A report."""
    pw.write_report(pw.factorize(A, 3, stop=pw.MaxIterations(1), threads=1), folder / "out", runs=0)


@pytest.mark.parametrize("action", [saved, kept, stored, reported])
def test_a_full_disk_at_every_write(action, tmp_path):
    """Wherever the room ends: a sentence, what was there before as it was, and nothing half written."""
    action(tmp_path)
    largest = max(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    for limit in range(0, 9 * largest // 10, 512 if MANY else largest // 3):  # a file may have some bytes less
        folder = tmp_path / str(limit)
        folder.mkdir()
        if action is not kept:
            (folder / "out").write_bytes(b"before")

        def full(folder=folder, limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            action(folder)

        outcome = run(f"{limit}", full)
        assert outcome.kind == "sentence", outcome
        assert "no room" in outcome.detail
        if action is not kept:
            assert (folder / "out").read_bytes() == b"before"
        names = {path.name for path in folder.iterdir()}
        assert names <= {"out", "out.previous"}, names


@pytest.mark.parametrize("count", [2, 8])
def test_processes_on_one_path(count, tmp_path):
    """Several save to one path, and whoever reads meanwhile reads a whole file of one of them."""
    fits = [pw.factorize(A * (n + 1), 3, stop=pw.MaxIterations(1), threads=1) for n in range(count)]
    fits[0].save(tmp_path / "out")
    known, children = {fit.W.tobytes() for fit in fits}, []
    for fit in fits:
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                for _ in range(5):
                    fit.save(tmp_path / "out")
                os._exit(0)
            os._exit(1)
        children.append(child)
    for _ in range(20):
        assert pw.load(tmp_path / "out").W.tobytes() in known
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * count
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_runs_on_one_checkpoint(tmp_path):
    """The second is refused while the first one runs, in a sentence that names it."""
    refused = []

    def rule(step):
        if step.iteration == 1:
            outcome = run("second", lambda: pw.factorize(A, 3, threads=1, checkpoint=tmp_path / "run"))
            refused.append((outcome.kind, f"process {os.getpid()}" in outcome.detail))
        return None if step.iteration < 2 else pw.Reason.MAX_ITERATIONS

    pw.factorize(A, 3, threads=1, stop=[rule], checkpoint=tmp_path / "run")
    assert refused == [("sentence", True)]


integers = st.integers(-3, 12) | st.sampled_from([-(2**31), 2**31 - 1, 2**40])


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["csr", "csc", "coo"]), st.lists(integers, max_size=9), st.lists(integers, max_size=8), st.data()
)
def test_sparse_input_keeps_its_indices_inside(kind, indices, pointers, draw):
    """Whatever the arrays hold: refused in a sentence, or every index of both sides is within the matrix."""
    wide = np.int64 if max(map(abs, [*indices, *pointers, 0])) >= 2**31 else np.int32
    matrix = {"csr": sp.csr_array, "csc": sp.csc_array, "coo": sp.coo_array}[kind](np.ones((5, 7)))
    if kind == "coo":
        others = draw.draw(st.lists(integers, min_size=len(indices), max_size=len(indices)))
        matrix.coords = (np.array(indices, np.int64), np.array(others, np.int64))
    else:
        matrix.indices, matrix.indptr = np.array(indices, wide), np.array(pointers, wide)
    matrix.data = np.ones(len(indices))
    try:
        data = pw.as_data(matrix)
    except (ValueError, TypeError) as error:
        if not is_sentence(str(error)):
            raise
        return
    for side in (data, data.T):
        assert isinstance(side, SparseData)
        starts, columns, values = side.arrays
        assert len(starts) == side.shape[0] + 1
        assert starts[0] == 0
        assert starts[-1] == len(columns) == len(values)
        assert (np.diff(starts) >= 0).all()
        assert ((columns >= 0) & (columns < side.shape[1])).all()
