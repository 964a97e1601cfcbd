"""Bad input at the command line: exit code 2 and one sentence, or a counted warning; no traceback, nothing written."""

import gzip
import json
import os
import socket

import numpy as np
import pytest

import partwise as pw
from partwise.cli.output import csv_text
from partwise.storage import archive as files


def refused(done, sentence):
    """One line on stderr that says it, exit code 2, nothing on stdout."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert sentence in done.stderr
    assert done.stderr.startswith("partwise: ")
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (b"text\n", [], "There is no document in"),
        (b"", [], "bad.csv"),
        (b"text\nship sail\n", ["-k", 1, "--min-df", 1, "--stop-words", "ship.txt"], "no file of stop words ship.txt"),
        (
            b"text\nship sail\n",
            ["-k", 2, "--min-df", 1],
            "k = 2 is more than this collection can give: it has 1 document",
        ),
        (b"text\nthe and of\nof the\n", [], "There is no word left in 2 documents once stop words are left out"),
        (b"text\n123\n456 7\n", [], "There is no word in 2 documents"),
        (b"text\nship\nsail\n", [], "lower min_df"),
        (b"text\nship sail\nsail ship\n", ["-k", 9], "k = 9 is more"),
        (b"body,title\nship,a\n", ["--column", "bodi"], "did you mean 'body'"),
        (b"body,title\nship,a\n", [], "--column"),
        (b"text\nship\xe9 sail\n", ["--encoding", "utf-8"], "--encoding latin-1"),
        (b"text\nship sail\n", ["--language", "klingon"], "There is no language 'klingon'; choose one of arabic"),
        (b"text\nship sail\n", ["--strip", "pdf"], "There is no thing to strip 'pdf'"),
        (b"text\nship\x00\x01\x02 sail\n", [], "binary"),
        (b"text\nship sail\n", ["--encoding", "utf-9"], "encoding"),
        (b"text\nship sail\n", ["--format", "cvs"], "did you mean 'csv'"),
        (b"text\nship sail\n", ["--weight", "tfdif"], "did you mean 'tfidf'"),
        (b"text\nship sail\n", ["--ngrams", "one"], "--ngrams must be"),
        (b"text\nship sail\n", ["--ngrams", "2-1"], "ngrams must be"),
        (b"text\nship sail\n", ["--min-df", "few"], "--min-df must be"),
        (b"text\nship sail\n", ["--stem", "klingon"], "There is no stemmer 'klingon'"),
        (b"text\nship sail\n", ["--algorithm", "als_hals"], "did you mean 'als-hals'"),
        (b"text\nship sail\n", ["--init", "nndvsd"], "did you mean 'nndsvd'"),
        (b"text\nship sail\n", ["-k", 0], "k must be"),
        (b"text\nship sail\n", ["-k", "two"], "valid integer"),
        (b"text\nship sail\n", ["--threads", 0], "threads must be"),
        (b"text\nship sail\n", ["--clumn", "text"], "--clumn"),
        (b"text\nship sail\n", ["-o", "nowhere/m.partwise"], "The folder nowhere does not exist"),
        (b"text\nship sail\n", ["-o", "."], "is a folder"),
        (b"text\nship sail\n", ["--checkpoint", "-"], "cannot go to stdout"),
        (b"text\nship sail\n", ["--stop-words", "."], "Is a directory"),
        (b"text\nship sail\n", ["-o", "bad.csv"], "is what is read"),
    ],
)
def test_topics_refuses(content, options, sentence, warm, tmp_path):
    """Whatever is wrong with the file or the options."""
    (tmp_path / "bad.csv").write_bytes(content)
    refused(warm("topics", "bad.csv", *options, cwd=tmp_path), sentence)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]
    assert (tmp_path / "bad.csv").read_bytes() == content


def test_missing_files_and_verbs(warm, folder):
    """The nearest name is suggested."""
    refused(warm("topics", "new.csv", cwd=folder), "did you mean news.csv?")
    refused(warm("search", "new.partwise", "ship", cwd=folder), "There is no file new.partwise")
    refused(warm("factorize", "a.npz", cwd=folder), "There is no file a.npz")
    refused(warm("topcis"), "topcis")
    refused(warm("topics"), "PATH")


def test_missing_folder_is_refused_before_reading(warm, tmp_path):
    """Nothing is read when the result could not be written."""
    refused(warm("topics", "-", "-o", "nowhere/m", cwd=tmp_path), "The folder nowhere does not exist")
    refused(warm("demo", "-o", "nowhere/m", cwd=tmp_path), "The folder nowhere does not exist")
    np.save(tmp_path / "a.npy", np.eye(3))
    refused(warm("factorize", "a.npy", "-k", 1, "-o", "nowhere/f", cwd=tmp_path), "The folder nowhere does not exist")


def test_single_bad_documents_are_counted_warnings(warm, tmp_path):
    """Empty cells, empty and double documents, a broken encoding where another is allowed: told once, counted."""
    rows = [
        json.dumps({"text": text}) for text in ("ship sail", "ship tide sail", None, "ship sail", "tide ship", "zzz")
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = warm("topics", "a.jsonl", "-k", 2, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["empty"], summary["duplicates"]) == (6, 2, 1)
    assert "2 documents have no term of the vocabulary (first: 3)" in done.stderr
    assert "1 document is an exact copy of another (first: 4 of 1)" in done.stderr
    (tmp_path / "mixed.txt").write_bytes(
        "ship café\ntide café\n".encode() + "ship café\n".encode("latin-1") + b"tide\n"
    )
    refused(warm("topics", "mixed.txt", "-k", 2, "--encoding", "utf-8", cwd=tmp_path), "line 3")
    done = warm("topics", "mixed.txt", "-k", 2, "--json", cwd=tmp_path)
    assert "Not utf-8, so read as iso8859-1: mixed.txt, line 3." in done.stderr
    assert json.loads(done.stdout)["documents"] == 4


def test_a_very_long_line_is_left_out_and_told(warm, tmp_path):
    """200 MB in one line do not fill the memory; the other documents are kept."""
    with gzip.open(tmp_path / "long.txt.gz", "wb", compresslevel=1) as file:
        file.write(b"ship sail\nship tide\n")
        for _ in range(200):
            file.write(b"word " * 200_000)
        file.write(b"\ntide sail\nship ship\n")
    done = warm("topics", "long.txt.gz", "-k", 2, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["terms"] == 3
    assert "line 3" in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_models_of_another_kind_or_version(saved, warm, tmp_path):
    """A factorisation, a newer layout, a text file and a damaged model: one sentence each, for every verb."""
    pw.factorize(np.ones((4, 3)), 1).save(tmp_path / "fit.partwise")
    meta, arrays, _ = files.read(saved, pw.TopicModel.KIND, 1)
    files.write(tmp_path / "new.partwise", pw.TopicModel.KIND, 2, meta, arrays)
    (tmp_path / "text.partwise").write_text("not a model", encoding="utf-8")
    (tmp_path / "half.partwise").write_bytes(saved.read_bytes()[:2000])
    for name, sentences in [
        ("fit", "holds a partwise factorization, not a partwise topic model"),
        ("new", "was written by a newer partwise (layout 2, this one reads 1); update."),
        ("text", "is not a partwise topic model file, or it is damaged"),
        ("half", "is not a partwise topic model file, or it is damaged"),
    ]:
        path = tmp_path / f"{name}.partwise"
        refused(warm("search", path, "ship"), sentences)
        refused(warm("clusters", path), sentences)
        refused(warm("transform", path, saved), sentences)
        refused(warm("compare", saved, path), sentences)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["harbor"], "No word of the query 'harbor' is a term of this model; did you mean 'harbour'?"),
        (["qqqq wwww"], "No word of the query 'qqqq wwww' is a term of this model; use others."),
        (["the and of"], "No word of the query"),
        ([""], "No word of the query"),
        ([], "Give either a query"),
        (["ship", "--like", "d00"], "Give either a query"),
        (["--like", "d99"], "There is no document with the id 'd99'; did you mean"),
        (["ship", "-n", 0], "-n must be a whole number of at least 1"),
    ],
)
def test_search_refuses(arguments, sentence, saved, warm):
    """Queries without a known term, and options that make no sense."""
    refused(warm("search", saved, *arguments), sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["transform", "M", "news.csv", "-o", "t.xlsx"], "There is no file type 'xlsx'"),
        (["transform", "M", "news.csv", "--column", "txt"], "did you mean 'text'"),
        (["compare", "M"], "give a second one"),
        (["compare", "news.csv", "news.csv", "news.csv"], "not 3 files"),
        (["compare", "news.csv", "news.txt"], "news.csv is not a partwise topic model file"),
        (["compare", "news.csv", "--algorithms", "acls,hal"], "did you mean 'hals'"),
        (["compare", "news.csv", "-k", 99], "rank must be from 1 to"),
        (["factorize", "news.csv"], "is not a number"),
        (["factorize", "M"], "is not a matrix file"),
        (["factorize", "-"], "Nothing came from stdin"),
        (["clusters", "M", "-o", "M"], "is what is read"),
        (["lsi", "news.csv"], "--output"),
        (["topics", "news.csv", "-o", "-", "--report", "-"], "is named twice"),
        (["ranks", "news.csv", "--plot", "."], "is a folder"),
        (["ranks", "news.csv", "--to", "many"], "valid integer"),
    ],
)
def test_other_verbs_refuse(arguments, sentence, saved, folder, warm):
    """One sentence each."""
    refused(warm(*[saved if a == "M" else a for a in arguments], cwd=folder), sentence)


def test_pipes_and_devices_that_cannot_be_outputs(saved, folder, warm, tmp_path):
    """A checkpoint in a pipe and a result in a socket are refused before anything is read, and both are left alone."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    for verb, path in (("topics", "news.csv"), ("factorize", "nowhere.npz")):
        refused(warm(verb, path, "--checkpoint", tmp_path / "pipe", cwd=folder), "is a pipe, but the checkpoint needs")
        refused(warm(verb, path, "-o", tmp_path / "socket", cwd=folder), "is a socket; give the name of a file")
    refused(warm("report", saved, "-o", tmp_path / "socket"), "is a socket; give the name of a file")
    refused(warm("resume", tmp_path / "pipe"), "is a pipe, but the checkpoint needs")
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "socket"}
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "socket").is_socket()


def test_cells_that_a_spreadsheet_would_run():
    """A text that begins as a formula gets an apostrophe; a number stays one."""
    assert [csv_text(text) for text in ("=cmd|' /C calc'!A0", "@x", "-1.5", "+3", "-a", "plain")] == [
        "'=cmd|' /C calc'!A0", "'@x", "-1.5", "+3", "'-a", "plain"
    ]  # fmt: skip


def test_numbers_with_too_many_digits(warm, tmp_path):
    """5,000 digits in JSON are refused with the line; a zarr array is named as what it is; long arguments are cut."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a b"}\n{"text": ' + "9" * 5000 + "}\n")
    done = warm("topics", path, "-k", "2")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "line 2 is not JSON (a number in it has too many digits)" in done.stderr
    (tmp_path / "x.zarr").mkdir()
    (tmp_path / "x.zarr" / "zarr.json").write_text("{}")
    done = warm("convert", tmp_path / "x.zarr", tmp_path / "m")
    assert "give it to partwise.write_matrix" in done.stderr
    for name in ("x" * 10_000, "x" * 10_000 + ".csv"):
        done = warm("topics", name, "-k", 2, cwd=tmp_path)
        assert done.stderr.endswith("x… is longer than the name of a file can be; check the path.\n")
    done = warm("factorize", "a\nb.npy", "-k", 2, cwd=tmp_path)
    assert done.stderr == "partwise: There is no file a b.npy.\n"
    done = warm("factorize", "x" * 10_000)
    assert done.returncode == 2
    assert len(done.stderr) < 500
