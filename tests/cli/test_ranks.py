"""``partwise ranks`` as a user runs it: in a process of its own."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted


@pytest.fixture
def matrix(tmp_path):
    """A matrix on disk."""
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.csr_matrix(planted(40, 30, 3, noise=0)))
    return path


def test_json_is_the_survey(matrix, warm, tmp_path):
    """--json gives the rows and the recommendation, --plot a picture, nothing else is printed."""
    picture = tmp_path / "ranks.png"
    done = warm("ranks", matrix, "--from", 2, "--to", 4, "--runs", 3, "--json", "--plot", picture)
    assert done.returncode == 0, done.stderr
    survey = json.loads(done.stdout)
    assert [row["rank"] for row in survey["rows"]] == [2, 3, 4]
    assert survey["recommended"] == 3
    assert done.stderr == ""
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_table_fits_a_terminal(matrix, warm):
    """The table is at most 80 columns wide and names the recommended rank and why."""
    done = warm("ranks", matrix, "--to", 4, "--runs", 3)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "Recommended: 3." in done.stdout
    assert [line for line in done.stdout.splitlines() if line != line.rstrip()] == []


def test_held_out_entries(matrix, warm, tmp_path):
    """--by held-out prints the errors on the folds beside stability and says why, in a table and as JSON."""
    options = ["--by", "held-out", "--to", 4, "--runs", 2, "--folds", 2]
    done = warm("ranks", matrix, *options)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert all(word in done.stdout for word in ("Recommended: 3.", "held-out", "weakest"))
    done = warm("ranks", matrix, *options, "--json", "--plot", tmp_path / "a.png")
    assert (json.loads(done.stdout)["by"], json.loads(done.stdout)["recommended"]) == ("held-out", 3)


def test_ranks_of_texts(warm, tmp_path):
    """Texts are read and weighted as `topics` does, with its options."""
    rows = [f"{group} {'the ' * (i % 3)}" for i in range(8) for group in ("ship sea sail", "oven bread flour")]
    (tmp_path / "a.csv").write_text("body,n\n" + "".join(f"{row},{i}\n" for i, row in enumerate(rows)))
    options = ["--column", "body", "--weight", "counts", "--from", 1, "--to", 3, "--runs", 2]
    done = warm("ranks", "a.csv", *options, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["recommended"] == 2
    options = ["--column", "body", "--from", 1, "--to", 2, "--runs", 1, "--folds", 2]
    done = warm("ranks", "a.csv", *options, "--loss", "poisson", "--by", "held-out", cwd=tmp_path)
    assert "Of texts this is a guide only" in done.stdout
    assert done.returncode == 0, done.stderr  # words are counted as they are, so that counts can be split


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.npz"], "There is no file missing.npz"),
        (["A", "--init", "randm"], "did you mean 'random'"),
        (["A", "--algorithm", "acl"], "did you mean"),
        (["A", "--from", 5, "--to", 3], "is below"),
        (["A", "--to", 99], "rank must be"),
        (["A", "--runs", 1], "at least 2"),
        (["A", "--by", "heldout"], "did you mean 'held-out'"),
        (["A", "--by", "held-out", "--loss", "poisson"], "must be whole numbers"),
        (["notes.txt"], "There is no file or folder notes.txt"),
    ],
)
def test_misuse_is_one_sentence(arguments, sentence, matrix, warm):
    """Exit code 2 and one line on stderr, no traceback, nothing on stdout."""
    done = warm("ranks", *[matrix if a == "A" else a for a in arguments])
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_help_has_an_example(warm):
    """--help shows how to call it."""
    done = warm("ranks", "--help")
    assert done.returncode == 0
    assert "Example: partwise ranks" in done.stdout


def test_negative_entries_are_told_with_their_place(warm, tmp_path):
    """Bad data at the command line: the sentence with row and column."""
    np.savetxt(tmp_path / "a.csv", [[1, 2, 3], [4, -5, 6], [7, 8, 9]], delimiter=",")
    done = warm("ranks", tmp_path / "a.csv", "--to", 2)
    assert done.returncode == 2
    assert "row 1, column 1 is negative (-5)" in done.stderr
