"""Matrices from files: what was written is read back; what cannot be read gets a sentence."""

import gzip

import numpy as np
import pandas
import pytest
import scipy.io
import scipy.sparse as sp

from partwise.io.read_matrix import read_matrix

A = np.array([[0.0, 1.5, 0], [2, 0, 3]])
NAMES = [
    "a.npz",
    "a.dense.npz",
    "a.npy",
    "a.mtx",
    "a.parquet",
    "a.csv",
    "a.tsv",
    "a.csv.gz",
    "a.tsv.gz",
    "a.gct",
    "a.gct.gz",
]


def written(path):
    """Write A in the format that the name asks for."""
    kind = path.name.split(".", 1)[1]
    if kind == "npz":
        sp.save_npz(path, sp.csc_matrix(A))
    elif kind == "dense.npz":
        np.savez(path, anything=A)
    elif kind == "npy":
        np.save(path, A)
    elif kind == "parquet":
        pandas.DataFrame(A, columns=["x", "y", "z"]).to_parquet(path)
    elif kind == "mtx":
        scipy.io.mmwrite(path, sp.coo_matrix(A))
    else:
        cut = "\t" if "tsv" in kind else ","
        text = "\n".join(cut.join(map(str, row)) for row in A) + "\n"
        if "gct" in kind:
            text = "#1.2\n2\t3\nName\tDescription\ts1\ts2\ts3\ng1\tone\t0\t1.5\t0\ng2\ttwo\t2\t0\t3\n"
        path.write_bytes(gzip.compress(text.encode())) if kind.endswith("gz") else path.write_text(text)


@pytest.mark.parametrize("name", NAMES)
def test_written_and_read_back(name, tmp_path):
    """Every format gives the numbers that were written, sparse ones stay sparse."""
    written(tmp_path / name)
    matrix_read = read_matrix(tmp_path / name)
    assert sp.issparse(matrix_read) == (name in ("a.npz", "a.mtx"))
    np.testing.assert_array_equal(matrix_read.toarray() if sp.issparse(matrix_read) else matrix_read, A)


def test_names_are_skipped(tmp_path):
    """A header row and a first column of names are left out."""
    (tmp_path / "a.csv").write_text("term,d1,d2\nalpha,1,2\nbeta,3,4\n")
    np.testing.assert_array_equal(read_matrix(tmp_path / "a.csv"), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.csv", "", "empty"),
        ("a.csv", "1,2\n3\n", "line 2 has 1 cells"),
        ("a.csv", "1,2\n3,x\n", "line 2 holds 'x'"),
        ("a.gct", "#1.2\n2\t1\nName\tDescription\ts1\ng1\tone\t1\n", "ends after 1 of 2 genes"),
        ("a.npz", "rubbish", "cannot be read as a npz"),
        ("a.npy", "rubbish", "cannot be read as a npy"),
        ("a.mtx", "rubbish", "cannot be read as a mtx"),
        ("a.parquet", "rubbish", "cannot be read as a parquet"),
        ("a.doc", "1", "not a matrix file"),
    ],
)
def test_unreadable_files_get_a_sentence(name, text, sentence, tmp_path):
    """The sentence names the file and, where there is one, the line."""
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_matrix(tmp_path / name)


def test_objects_are_not_loaded(tmp_path):
    """An npy file with Python objects is refused: loading never runs code."""
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="cannot be read"):
        read_matrix(tmp_path / "a.npy")


def test_parquet_must_hold_numbers(tmp_path):
    """Words are told with their column, empty cells are NaN; a first column of names is skipped."""
    pandas.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="'y' holds"):
        read_matrix(tmp_path / "a.parquet")
    pandas.DataFrame({"x": [1, None]}).to_parquet(tmp_path / "c.parquet")
    np.testing.assert_array_equal(read_matrix(tmp_path / "c.parquet"), [[1], [np.nan]])
    (tmp_path / "d.csv").write_text("name,x,y\na,1,\nb,NA,4\n")
    np.testing.assert_array_equal(read_matrix(tmp_path / "d.csv"), [[1, np.nan], [np.nan, 4]])
    pandas.DataFrame({"term": ["a", "b"], "x": [1, 2]}).to_parquet(tmp_path / "b.parquet")
    np.testing.assert_array_equal(read_matrix(tmp_path / "b.parquet"), [[1], [2]])
