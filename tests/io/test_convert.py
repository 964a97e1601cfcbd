"""Matrix files to matrices on disk, as streams."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import partwise as pw
from partwise.io.convert import _Mapped, convert
from partwise.io.read_matrix import read_matrix
from partwise.testing import check_data


def matrix(rows=90, columns=400):
    """A sparse matrix with empty rows and columns."""
    return sp.random_array((rows, columns), density=0.03, rng=np.random.default_rng(1), format="csr")


def write(path, matrix):
    """A file in the format of its name."""
    name = path.name
    if name.endswith(".mtx"):
        scipy.io.mmwrite(path, matrix)
    elif name.endswith(".mtx.gz"):
        with gzip.open(path, "wb") as file:
            scipy.io.mmwrite(file, matrix)
    elif name.endswith(".npz"):
        sp.save_npz(path, matrix)
    elif name.endswith(".npy"):
        np.save(path, matrix.toarray())
    else:
        table = pytest.importorskip("pyarrow")
        coo = matrix.tocoo()
        columns = {"row": coo.row, "column": coo.col, "value": coo.data}
        pytest.importorskip("pyarrow.parquet").write_table(table.table(columns), path)
    return path


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz", "a.npz", "a.npy", "a.parquet"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("shape", [(90, 400), (400, 90)])
def test_every_format_comes_out_as_it_went_in(tmp_path, monkeypatch, name, form, shape):
    """Parts along the longer axis, whatever the order in the file."""
    monkeypatch.setattr("partwise.io.convert.PART_BYTES", 3000)
    monkeypatch.setattr("partwise.io.triplets.CHUNK", 97)
    original = matrix(*shape)
    original = original.tocsr() if form == "csr" else original.asformat(form)
    stored = convert(write(tmp_path / name, original), tmp_path / "m")
    assert stored.long == int(shape[1] > shape[0])
    assert stored.parts > 2
    data = pw.open_matrix(tmp_path / "m")
    dense = original.toarray()
    if name == "a.parquet":  # which does not know of empty rows at the end
        dense = dense[: data.shape[0], : data.shape[1]]
    check_data(data, dense)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "m"]), "no temporary file is left"


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("long", [0, 1])
def test_an_npy_file_is_mapped_a_band_at_a_time(tmp_path, monkeypatch, order, long):
    """In either order and along either axis, never more than a band of what lies together."""
    monkeypatch.setattr("partwise.io.convert.PART_BYTES", 3000)
    monkeypatch.setattr("partwise.io.convert.MAPPED_BYTES", 2000)
    dense = np.random.default_rng(0).random((50, 40))
    np.save(tmp_path / "a.npy", np.asarray(dense, order=order))
    convert(tmp_path / "a.npy", tmp_path / "m", long=long)
    check_data(pw.open_matrix(tmp_path / "m"), dense)
    mapped = _Mapped(tmp_path / "a.npy", np.load(tmp_path / "a.npy", mmap_mode="r"))
    load, sizes = np.load, []

    class Watched:
        def __init__(self, array):
            self.array = array

        def __getitem__(self, place):
            piece = self.array[place]
            sizes.append(max(piece.strides) * piece.shape[0 if order == "C" else 1])
            return piece

    monkeypatch.setattr(np, "load", lambda *arguments, **options: Watched(load(*arguments, **options)))
    assert np.array_equal(mapped[3:30], dense[3:30])
    assert np.array_equal(mapped[:, 3:30], dense[:, 3:30])
    assert len(sizes) > 10
    assert max(sizes) <= 2000


def test_a_matrix_is_converted_without_numba(tmp_path):
    """Which would take more memory than all the rest of the process; unknown entries do not need it either."""
    write(tmp_path / "a.npz", matrix())
    program = "import sys; from partwise.io.convert import convert\n"
    program += "for missing in (None, 'nan', 'zeros'): convert('a.npz', f'm{missing}', missing=missing)\n"
    program += "print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_symmetric_and_pattern_files(tmp_path):
    """The other half of a symmetric file is filled in, a pattern is ones."""
    half = tmp_path / "s.mtx"
    half.write_text("%%MatrixMarket matrix coordinate real symmetric\n% a note\n3 3 3\n1 1 2\n2 1 5\n3 2 1\n")
    convert(half, tmp_path / "s")
    check_data(pw.open_matrix(tmp_path / "s"), np.array([[2.0, 5, 0], [5, 0, 1], [0, 1, 0]]))
    ones = tmp_path / "p.mtx"
    ones.write_text("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n")
    convert(ones, tmp_path / "p")
    check_data(pw.open_matrix(tmp_path / "p"), np.array([[1.0, 0, 0], [0, 0, 1]]))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello\n", "line 1"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "line 1"),
        ("%%MatrixMarket matrix coordinate real general\n2 2\n", "line 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 3\n", "line 3"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3\n", "row 0, column 1 is -3"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 2 3\n", "outside"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n", "row 0, column 1"),
        ("%%MatrixMarket matrix coordinate real general\n", "line 2: three sizes .* not 'the end of the file'"),
        ("%%MatrixMarket matrix coordinate real general\n" + "9" * 5000 + " 2 1\n", "line 2: .{60,120}$"),
        ("%%MatrixMarket matrix coordinate real general\n0 2 0\n", "is empty: 0 × 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 2 3\n", "says 3 entries and it holds 1"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n1 1 1\n", "says 1 entries and it holds 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3.25E", "says 2 entries and it holds 1"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 2 3\n", "line 3: '1.5 2 3' is not an entry"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0,5\n", "line 3: '1 2 0,5' is not an entry"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\0.5\n", "line 3: .* is not an entry"),
    ],
)
def test_bad_files_are_refused_with_the_place(tmp_path, text, sentence):
    """And nothing is left behind under the target's name."""
    path = tmp_path / "a.mtx"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        convert(path, tmp_path / "m")
    assert [path.name for path in tmp_path.iterdir()] == ["a.mtx"]
    if "is not an entry" in sentence:
        with pytest.raises(ValueError, match="cannot be read as a mtx matrix"):
            read_matrix(path)


def test_a_matrix_market_file_in_pieces(tmp_path, monkeypatch):
    """Lines are parsed some at a time, empty ones skipped, and the first that is no entry is named."""
    monkeypatch.setattr("partwise.io.triplets.TEXT", 100)
    full = sp.random_array((30, 20), density=0.3, rng=0).tocoo()
    entries = [f"{i + 1} {j + 1} {v!r}\n" for i, j, v in zip(*full.coords, full.data.tolist(), strict=True)]
    head = f"%%MatrixMarket matrix coordinate real general\n% a note\n30 20 {len(entries)}\n"
    path = tmp_path / "a.mtx"
    path.write_text(head + "".join(entries[:50]) + "\n \n" + "".join(entries[50:]))
    convert(path, tmp_path / "m")
    check_data(pw.open_matrix(tmp_path / "m"), full.toarray())
    path.write_text(head + "".join(entries[:50]) + "1 1\n" + "".join(entries[50:]))
    with pytest.raises(ValueError, match="line 54: '1 1' is not an entry"):
        convert(path, tmp_path / "n")


def test_npz_files_that_are_not_what_they_say(tmp_path):
    """A format that is no name, and values past the end of indptr, which scipy ignores and so do we."""
    path = write(tmp_path / "a.npz", matrix())
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **arrays | {"format": np.array(3)})
    with pytest.raises(ValueError, match="its format is 3, not the name of one, such as csr"):
        convert(path, tmp_path / "m")
    longer = {"data": np.r_[arrays["data"], 5.0], "indices": np.r_[arrays["indices"], 0].astype("i4")}
    np.savez(path, **arrays | longer)
    convert(path, tmp_path / "m")
    check_data(pw.open_matrix(tmp_path / "m"), matrix().toarray())


def test_misuse(tmp_path):
    """A file that is not there, a target that is, a limit that cannot be kept."""
    with pytest.raises(FileNotFoundError, match="no file"):
        convert(tmp_path / "none.npz", tmp_path / "m")
    source = write(tmp_path / "a.npz", matrix())
    with pytest.raises(ValueError, match="memory_limit"):
        convert(source, tmp_path / "m", memory_limit=10)
    (tmp_path / "m").mkdir()
    with pytest.raises(FileExistsError, match="exists"):
        convert(source, tmp_path / "m")


def test_an_address_is_no_path(tmp_path):
    """It is said to be elsewhere, not to be missing here."""
    with pytest.raises(ValueError, match="is the address of something elsewhere"):
        convert("s3://bucket/a.npz", tmp_path / "out")
