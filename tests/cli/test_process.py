"""The command as a process among others: a fresh start, interrupts, pipes, and time."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from command import ENVIRONMENT, cold

import partwise as pw

# Each iteration says that it has begun and waits, so that an interrupt finds the run on its way.
SLOW = """
import signal, sys, time
import partwise.engine.driver
from partwise.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
advance = partwise.engine.driver.advance

def slowly(*given):
    sys.stderr.write("!"), sys.stderr.flush()
    time.sleep(0.2)
    return advance(*given)

partwise.engine.driver.advance = slowly
"""


def test_a_fresh_process_searches_a_saved_model(saved):
    """python -m partwise gives the library's answer and nothing on stderr; misuse is exit code 2 and a sentence."""
    done = cold("search", saved, "captain melody", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout) == json.loads(json.dumps(pw.load(saved).search("captain melody").as_dict()))
    done = cold("search", saved, "qqqq")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(saved):
    """``partwise clusters ... | head`` ends without a word."""
    command = [sys.executable, "-m", "partwise", "clusters", str(saved), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        stderr = process.stderr.read()
    assert stderr == b""
    assert process.returncode != 2


@pytest.mark.skipif(os.name == "nt", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("when", ["reading", "factorising"])
def test_an_interrupt_leaves_no_file(when, folder, tmp_path):
    """Ctrl-C while reading or factorising: exit code 130, one sentence, the folder as it was."""
    target = tmp_path / "m.partwise"
    source = "-" if when == "reading" else str(folder / "news.csv")
    arguments = ["partwise", "topics", source, "-k", "2", "-o", str(target)]
    code = SLOW + f"sys.argv = {arguments}\nsys.stderr.write('ready'), sys.stderr.flush()\nmain()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=ENVIRONMENT, **pipes) as process:
        assert process.stderr.read(5) == b"ready"
        if when == "factorising":
            assert process.stderr.read(1) == b"!"
        else:
            process.stdin.write(b"ship sail\n" * 10)
            process.stdin.flush()
            time.sleep(2)
        process.send_signal(signal.SIGINT)
        stderr = process.stderr.read().decode().lstrip("!")
    assert process.returncode == 130, stderr
    assert stderr.strip() == "partwise: interrupted; no file is left half written."
    assert list(tmp_path.iterdir()) == []


def test_the_demo_shows_the_whole_way(tmp_path):
    """make demo: topics, the certificate, two searches, and where the model is; it can be searched afterwards."""
    done = cold("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for part in ("docstrings of Python's standard library", "stationarity", "The model is saved in demo.partwise"):
        assert part in done.stdout
    assert done.stdout.count("What was asked is") == 2
    model = pw.load(tmp_path / "demo.partwise")
    assert len(model.collection.ids) > 2000
    assert "turtle" in " ".join(model.names)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused_first(folder, warm, tmp_path):
    """The sentence comes before any reading."""
    tmp_path.chmod(0o500)
    done = warm("topics", "-", "-o", tmp_path / "m.partwise", cwd=folder)
    assert done.returncode == 2
    assert "may not be written to" in done.stderr


def test_a_terminal_gets_progress_and_a_pipe_does_not(folder, tmp_path):
    """Progress goes to stderr, and only where that is a terminal."""
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "partwise", "topics", "news.csv", "-k", "3", "--json"]
    ours, theirs = pty.openpty()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT, check=False)
    os.close(theirs)
    stderr = b""
    try:
        while part := os.read(ours, 4096):
            stderr += part
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    assert b"reading" in stderr
    assert json.loads(done.stdout)["documents"] == 30
