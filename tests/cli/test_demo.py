"""The demo's two searches and eight more give answers that a reader calls right."""

import pytest

from partwise.cli.demo import QUERIES, demo_documents, demo_weighting
from partwise.text import TopicModel, collect

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


def test_ten_queries():
    """At least nine have a module that a reader would name among the first three, the demo's own two among them."""
    pytest.importorskip("snowballstemmer", reason="snowballstemmer is not installed (partwise[text])")
    weighting = demo_weighting()
    model = TopicModel(20, weighting=weighting).fit_collection(collect(demo_documents(), weighting))
    found = {query: [hit.id.split(".")[0] for hit in model.search(query, 3)] for query in EXPECTED}
    right = {query for query, modules in found.items() if set(EXPECTED[query].split()) & set(modules)}
    assert set(QUERIES) <= right, found
    assert len(right) >= 9, found
