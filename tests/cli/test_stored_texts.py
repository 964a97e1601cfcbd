"""``convert`` of texts, ``topics`` on the folder, and ``topics`` that keeps its run."""

import json
import signal
import subprocess
import sys
import time

import pytest
from command import COLUMNS, ENVIRONMENT

import partwise as pw
from partwise.cli.fitting import Interrupted, keeping


def test_convert_then_topics(folder, warm, saved, tmp_path):
    """The topics of the stored texts are those of the texts; words cannot be asked for otherwise afterwards."""
    parts = tmp_path / "news.parts"
    done = warm("convert", "news.csv", parts, "--json", *COLUMNS, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["shape"] == [24, 30]
    done = warm("topics", parts, "-k", 3, "--seed", 1, "-o", tmp_path / "model")
    assert (done.returncode, done.stderr) == (0, "")
    assert pw.load(tmp_path / "model").names == pw.load(saved).names
    assert pw.load(tmp_path / "model").collection.labels == pw.load(saved).collection.labels
    for options, sentence in [(["--min-df", 3], "other options about words"), (["--column", "text"], "--column out")]:
        done = warm("topics", parts, *options)
        assert done.returncode == 2
        assert sentence in done.stderr
    again = warm("convert", "news.csv", parts, *COLUMNS, cwd=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_topics_goes_on_from_its_checkpoint(folder, warm, tmp_path):
    """The same command gives the same at once; other documents or settings are refused in a sentence."""
    kept = tmp_path / "run"
    options = ["-k", 3, "--checkpoint", kept, "--every", 2, "--json", "--title-column", "headline"]
    first = json.loads(warm("topics", "news.csv", *options, cwd=folder).stdout)
    assert pw.resume(kept).phase == "done"
    again = json.loads(warm("topics", "news.csv", *options, cwd=folder).stdout)
    assert again == first
    for arguments, sentence in [
        (["news.csv", *options, "-k", 4], "rank=3, not 4"),
        (["news.csv", *options, "--seed", 5], "seed=0, not 5"),
        (["news.csv", *options, "--min-df", 9], "belongs to another matrix"),
    ]:
        done = warm("topics", *arguments, cwd=folder)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("hashing", ["1", "many", "2**x"])
def test_a_bad_table_of_hashes(folder, warm, hashing):
    """Refused before anything is read."""
    done = warm("topics", "news.csv", "--hashing", hashing, cwd=folder)
    assert done.returncode == 2
    assert "hashing must be a whole number" in done.stderr


def test_ctrl_c_says_where_the_run_is_kept(tmp_path):
    """A run that would not end soon; the checkpoint is there and the sentence names it."""
    kept = tmp_path / "run"
    script = "import numpy as np; np.save('a.npy', np.random.default_rng(0).random((600, 500)))"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    command = ["factorize", "a.npy", "-k", "40", "--algorithm", "multiplicative", "--restarts", "50"]
    command += ["--max-iterations", "100000", "--checkpoint", "run", "--every", "1"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    process = subprocess.Popen([sys.executable, "-m", "partwise", *command], cwd=tmp_path, **pipes)
    for _ in range(600):
        if kept.exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr == "partwise: interrupted; the run is kept in run, and the same command goes on from there.\n"


def closed_in_the_middle():
    """Ctrl-C, and an error on its way out."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise ValueError("a file is open")  # noqa: B904


def test_an_error_on_the_way_out_of_ctrl_c_is_ctrl_c(tmp_path):
    """What closing a file in the middle raises does not hide that the user asked for the end."""
    kept = tmp_path / "run"
    kept.touch()
    with pytest.raises(Interrupted, match="goes on from there"), keeping(kept):
        closed_in_the_middle()
    with pytest.raises(ValueError, match="our own"), keeping(kept):
        raise ValueError("our own")
