"""The readers of GCT expression and MovieLens on small files, damaged ones, and the real collections."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from partwise.datasets import DataNotFound, load_golub, load_movielens, read_gct, read_movielens, read_samples

GCT = "#1.2\n2\t3\nName\tDescription\ta\tb\tc\nG1\tgene one\t1\t2\t3\nG2\tgene two\t4.5\t0\t20\n"
SAMPLES = "sample\tclass\tsubtype\nb\tAML\tAML\na\tALL\tALL-B\nc\tALL\tALL-T\n"


def golub(folder: Path, gct: str = GCT, samples: str = SAMPLES) -> Path:
    place = folder / "golub-leukemia"
    place.mkdir(exist_ok=True)
    (place / "ALL_AML_5000x38.gct").write_text(gct, encoding="latin-1")
    (place / "samples.tsv").write_text(samples, encoding="utf-8")
    return folder


def test_expression_has_its_samples_in_the_order_of_the_columns(tmp_path: Path) -> None:
    expression = load_golub(golub(tmp_path))
    np.testing.assert_array_equal(expression.values, [[1, 2, 3], [4.5, 0, 20]])
    assert (expression.genes, expression.descriptions) == (("G1", "G2"), ("gene one", "gene two"))
    assert (expression.classes, expression.subtypes) == (("ALL", "AML", "ALL"), ("ALL-B", "AML", "ALL-T"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected '#1.2'."),
        ("#1.3\n", "line 1: expected '#1.2'."),
        ("#1.2\ntwo three\n", "line 2: expected the numbers of genes and samples."),
        ("#1.2\n2\t2\nName\tDescription\ta\n", "line 3: expected Name, Description and the names of 2 samples."),
        (GCT.rsplit("\n", 2)[0], "line 4: the file ends after 1 of 2 genes."),
        (GCT.replace("\t20", ""), "line 5: expected 5 cells, found 4."),
        (GCT.replace("4.5", "much"), "line 5: could not convert string to float: 'much'."),
    ],
)
def test_a_damaged_expression_file_names_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "toy.gct"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        read_gct(path)
    assert str(caught.value) == f"{path}, {sentence}"


def test_a_damaged_table_of_samples_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "samples.tsv"
    path.write_text("name\tclass\n")
    with pytest.raises(ValueError, match="line 1: expected the header sample, class, subtype"):
        read_samples(path)
    path.write_text(SAMPLES + "d\tALL\n")
    with pytest.raises(ValueError, match="line 5: expected 3 cells, found 2"):
        read_samples(path)
    with pytest.raises(ValueError, match="the sample a of the expression file is missing"):
        load_golub(golub(tmp_path, samples="sample\tclass\tsubtype\nb\tAML\tAML\n"))


DATA = b"1\t2\t5\t881250949\n2\t1\t3\t881250950\n2\t2\t1\t881250951\n"
ITEM = "1|Toy Story (1995)|01-Jan-1995||x|0\n2|Café (1996)|||x|1\n".encode("latin-1")


def test_ratings_are_items_by_users() -> None:
    ratings = read_movielens(DATA, ITEM)
    np.testing.assert_array_equal(ratings.matrix().toarray(), [[0, 3], [5, 1]])
    np.testing.assert_array_equal(ratings.matrix(np.array([True, False, True])).toarray(), [[0, 0], [5, 1]])
    assert ratings.titles == ("Toy Story (1995)", "Café (1996)")


@pytest.mark.parametrize("form", ["plain", "zip", "folder"])
def test_every_form_of_the_ratings_is_found(tmp_path: Path, form: str) -> None:
    place = tmp_path / "movielens-100k"
    place.mkdir()
    if form == "zip":
        with zipfile.ZipFile(place / "ml-100k.zip", "w") as archive:
            archive.writestr("ml-100k/u.data", DATA)
            archive.writestr("ml-100k/u.item", ITEM)
    else:
        inner = place / "ml-100k" if form == "folder" else place
        inner.mkdir(exist_ok=True)
        (inner / "u.data").write_bytes(DATA)
        (inner / "u.item").write_bytes(ITEM)
    assert load_movielens(tmp_path).matrix().nnz == 3


@pytest.mark.parametrize(
    ("data", "item", "sentence"),
    [
        (b"", ITEM, "u.data, line 1: the file holds no rating."),
        (DATA + b"1\t2\n", ITEM, "u.data, line 4: expected user, item, rating and time"),
        (DATA + b"1\t2\tx\t9\n", ITEM, "u.data, line 4: expected user, item, rating and time"),
        (DATA + b"1\t3\t5\t9\n", ITEM, "u.data, line 4: user 1, item 3, rating 5 is out of range."),
        (DATA + b"1\t2\t6\t9\n", ITEM, "u.data, line 4: user 1, item 2, rating 6 is out of range."),
        (DATA, ITEM + b"4|gap\n", "u.item, line 3: expected '3|title|…'."),
    ],
)
def test_damaged_ratings_name_their_line(data: bytes, item: bytes, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        read_movielens(data, item)
    assert str(caught.value).startswith(sentence)


def test_the_real_files() -> None:
    try:
        genes, ratings = load_golub(), load_movielens()
    except DataNotFound as missing:
        pytest.skip(str(missing))
    assert genes.values.shape == (5000, 38)
    assert (genes.values.min(), genes.values.max()) == (20, 61225)
    assert [genes.subtypes.count(s) for s in ("ALL-B-cell", "ALL-T-cell", "AML")] == [19, 8, 11]
    assert (ratings.shape, len(ratings.stars)) == ((1682, 943), 100_000)
    assert np.bincount(ratings.stars.astype(int))[1:].tolist() == [6110, 11370, 27145, 34174, 21201]
