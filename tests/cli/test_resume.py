"""``factorize --checkpoint``, ``resume`` and ``plan`` as a user runs them: in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from planted import planted

import partwise as pw


@pytest.fixture
def matrix(tmp_path):
    """A matrix on disk."""
    np.save(tmp_path / "a.npy", planted(300, 200, 5, noise=0.5))
    return tmp_path / "a.npy"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_and_resumed(matrix, warm, tmp_path):
    """Killed, shown, and gone on with: the factors of an unbroken run."""
    path, fit = tmp_path / "run", tmp_path / "fit"
    arguments = ["factorize", matrix, "-k", "5", "--algorithm", "anls", "--max-iterations", "400", "--seed", "3"]
    command = [sys.executable, "-m", "partwise", *map(str, arguments), "--checkpoint", str(path), "--every", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    shown = warm("resume", path)
    assert "300 × 200" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    done = warm("resume", path, matrix, "-o", fit, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["output"] == str(fit)
    assert warm(*arguments, "-o", tmp_path / "whole").returncode == 0
    assert np.array_equal(pw.load(fit).W, pw.load(tmp_path / "whole").W)
    refused = warm(*arguments[:-1], "4", "--checkpoint", path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "seed=3, not 4" in refused.stderr


def test_plan(matrix, warm):
    """What a run would take, for people and for machines; a limit that cannot be kept is misuse."""
    plan = json.loads(warm("plan", matrix, "-k", "5", "--json").stdout)
    assert plan["memory"] == sum(plan[name] for name in ("data", "copies", "factors", "buffers", "program"))
    assert "memory in all" in warm("plan", matrix).stdout
    refused = warm("factorize", matrix, "--memory-limit", "1MB")
    assert refused.returncode == 2
    assert "more than memory_limit=1 MB" in refused.stderr
