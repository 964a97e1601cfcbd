"""The Reuters-21578 reader on small files, damaged files and the real collection."""

import io
import tarfile
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.datasets import TOP_TEN, Article, DataNotFound, load_reuters, locate, read_reuters, reuters, reuters10

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
COCOA = """\
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">
<DATE> 6-FEB-1987 15:01:02.79&#9;&#9;&#9;RM</DATE>
<TOPICS><D>cocoa</D><D>money-fx</D><D>cocoa</D></TOPICS>
<PLACES><D>el-salvador</D></PLACES>
<PEOPLE><D>kohl</D></PEOPLE>
<ORGS><D>ec</D></ORGS>
<EXCHANGES><D>nyse</D></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN> \n&#5;&#5;&#5;C T
&#22;&#22;&#1;f0704&#31;reute</UNKNOWN>
<TEXT>&#2;
<TITLE>BAHIA COCOA\n REVIEW &lt;BCR></TITLE>
<DATELINE>    SALVADOR, Feb 26 - </DATELINE><BODY>Showers &amp; sun in AT&amp;T country,
m\xfcnster &amp;lt; p&#127;aid 5 &gt; 4 &unknown; &#65;.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
"""
UNPROCESSED = """\
<REUTERS TOPICS="NO" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="7" NEWID="2">
<DATE>31-MAR-1987 605:12:19.12</DATE>
<TOPICS></TOPICS>
<TEXT TYPE="UNPROC">&#2;
FED REPORT
  Net free reserves..644
&#3;
</TEXT>
</REUTERS>
"""
BRIEF = """\
<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="8" NEWID="3">
<DATE>unknown</DATE>
<TOPICS><D>earn</D></TOPICS>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>PROFIT UP
</TITLE>Blah blah blah.
&#3;
</TEXT>
</REUTERS>
"""


def folder(path: Path, **files: str) -> Path:
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.sgm").write_bytes(text.encode("latin-1"))
    return path


def archive(path: Path, **files: str) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, text in {
            "readme.txt": "not an article",
            **{f"{n}.sgm": t for n, t in files.items()},
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode("latin-1"))
            tar.addfile(info, io.BytesIO(text.encode("latin-1")))
    return path


def test_every_field_of_an_article_is_read(tmp_path: Path) -> None:
    (cocoa,) = read_reuters(folder(tmp_path, a=HEAD + COCOA))
    assert cocoa == Article(
        id=1,
        old_id=5544,
        topics_attribute="YES",
        lewis_split="TRAIN",
        cgi_split="TRAINING-SET",
        date=datetime(1987, 2, 6, 15, 1, 2),
        topics=("cocoa", "money-fx"),
        places=("el-salvador",),
        people=("kohl",),
        orgs=("ec",),
        exchanges=("nyse",),
        title="BAHIA COCOA REVIEW <BCR>",
        dateline="SALVADOR, Feb 26 -",
        body="Showers & sun in AT&T country,\nmünster &lt; paid 5 > 4 &unknown; A.\n Reuter",
        unprocessed="",
    )
    assert cocoa.text == f"{cocoa.title}\n{cocoa.body}"


def test_articles_without_a_body(tmp_path: Path) -> None:
    fed, profit = read_reuters(folder(tmp_path, a=HEAD + UNPROCESSED + BRIEF))
    assert (fed.title, fed.body, fed.text) == ("", "", "FED REPORT\n  Net free reserves..644")
    assert (profit.title, profit.body, profit.text) == ("PROFIT UP", "", "PROFIT UP")


def test_a_strange_date_keeps_what_can_be_read(tmp_path: Path) -> None:
    impossible = COCOA.replace(" 6-FEB", "31-FEB")
    articles = read_reuters(folder(tmp_path, a=UNPROCESSED + BRIEF + impossible))
    assert [article.date for article in articles] == [datetime(1987, 3, 31), None, None]


def test_archive_and_folder_give_the_same_articles(tmp_path: Path) -> None:
    files = {"a": HEAD + COCOA, "b": (HEAD + UNPROCESSED + BRIEF).replace("\n", "\r\n")}
    packed = list(read_reuters(archive(tmp_path / "toy.tar.gz", **files)))
    assert packed == list(read_reuters(folder(tmp_path / "toy", **files)))
    assert [article.id for article in packed] == [1, 2, 3]
    assert packed[1].text == "FED REPORT\n  Net free reserves..644"


def test_load_sorts_by_id_and_prefers_the_archive(tmp_path: Path) -> None:
    place = folder(tmp_path / "reuters-21578", **{"reut2-000": BRIEF + COCOA})
    assert [article.id for article in load_reuters(data=tmp_path)] == [1, 3]
    archive(place / "reuters21578.tar.gz", a=BRIEF + UNPROCESSED)
    assert [article.id for article in load_reuters(data=tmp_path)] == [2, 3]
    assert [article.id for article in load_reuters(place)] == [1, 3]


def test_nothing_anywhere_asks_for_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (locate, reuters):
        monkeypatch.setattr(module, "roots", lambda data: iter([tmp_path]))
    with pytest.raises(DataNotFound, match=r"put reuters21578\.tar\.gz in "):
        load_reuters()


@pytest.mark.parametrize(
    ("topics", "lewis", "expected"),
    [
        ("YES", "TRAIN", "train"),
        ("YES", "TEST", "test"),
        ("YES", "NOT-USED", "unused"),
        ("NO", "TRAIN", "unused"),
        ("BYPASS", "TEST", "unused"),
    ],
)
def test_the_modapte_split(tmp_path: Path, topics: str, lewis: str, expected: str) -> None:
    text = COCOA.replace('TOPICS="YES" LEWISSPLIT="TRAIN"', f'TOPICS="{topics}" LEWISSPLIT="{lewis}"')
    (article,) = read_reuters(folder(tmp_path, a=text))
    assert article.split == expected


def test_reuters10_selects_by_split_and_topic(tmp_path: Path) -> None:
    other = COCOA.replace("money-fx", "coffee").replace('NEWID="1"', 'NEWID="4"')
    articles = list(read_reuters(folder(tmp_path, a=COCOA + UNPROCESSED + BRIEF + other)))
    assert [article.id for article in reuters10(articles)] == [1]
    assert [article.id for article in reuters10(articles, "test")] == [3]
    assert [article.id for article in reuters10(articles, "both")] == [1, 3]
    with pytest.raises(ValueError, match="choose 'train', 'test' or 'both'"):
        reuters10(articles, "all")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD, 1, "the file holds no <REUTERS> record."),
        (HEAD + COCOA.replace("</REUTERS>", "") + BRIEF, 2, "the record is not closed by </REUTERS>."),
        (HEAD + BRIEF + COCOA[:-40], 11, "the record is not closed by </REUTERS>."),
        (HEAD + BRIEF + COCOA.replace("</BODY>", ""), 11, "<BODY> is not closed by </BODY>."),
        (COCOA.replace(' NEWID="1"', ""), 1, "the record has no number in NEWID."),
        (COCOA.replace("5544", "x"), 1, "the record has no number in OLDID."),
    ],
)
def test_a_damaged_file_names_its_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        list(read_reuters(folder(tmp_path, a=text)))
    assert str(caught.value) == f"{tmp_path / 'a.sgm'}, line {line}: {sentence}"


def test_damage_inside_an_archive_names_the_member(tmp_path: Path) -> None:
    path = archive(tmp_path / "toy.tar.gz", a=COCOA, b=HEAD)
    with pytest.raises(ValueError, match=r"toy\.tar\.gz:b\.sgm, line 1: "):
        list(read_reuters(path))


@pytest.mark.parametrize("kept", [0.0, 0.02, 0.5, 0.9])
def test_a_cut_archive_is_refused(tmp_path: Path, kept: float) -> None:
    path = archive(tmp_path / "toy.tar.gz", a=COCOA, b=BRIEF)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(ValueError, match="is not a whole tar archive"):
        list(read_reuters(path))


def test_a_place_without_sgm_files_is_refused(tmp_path: Path) -> None:
    for path in (folder(tmp_path / "empty"), archive(tmp_path / "toy.tar.gz")):
        with pytest.raises(ValueError, match=r"holds no \.sgm file"):
            list(read_reuters(path))


@given(st.text("<>&;#lt a\xe9", max_size=30))
def test_escaped_text_comes_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    record = BRIEF.replace("PROFIT UP", escaped)
    (article,) = read_reuters(folder(tmp_path_factory.mktemp("sgm"), a=record))
    assert article.title == " ".join(text.split())


def test_the_collection_has_its_published_counts(articles: tuple[Article, ...]) -> None:
    assert [article.id for article in articles] == list(range(1, 21_579))
    assert sum(bool(article.body) for article in articles) == 19_043
    assert all(article.date and article.date.year == 1987 for article in articles)
    assert Counter(article.split for article in articles) == {"train": 9603, "test": 3299, "unused": 8676}


def test_the_categories_have_their_published_counts(articles: tuple[Article, ...]) -> None:
    train, test = ([article for article in articles if article.split == part] for part in ("train", "test"))
    in_train, in_test = (Counter(t for article in part for t in article.topics) for part in (train, test))
    assert [sum(bool(article.topics) for article in part) for part in (train, test)] == [7775, 3019]
    assert (len(in_train), len(in_test)) == (115, 93)
    shared = in_train.keys() & in_test.keys()
    assert len(shared) == 90
    assert [sum(not shared.isdisjoint(a.topics) for a in part) for part in (train, test)] == [7770, 3019]
    assert tuple(topic for topic, _ in in_train.most_common(10)) == TOP_TEN
    assert [in_train[t] for t in TOP_TEN] == [2877, 1650, 538, 433, 389, 369, 347, 212, 197, 181]
    assert [in_test[t] for t in TOP_TEN] == [1087, 719, 179, 149, 189, 117, 131, 71, 89, 56]


def test_reuters10_has_its_published_counts(articles: tuple[Article, ...]) -> None:
    assert (len(reuters10(articles)), len(reuters10(articles, "both"))) == (6490, 9035)


def test_no_entity_or_control_character_is_left(articles: tuple[Article, ...]) -> None:
    texts = [article.text for article in articles]
    assert not any("&lt;" in text or "&#" in text for text in texts)
    assert {c for text in texts for c in set(text) if not c.isprintable()} <= {"\n", "\t"}
