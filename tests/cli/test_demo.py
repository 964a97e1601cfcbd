"""The demo's two searches and eight more give answers that a reader calls right."""

import pytest
from command import cold

import partwise as pw
from partwise.cli.demo import QUERIES

EXPECTED = {
    "read a compressed archive": "bz2 gzip lzma tarfile zipfile zipimport",
    "parse command line arguments": "argparse getopt optparse",
    "send an email message": "email smtplib",
    "convert json text to python objects": "json",
    "temporary file that is deleted when closed": "tempfile",
    "mean and median of numbers": "statistics",
    "run a command and capture its output": "subprocess",
    "walk a directory tree": "os pathlib shutil",
    "random number from a normal distribution": "random statistics",
    "compare two sequences and show the differences": "difflib",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """(what a process that runs the demo printed, the model that it left)"""
    pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed (partwise[text])")
    folder = tmp_path_factory.mktemp("demo")
    done = cold("demo", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, pw.load(folder / "demo.partwise")


def test_the_demo_shows_the_whole_way(demo):
    """make demo: topics, the certificate, two searches, and where the model is; it can be searched afterwards."""
    stdout, model = demo
    assert max(map(len, stdout.splitlines())) <= 80
    for part in ("docstrings of Python's standard library", "stationarity", "The model is saved in demo.partwise"):
        assert part in stdout
    assert stdout.count("What was asked is") == 2
    assert len(model.collection.ids) > 2000
    assert "turtle" in " ".join(model.names)


def test_ten_queries(demo):
    """At least nine have a module that a reader would name among the first three, the demo's own two among them."""
    modules = {query: [hit.id.split(".")[0] for hit in demo[1].search(query, 3)] for query in EXPECTED}
    right = {query for query, named in modules.items() if set(EXPECTED[query].split()) & set(named)}
    assert set(QUERIES) <= right, modules
    assert len(right) >= 9, modules
