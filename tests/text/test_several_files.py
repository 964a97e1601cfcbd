"""Patterns of files, zip files and arrays of JSON as sources."""

import json
import zipfile

import pytest

from partwise.text import TextFiles, read_documents


def ids_and_texts(path, **options):
    return [(document.id, document.text) for document in read_documents(path, **options)]


def test_a_pattern_of_files(tmp_path):
    """Tables one after the other with ids that count through; other files as in a folder."""
    (tmp_path / "a.csv").write_text("text,n\none,x\ntwo,y\n")
    (tmp_path / "b.csv").write_text("n,text\nz,three\n")
    (tmp_path / "c.txt").write_text("four\nfive\n")
    assert ids_and_texts(tmp_path / "*.csv") == [("1", "one"), ("2", "two"), ("3", "three")]
    assert ids_and_texts(tmp_path / "*.csv", id_column="n") == [("x", "one"), ("y", "two"), ("z", "three")]
    assert ids_and_texts(tmp_path / "*.txt") == [((tmp_path / "c.txt").as_posix(), "four\nfive\n")]
    assert [text for _, text in ids_and_texts(tmp_path / "*.txt", format="lines")] == ["four", "five"]
    assert len(TextFiles(tmp_path / "*.csv").mark.split(", ")) == 3
    with pytest.raises(FileNotFoundError, match=r"No file matches .*\*\.tsv"):
        read_documents(tmp_path / "*.tsv")
    with pytest.raises(ValueError, match="holds texts without columns; leave 'text' out"):
        read_documents(tmp_path / "*.txt", column="text")


def test_a_zip_file(tmp_path):
    """Of texts, of a table, and what is none."""
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for name, text in {"b/two.txt": "two", "a.txt": "caf\xe9", "__MACOSX/._a.txt": "no", ".hidden": "no"}.items():
            archive.writestr(name, text.encode("latin-1"))
        archive.writestr("c.bin", b"\0\1")
    said = []
    assert ids_and_texts(tmp_path / "texts.zip", warn=said.append) == [("a.txt", "café"), ("b/two.txt", "two")]
    assert [sentence.split(":")[0] for sentence in said] == [
        "Not utf-8, so read as iso8859-1",
        "Not text but a binary file, so left out",
    ]
    with zipfile.ZipFile(tmp_path / "table.csv.zip", "w") as archive:
        archive.writestr("table.csv", "text,label\none,x\n")
    assert ids_and_texts(tmp_path / "table.csv.zip", label_column="label") == [("1", "one")]
    (tmp_path / "no.zip").write_text("no")
    with pytest.raises(ValueError, match="not a zip file, though its name says so"):
        read_documents(tmp_path / "no.zip")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_among_others(encoding, tmp_path):
    """It is read and noted by its mark, as Windows writes it; what only begins so is left out, and so is UTF-32."""
    mark = "\ufeff".encode(encoding)
    (tmp_path / "a.txt").write_bytes(mark + "Öl und Käse".encode(encoding))
    (tmp_path / "b.txt").write_bytes("Käse".encode())
    (tmp_path / "c.bin").write_bytes(mark + "\ud800 \0".encode(encoding, "surrogatepass"))
    (tmp_path / "d.bin").write_bytes("\ufeffnein".encode("utf-32-le"))
    said = []
    texts = [("a.txt", "Öl und Käse"), ("b.txt", "Käse")]
    assert ids_and_texts(tmp_path, warn=said.append) == texts
    assert [sentence.split(":")[0] for sentence in said] == [
        "Not utf-8, so read as utf-16",
        "Not text but a binary file, so left out",
    ]
    assert "2 times" in said[1]
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        for name, _ in texts:
            archive.write(tmp_path / name, name)
    assert ids_and_texts(tmp_path / "texts.zip", warn=said.append) == texts


def test_an_array_of_json(tmp_path):
    """Of objects or of texts; anything else is refused in a sentence."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"text": "one", "id": 7}, {"text": "two"}]))
    assert ids_and_texts(path, id_column="id") == [("7", "one"), ("2", "two")]
    path.write_text(json.dumps(["one", "two"]))
    assert ids_and_texts(path) == [("1", "one"), ("2", "two")]
    for content, options, sentence in [
        ('{"text": "one"}\n{"text": "two"}', {}, "say --format jsonl"),
        ('{"text": "one"}', {}, "no JSON array but a dict"),
        ('["one", 2]', {}, "entry 1 is a str, not an object"),
        ('["one"]', {"column": "text"}, "array of texts and has no columns"),
        ("[]", {}, "There is no document"),
    ]:
        path.write_text(content)
        with pytest.raises(ValueError, match=sentence):
            list(read_documents(path, **options))
