"""What no process can catch: SIGKILL at any moment, a disk that is full, Ctrl-C in a process of its own."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from planted import planted
from small_disk import small_disk

import partwise as pw
from partwise.engine import driver
from partwise.engine.checkpoint import previous, read

KILLS = int(os.environ.get("PARTWISE_KILLS", "2"))
LENGTH = "80" if KILLS > 2 else "40"
RUN = """
import sys, numpy as np, partwise as pw
print("begun", flush=True)
pw.factorize(np.load(sys.argv[1]), 6, algorithm="acls", polish="als-hals", restarts=8, init="random", threads=2,
             stop=pw.MaxIterations(int(sys.argv[3])), polish_stop=pw.MaxIterations(int(sys.argv[3])),
             checkpoint=sys.argv[2], every=3)
print("ended", flush=True)
"""
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    """A matrix on disk, on which the run takes some seconds."""
    path = tmp_path_factory.mktemp("data") / "a.npy"
    np.save(path, planted(400, 300, 6, noise=0.5))
    return path


def begin(matrix, path, length=LENGTH):
    """The run in a process of its own, past its imports."""
    process = subprocess.Popen([sys.executable, "-c", RUN, matrix, path, length], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


@POSIX
def test_sigkill_at_random_moments(matrix, tmp_path):
    """Killed again and again and called again each time, the run ends with the bits of an unbroken one."""
    rng, path = np.random.default_rng(0), tmp_path / "run"
    with begin(matrix, tmp_path / "unbroken", length="1") as process:  # whatever must be compiled is not timed
        assert process.wait() == 0
    (tmp_path / "unbroken").unlink()
    previous(tmp_path / "unbroken").unlink(missing_ok=True)
    with begin(matrix, tmp_path / "unbroken") as process:
        began = time.perf_counter()
        assert process.stdout.readline() == "ended\n"
        whole = time.perf_counter() - began
    assert process.returncode == 0
    killed, seen = 0, set()
    while killed < KILLS or not any(phase != "done" for phase, _ in seen):
        assert killed < KILLS + 10, "no kill fell between a checkpoint and the end"
        with begin(matrix, path) as process:
            time.sleep(float(rng.uniform(0, 2 * whole / 3)))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        if path.exists() or previous(path).exists():
            meta = read(path)[0]
            seen.add((meta["state"]["phase"], meta["iteration"]))
            if meta["state"]["phase"] == "done":  # the rest of the kills fall on another run
                assert_equal(path, tmp_path / "unbroken")
                path.unlink()
                previous(path).unlink()
    with begin(matrix, path) as process:
        assert process.wait() == 0
    assert_equal(path, tmp_path / "unbroken")
    assert len(seen) > 1 or KILLS == 2
    assert {p.name for p in tmp_path.iterdir()} <= {"run", "run.previous", "unbroken", "unbroken.previous"}


def assert_equal(one, two):
    """Two finished checkpoints hold the same bits, the seconds apart."""
    (_, first, _), (_, second, _) = read(one), read(two)
    for name in ("w", "h"):
        assert np.array_equal(first[name], second[name])
    for name in ("iteration", "error", "angle", "kkt"):
        assert np.array_equal(first["history"][name], second["history"][name], equal_nan=True)


@POSIX
def test_ctrl_c_in_a_process_of_its_own(matrix, tmp_path):
    """SIGINT ends the call with a result and a checkpoint; called again, the run goes on from there."""
    path = tmp_path / "run"
    with begin(matrix, path) as process:
        while not path.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert pw.resume(path).phase in ("run", "race", "polish")
    assert pw.resume(path).go(np.load(matrix)).reason is not pw.Reason.INTERRUPTED


@pytest.fixture(params=["limit on files", "small disk"])
def full(request, tmp_path, monkeypatch):
    """(a folder, a function after which it has no more room)."""
    if request.param == "small disk":
        yield from small_disk(tmp_path)
        return
    if os.name != "posix":
        pytest.skip("limits of POSIX")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual_signal = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, usual[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    signal.signal(signal.SIGXFSZ, usual_signal)


def test_a_full_disk_during_a_checkpoint(full, monkeypatch):
    """One clear sentence, the last good checkpoint as it was, no half file; with room again the run goes on."""
    folder, fill_up = full
    matrix, path = planted(200, 150, 5, noise=0.5), folder / "run"
    run = {"stop": pw.MaxIterations(12), "init": "random-acol"}
    settings = run | {"checkpoint": path, "every": 1}
    steps = iter(range(100))
    advance = driver.advance

    def filling(*arguments):
        if next(steps) == 6:
            fill_up()
        return advance(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(driver, "advance", filling)
        with pytest.raises(OSError, match=r"run could not be written, there is no room for it .* is as it was\."):
            pw.factorize(matrix, 8, **settings)
    assert pw.resume(path).iteration == 6
    assert {p.name for p in folder.iterdir()} - {"rest"} == {"run", "run.previous"}
    (folder / "rest").unlink(missing_ok=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    assert np.array_equal(pw.factorize(matrix, 8, **settings).W, pw.factorize(matrix, 8, **run).W)


def test_a_full_disk_during_save(full):
    """The result that was there before stays, and the sentence says so."""
    folder, fill_up = full
    fit = pw.factorize(planted(200, 150, 5, noise=0.5), 8, stop=pw.MaxIterations(3))
    fit.save(folder / "model")
    before = (folder / "model").read_bytes()
    fill_up()
    with pytest.raises(OSError, match="model could not be written, there is no room for it"):
        fit.save(folder / "model")
    assert (folder / "model").read_bytes() == before
    assert np.array_equal(pw.load(folder / "model").W, fit.W)
