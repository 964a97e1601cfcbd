"""The readers: what is written is read back, in every format, plain and gzipped."""

import csv
import gzip
import io
import json
import sys
import tracemalloc

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Document, read_documents
from partwise.text.readers import FORMATS, delimited, source

# Any text that the formats can hold: no lone surrogates, no NUL (which marks a binary file).
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
ROWS = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12)
COLUMNS = {"column": "body", "title_column": "head", "label_column": "kind"}


def as_csv(rows, delimiter=","):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows([("body", "head", "kind"), *rows])
    return file.getvalue().encode()


def as_tsv(rows):
    return as_csv(rows, "\t")


def as_jsonl(rows):
    return b"".join(json.dumps(dict(zip(("body", "head", "kind"), row, strict=True))).encode() + b"\n" for row in rows)


def as_parquet(rows):
    file = io.BytesIO()
    columns = dict(zip(("body", "head", "kind"), map(list, zip(*rows, strict=True)), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def as_json(rows):
    return json.dumps([dict(zip(("body", "head", "kind"), row, strict=True)) for row in rows]).encode()


WRITERS = {"csv": as_csv, "tsv": as_tsv, "json": as_json, "jsonl": as_jsonl, "parquet": as_parquet}


def write(folder, name, content, packed):
    path = folder / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("format", WRITERS)
@given(rows=ROWS)
def test_tables_are_read_back(tmp_path_factory, format, packed, rows):
    """Every cell comes back as it was, with its row number for an id, quotes and line breaks included."""
    path = write(tmp_path_factory.mktemp("t"), f"x.{format}", WRITERS[format](rows), packed)
    documents = list(read_documents(path, **COLUMNS))
    assert documents == [Document(str(i), *row) for i, row in enumerate(rows, 1)]


def outcome(path):
    """The documents of a table and what is said of them, or the refusal."""
    said = []
    try:
        return list(read_documents(path, column="b", id_column="a", label_column="b", warn=said.append)), said
    except ValueError as error:
        return str(error)


def first_block_alone(self, blocks):
    """No usual row at all: csv reads everything."""
    self.rest = next(iter(blocks))
    yield from ()


@given(
    rows=st.lists(st.sampled_from(["x,y\n", '1,"a ""b"" c"\r\n', '"","d\n\ne"\n', "z\n", "\n"]), max_size=9),
    last=st.text('ab",;\r\n', max_size=12),
    block=st.integers(1, 40),
)
def test_usual_rows_are_those_of_the_csv_module(tmp_path_factory, rows, last, block):
    """Whatever the rows and wherever a block ends: the same documents, remarks, refusals and numbers of lines."""
    path = write(tmp_path_factory.mktemp("t"), "x.csv", ("a,b\n" + "".join(rows) + last).encode(), packed=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        found = outcome(path)
        patch.setattr(delimited._UsualRows, "documents", first_block_alone)
        assert found == outcome(path)


def test_a_long_row_is_left_to_the_csv_module(tmp_path, monkeypatch):
    """And so is what follows it."""
    monkeypatch.setattr(delimited, "LONG", 1 << 18)
    texts = ["short", "word " * 20_000, "and\nlong " * 50_000, "last"]
    path = write(tmp_path, "x.csv", as_csv([(text, "", "") for text in texts]), packed=False)
    assert [document.text for document in read_documents(path, column="body")] == texts


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1), min_size=1, max_size=12))
def test_lines_are_read_back(tmp_path_factory, packed, texts):
    """Every line that is not blank is a document named by its number."""
    path = write(tmp_path_factory.mktemp("t"), "x.txt", "\n".join([*texts, "last"]).encode(), packed)
    expected = [Document(str(i), text) for i, text in enumerate([*texts, "last"], 1) if text.strip()]
    if texts[0].startswith("\ufeff"):
        expected = expected[1:] if not texts[0][1:].strip() else [Document("1", texts[0][1:]), *expected[1:]]
    assert list(read_documents(path)) == expected


@given(texts=st.dictionaries(st.from_regex("[a-z]{1,3}(/[a-z]{1,3}x)?", fullmatch=True), CELL, min_size=1, max_size=8))
def test_folders_are_read_back(tmp_path_factory, texts):
    """Every file below a folder, by its path inside, in sorted order."""
    root = tmp_path_factory.mktemp("t")
    texts = {f"{name}.txt": text for name, text in texts.items()}
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(text.encode())
    (root / ".hidden").write_text("no")
    documents = list(read_documents(root))
    assert [(d.id, d.text) for d in documents] == [(n, t.removeprefix("\ufeff")) for n, t in sorted(texts.items())]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("format", FORMATS)
def test_stdin(monkeypatch, format, packed):
    """The same formats through a pipe that cannot be rewound."""
    rows = [("one\ntwo", "a", "b"), ("three", "c", "d")]
    content = b"one two\nthree\n" if format == "lines" else WRITERS[format](rows)
    content = gzip.compress(content) if packed else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    texts = [d.text for d in read_documents("-", format=format, **({} if format == "lines" else COLUMNS))]
    assert texts == (["one two", "three"] if format == "lines" else ["one\ntwo", "three"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252"])
def test_encodings(tmp_path, encoding):
    """Text in an encoding that is said is read, in files and in folders, byte order mark or not."""
    for name in ("x.txt", "x.csv"):
        (tmp_path / name).write_bytes("text\nnaïve café\nœuf".replace("œ", "ö").encode(encoding))
    assert [d.text for d in read_documents(tmp_path / "x.csv", encoding=encoding)] == ["naïve café", "öuf"]
    assert [d.text for d in read_documents(tmp_path / "x.txt", encoding=encoding)] == ["text", "naïve café", "öuf"]
    assert [d.text for d in read_documents(tmp_path, encoding=encoding)] == ["text\nnaïve café\nöuf"] * 2


def test_mixed_encodings(tmp_path):
    """Several encodings are tried in order, line by line, and what was not in the first is counted."""
    path, warnings = tmp_path / "x.txt", []
    path.write_bytes("schön\n".encode() + "schön\n".encode("latin-1") + "grün".encode("latin-1"))
    texts = [d.text for d in read_documents(path, encoding="utf-8,latin-1", warn=warnings.append)]
    assert texts == ["schön", "schön", "grün"]
    assert warnings == [f"Not utf-8, so read as iso8859-1: 2 times, first {path}, line 2."]


def test_ids_and_default_columns(tmp_path):
    """The text's column is 'text' or the only one; ids come from a column, numbers too, a null one from the row."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "n": 7}\n\n{"text": "b", "n": null}\n{"n": 9.5, "text": 3}\n')
    assert list(read_documents(path, id_column="n")) == [Document("7", "a"), Document("2", "b"), Document("9.5", "3")]
    (tmp_path / "one.csv").write_text("words\nhello\n")
    assert [d.text for d in read_documents(tmp_path / "one.csv")] == ["hello"]
    (tmp_path / "semi.csv").write_text("text;label\n1,5 apples;fruit\n")
    document = next(read_documents(tmp_path / "semi.csv", label_column="label"))
    assert (document.text, document.label) == ("1,5 apples", "fruit")


@pytest.mark.parametrize("format", ["lines", "csv", "jsonl"])
def test_reading_streams(tmp_path, format):
    """The memory that reading takes does not grow with the file."""
    row = "word " * 100
    line = json.dumps({"text": row}) if format == "jsonl" else row
    path = write(tmp_path, f"x.{format}", ("text\n" * (format == "csv") + f"{line}\n" * 8000).encode(), packed=True)
    tracemalloc.start()
    count = sum(1 for _ in read_documents(path, format=format))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 8000
    assert peak < 1_000_000 < 8000 * len(row)


def titles(folder, format, columns, **options):
    """The titles of a table of one row, and what was said."""
    table, path, said = {name: [name.upper()] for name in columns}, folder / f"t.{format}", []
    if format == "parquet":
        pyarrow.parquet.write_table(pyarrow.table(table), path)
    elif format == "csv":
        path.write_text(",".join(columns) + "\n" + ",".join(map(str.upper, columns)) + "\n", encoding="utf-8")
    else:
        row = json.dumps({name: cells[0] for name, cells in table.items()})
        path.write_text(f"[{row}]" if format == "json" else row, encoding="utf-8")
    return [document.title for document in read_documents(path, warn=said.append, **options)], said


@pytest.mark.parametrize("format", ["csv", "json", "jsonl", "parquet"])
def test_the_column_of_titles_can_be_guessed(tmp_path, format):
    """By its name, in any case; not where ids are named, nor the text or the label; what was guessed is said."""
    auto = {"title_column": "auto"}
    shown, said = titles(tmp_path, format, ["id", "Name", "text"], **auto)
    assert shown == ["NAME"]
    assert said == [
        f"Documents are shown by the column 'Name'; --title-column chooses another or none: {tmp_path}/t.{format}."
    ]
    assert titles(tmp_path, format, ["text", "id"], **auto)[0] == ["ID"]
    for columns, options in {
        ("id", "name", "text"): {},
        ("other", "text"): auto,
        ("name", "id", "text"): auto | {"id_column": "id"},
        ("name", "other"): auto | {"column": "name"},
        ("title", "text"): auto | {"label_column": "title"},
    }.items():
        assert titles(tmp_path, format, columns, **options) == ([""], [])
    assert titles(tmp_path, format, ["name", "title", "text"], title_column="name") == (["NAME"], [])


def test_what_is_no_text_is_no_guessed_title(tmp_path):
    """A list in such a column is left out, and refused only in a column that was named."""
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"text": "ship", "name": ["a"]}\n{"text": "sea", "name": "b"}\n{"text": "sky"}\n', encoding="utf-8"
    )
    documents = read_documents(path, title_column="auto", warn=lambda said: None)
    assert [document.title for document in documents] == ["", "b", ""]
    with pytest.raises(ValueError, match="'name' holds a list"):
        list(read_documents(path, title_column="name"))
