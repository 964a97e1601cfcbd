"""The SMART reader on small files, damaged files and the real collections."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.datasets import (
    DataNotFound,
    JudgedCollection,
    SmartRecord,
    find,
    load_cisi,
    load_medlars,
    read_judgements,
    read_smart_collection,
    read_smart_records,
)

DOCUMENTS = """\
.I 1
.T
18 Editions of the
Dewey Classification
.A
Comaromi, J.P.
.A \nDewey, M.
Caf\xe9, A.
.B
1970
.W
   The present study is a history.   \nIt costs
.50 dollars.
.K
catalogues
.X
1\t5\t1
.I 4
.W  \nsecond document
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    return path


def test_sections_become_fields_and_the_others_are_left_out(tmp_path: Path) -> None:
    assert list(read_smart_records(write(tmp_path, "TOY.ALL", DOCUMENTS))) == [
        SmartRecord(
            id=1,
            title="18 Editions of the Dewey Classification",
            author="Comaromi, J.P.; Dewey, M.; Café, A.",
            text="The present study is a history.\nIt costs\n.50 dollars.",
        ),
        SmartRecord(id=4, text="second document"),
    ]


def test_records_are_given_one_by_one(tmp_path: Path) -> None:
    """The first record is there before the damage further down is met."""
    records = read_smart_records(write(tmp_path, "TOY.ALL", ".I 1\n.W\nfirst\n.I 2\n.W\nsecond\n.I three\n"))
    assert next(records).text == "first"
    assert next(records).text == "second"
    with pytest.raises(ValueError, match="line 7"):
        next(records)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "the file holds no '.I <number>' record."),
        ("\n\n", 1, "the file holds no '.I <number>' record."),
        ("\nwords\n.I 1\n.W\na\n", 2, "expected '.I <number>' before anything else."),
        (".W\nwords\n", 1, "expected '.I <number>' before anything else."),
        (".I 1\n.W\na\n.I\n.W\nb\n", 4, "expected a record number after '.I', found ''."),
        (".I one\n.W\na\n", 1, "expected a record number after '.I', found 'one'."),
        (".I 0\n.W\na\n", 1, "expected a record number after '.I', found '0'."),
        (".I 1\n.W\na\n.I 1\n.W\nb\n", 4, "record 1 appears a second time."),
        (".I 1\nwords\n", 2, "expected a marker such as '.W' after '.I 1'."),
        (".I 1\n.I 2\n.W\na\n", 1, "record 1 has no sections; the file may be cut off here."),
        (".I 1\n.W\na\n.I 2\n", 4, "record 2 has no sections; the file may be cut off here."),
    ],
)
def test_a_damaged_file_names_its_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    path = write(tmp_path, "TOY.ALL", text)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        list(read_smart_records(path))
    assert str(caught.value) == f"{path}, line {line}: {sentence}"


WORDS = st.lists(st.text("abc.,;\xe9", min_size=1, max_size=8), max_size=6).map(" ".join)
FIELDS = st.tuples(WORDS, WORDS, WORDS)


@given(st.dictionaries(st.integers(1, 10**6), FIELDS, min_size=1, max_size=5))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, records: dict[int, tuple[str, str, str]]
) -> None:
    text = "".join(f".I {id}\n.T\n{t}\n.A\n{a}\n.W\n{w}\n" for id, (t, a, w) in records.items())
    path = write(tmp_path_factory.mktemp("smart"), "TOY.ALL", text)
    assert list(read_smart_records(path)) == [SmartRecord(id, *fields) for id, fields in records.items()]


@pytest.mark.parametrize(
    "rows",
    ["1 0 13 1\n1 0 14 1\n\n3 0 2 1\n3 0 9 0\n", "     1     13\t0\t0.000000\n1 14 0 0.000000\n3 2 0 0.0\n"],
    ids=["qrels", "old"],
)
def test_both_layouts_of_the_judgements_say_the_same(tmp_path: Path, rows: str) -> None:
    judgements = read_judgements(write(tmp_path, "TOY.REL", rows))
    assert judgements == {1: frozenset({13, 14}), 3: frozenset({2})}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1 0 13", "expected 'query 0 document 1' or 'query document 0 0.000000'."),
        ("1 7 13 1", "expected 'query 0 document 1' or 'query document 0 0.000000'."),
        ("x 0 13 1", "expected a query number, found 'x'."),
        ("1 0 -3 1", "expected a document number, found '-3'."),
        ("1 0 0 1", "expected a document number, found '0'."),
        ("1 2.5 0 0.0", "expected a document number, found '2.5'."),
    ],
)
def test_a_damaged_judgement_names_its_line(tmp_path: Path, row: str, sentence: str) -> None:
    path = write(tmp_path, "TOY.REL", f"1 0 12 1\n{row}\n")
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        read_judgements(path)
    assert str(caught.value) == f"{path}, line 2: {sentence}"


@pytest.mark.parametrize(("row", "unknown"), [("2 0 1 1", "query 2"), ("1 0 9 1", "document 9")])
def test_a_judgement_of_an_unknown_record_is_refused(tmp_path: Path, row: str, unknown: str) -> None:
    documents = write(tmp_path, "TOY.ALL", DOCUMENTS)
    queries = write(tmp_path, "TOY.QRY", ".I 1\n.W\nhistory\n")
    good = read_smart_collection(documents, queries, write(tmp_path, "TOY.REL", "1 0 4 1\n"))
    assert good.judgements == {1: frozenset({4})}
    with pytest.raises(ValueError, match=f"TOY.REL: {unknown} is judged but is not in the collection"):
        read_smart_collection(documents, queries, write(tmp_path, "TOY.REL", f"{row}\n"))


def test_the_loaders_take_a_folder(tmp_path: Path) -> None:
    (tmp_path / "medlars").mkdir()
    write(tmp_path / "medlars", "MED.ALL", ".I 1\n.W\nlens\n")
    write(tmp_path / "medlars", "MED.QRY", ".I 1\n.W\nthe lens\n")
    write(tmp_path / "medlars", "MED.REL", "1 0 1 1\n")
    toy = JudgedCollection((SmartRecord(1, text="lens"),), (SmartRecord(1, text="the lens"),), {1: frozenset({1})})
    assert load_medlars(tmp_path) == toy


Loaded = TypeVar("Loaded")


def real(load: Callable[[], Loaded]) -> Loaded:
    """What `load` gives; the test is skipped where the real files are not."""
    try:
        return load()
    except DataNotFound as missing:
        pytest.skip(str(missing))


def tokens(documents: tuple[SmartRecord, ...]) -> int:
    return sum(len(document.text.split()) for document in documents)


def test_medlars_has_its_published_counts() -> None:
    medlars = real(load_medlars)
    assert [document.id for document in medlars.documents] == list(range(1, 1034))
    assert [query.id for query in medlars.queries] == list(range(1, 31))
    assert (len(medlars.judgements), sum(map(len, medlars.judgements.values()))) == (30, 696)
    assert tokens(medlars.documents) == 158_826
    assert all(document.text and not document.title for document in medlars.documents)


def test_the_two_judgement_files_of_medlars_agree() -> None:
    medlars = real(load_medlars)
    assert real(lambda: read_judgements(find("medlars", "MED.REL.OLD"))) == medlars.judgements


def test_cisi_has_its_published_counts() -> None:
    cisi = real(load_cisi)
    assert [document.id for document in cisi.documents] == list(range(1, 1461))
    assert [query.id for query in cisi.queries] == list(range(1, 113))
    assert sum(bool(query.title and query.author) for query in cisi.queries) == 55
    assert (len(cisi.judgements), sum(map(len, cisi.judgements.values()))) == (76, 3114)
    assert tokens(cisi.documents) == 174_004
    assert all(document.text and document.title and document.author for document in cisi.documents)
