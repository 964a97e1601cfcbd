"""Bad input to the readers: one sentence that says where and what to do, or a counted warning; never a traceback."""

import csv
import gzip
import json
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

from partwise.text import read_documents
from partwise.text.readers.source import LIMIT

CSV = b"id,text,Label\n1,hello,a\n2,world,b\n"


def make(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


BAD = [
    ("x.csv", CSV, {"column": "txt"}, r"x.csv has no column 'txt'; did you mean 'text'\?"),
    ("x.csv", CSV, {"label_column": "label"}, r"no column 'label'; did you mean 'Label'\?"),
    ("x.csv", CSV, {"column": "zzz"}, "it has id, text, Label."),
    ("x.csv", b"a,b\n1,2\n", {}, "has the columns a, b; say which one is the text with --column"),
    ("x.csv", b"", {}, "x.csv is empty: a header"),
    ("x.csv", b"text\n", {}, "There is no document in .*x.csv"),
    ("x.csv", b'text,b\n1,2\n"never, closed\n3,4\n', {}, "line 3: a quote that opens in this row is never closed"),
    ("x.csv", b'text,b\n"a"b,2\n', {}, "line 2: .*written twice"),
    (
        "x.csv",
        b"text\nfine\ncaf\xe9\n",
        {"encoding": "utf-8"},
        r"line 3 is not utf-8 \(byte 0xE9\); .*-1",
    ),
    ("x.txt", b"fine\n\ncaf\xe9\n", {"encoding": "utf-8"}, r"line 3 is not utf-8 \(byte 0xE9\)"),
    ("x.txt", b"\x81\n", {"encoding": "cp1252"}, "line 1 is not cp1252"),
    ("x.txt", b"fine\n", {"encoding": "utf8x"}, r"no encoding 'utf8x'; did you mean 'utf-?8'\?"),
    ("x.txt", b"fine\n", {"encoding": "hex"}, "no encoding 'hex'"),
    ("x.txt", b"a\0b", {}, "x.txt holds NUL bytes: it is a binary file"),
    ("x.txt", "hi".encode("utf-16"), {}, "it is UTF-16: say --encoding utf-16"),
    ("x.txt", b"\xff\xfea", {"encoding": "utf-16"}, "after line 0 is not utf-16"),
    ("x.txt", b"\n \n", {}, "There is no document in"),
    ("x.txt", b"fine", {"column": "text"}, "one document a line and no columns; leave 'text' out"),
    ("x.txt", b"fine", {"format": "cvs"}, r"no format 'cvs'; did you mean 'csv'\?"),
    ("x.doc", b"fine", {}, "say what it is with --format, one of lines, csv"),
    ("x.jsonl", b'{"text": "a"}\n{"text": ["b"]}\n', {}, "line 2: the column 'text' holds a list, not a text"),
    ("x.jsonl", b'{"text": {"a": 1}}\n', {}, "line 1: the column 'text' holds a dict"),
    ("x.jsonl", b'{"text": "a"}\n{"text": \n', {}, "line 2 is not JSON"),
    ("x.jsonl", b"[1]\n", {}, "line 1 is not a JSON object but a list"),
    ("x.jsonl", b'{"text":' * 100_000, {}, "line 1 is not JSON"),
    ("x.jsonl", b'{"body": "a", "id": 1}\n', {"column": "bdy"}, r"no column 'bdy'; did you mean 'body'\?"),
    ("x.parquet", b"PAR1 nonsense", {}, "x.parquet cannot be read as Parquet"),
    ("x.parquet", b"", {}, "x.parquet cannot be read as Parquet"),
    ("x.csv.gz", gzip.compress(CSV)[:-12], {}, "x.csv.gz is not a whole gzip file"),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "sentence"),
    BAD,
    ids=[f"{number}-{row[0]}" for number, row in enumerate(BAD)],  # the contents are too long for a name
)
def test_refused_in_a_sentence(tmp_path, name, content, options, sentence):
    """Each is a ValueError of one line."""
    path = make(tmp_path, name, content)
    with pytest.raises(ValueError, match=sentence) as error:
        list(read_documents(path, **options))
    assert "\n" not in str(error.value)
    assert len(str(error.value).replace(str(tmp_path), "")) < 250


@pytest.mark.parametrize("options", [{"column": "txt"}, {"format": "nope"}, {"encoding": "nope"}])
def test_refused_at_once(tmp_path, options):
    """Before the first document is asked for."""
    path = make(tmp_path, "x.csv", CSV)
    with pytest.raises(ValueError, match=r"There is no|has no column"):
        read_documents(path, **options)


def test_missing_file(tmp_path):
    """The nearest name is suggested."""
    make(tmp_path, "articles.csv", CSV)
    with pytest.raises(FileNotFoundError, match=r"no file or folder .*artcles.csv; did you mean .*articles.csv\?"):
        read_documents(tmp_path / "artcles.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no file or folder .*zzz\.$"):
        read_documents(tmp_path / "zzz")


def test_nested_parquet(tmp_path):
    """A column of lists is refused; one of bytes is text."""
    pyarrow.parquet.write_table(pyarrow.table({"text": [["a"], ["b"]], "raw": [b"x", b"y"]}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="row 1: the column 'text' holds a list"):
        read_documents(tmp_path / "x.parquet")
    assert [d.text for d in read_documents(tmp_path / "x.parquet", column="raw")] == ["x", "y"]


def test_nulls_are_counted(tmp_path):
    """A null cell is an empty document, told once for all of them."""
    table = pyarrow.table({"text": ["a", None, None], "id": ["x", "y", None]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n{"text": null}\n{}\n')
    for name in ("x.parquet", "x.jsonl"):
        warnings = []
        assert [d.text for d in read_documents(tmp_path / name, warn=warnings.append)] == ["a", "", ""]
        (sentence,) = warnings
        assert sentence.startswith("No text in the column 'text', so taken as empty: 2 times, first ")
        assert sentence.endswith((", row 2.", ", line 2."))


def test_python_warning_without_a_callback(tmp_path):
    """Nothing is passed over in silence."""
    path = make(tmp_path, "x.csv", b"text,b\na\nb,c,d\ne,f\n")
    with pytest.warns(UserWarning, match="another number of cells than the header: 2 times, first .*line 2"):
        assert [d.text for d in read_documents(path)] == ["a", "b", "e"]


def test_bad_files_in_a_folder(tmp_path):
    """Binary, damaged and unreadable files are left out and counted; a folder of nothing else is refused."""
    make(tmp_path, "b.bin", b"\0\1")
    make(tmp_path, "c.gz", gzip.compress(b"hello" * 100)[:-9])
    with pytest.raises(ValueError, match=r"no document in .* Not text but a binary file, so left out: .*b.bin"):
        read_documents(tmp_path)
    make(tmp_path, "d.gz", gzip.compress(b"hello"))
    warnings = []
    assert [d.id for d in read_documents(tmp_path, warn=warnings.append)] == ["d.gz"]
    assert len(warnings) == 2
    with pytest.raises(ValueError, match="is a folder; a format is for a single file"):
        read_documents(tmp_path, format="csv")
    make(tmp_path, "e.txt", b"one\ntwo\nthr\xe9e")
    with pytest.raises(ValueError, match=r"e.txt, line 3 is not utf-8"):
        list(read_documents(tmp_path, encoding="utf-8", warn=warnings.append))
    assert [d.text[-5:] for d in read_documents(tmp_path, warn=warnings.append)] == ["hello", "thrée"]
    assert f"Not utf-8, so read as iso8859-1: {tmp_path / 'e.txt'}, line 1." in warnings


def test_a_line_without_end(tmp_path):
    """A line of more than the limit is left out and counted, or, in a table, refused; the next one is read."""
    long = b"x" * (LIMIT + 10)
    warnings = []
    documents = list(read_documents(make(tmp_path, "x.txt", b"a\n" + long + b"\nb\n"), warn=warnings.append))
    assert [(d.id, d.text) for d in documents] == [("1", "a"), ("3", "b")]
    assert warnings == [f"Longer than 32 MB, so left out: {tmp_path / 'x.txt'}, line 2."]
    jsonl = make(tmp_path, "x.jsonl", b'{"text":"a"}\n{"text":"' + long + b'"}\n{"text":"b"}')
    assert [d.text for d in read_documents(jsonl, warn=warnings.append)] == ["a", "b"]
    with pytest.raises(ValueError, match="line 2 is longer than 32 MB"):
        list(read_documents(make(tmp_path, "x.csv", b"text\n" + long)))


def test_cells_beyond_the_csv_module_s_own_limit(tmp_path):
    """The csv module stops at 131,072 characters unless told otherwise."""
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], ["long " * 100_000]])
    assert len(next(read_documents(path)).text) == 500_000


def test_lone_surrogates(tmp_path):
    """JSON can spell half a character; it is replaced, so that it can be written again."""
    path = make(tmp_path, "x.jsonl", json.dumps({"text": "a\ud800b", "id": "\U0001f600"}).encode())
    (document,) = read_documents(path, id_column="id")
    assert (document.text, document.id) == ("a\ufffdb", "\U0001f600")


def test_parquet_and_stems_without_their_packages():
    """The sentence says what to install."""
    code = (
        "import sys; sys.modules['pyarrow'] = sys.modules['snowballstemmer'] = None\n"
        "from partwise.text import Weighting, read_documents\n"
        "import tempfile\n"
        "file = tempfile.NamedTemporaryFile(suffix='.parquet')\n"
        "for call in (lambda: read_documents(file.name), lambda: Weighting(stem='english')):\n"
        "    try: call()\n"
        "    except ValueError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("pip install 'partwise[text]'") == 2
