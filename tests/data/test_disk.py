"""A matrix on disk gives what the same matrix in memory gives, and says which file is damaged."""

import gc
import json
import shutil

import numpy as np
import pytest
import scipy.sparse as sp
from takes import loss

import partwise as pw
from partwise.data.base import LocalData
from partwise.data.manifest import MANIFEST
from partwise.testing import check_data

SLOW = {"alp", "anls-lawson-hanson", "barrier"}


def sparse(dtype="f8"):
    """120 terms × 300 documents, with an empty row and an empty column."""
    rng = np.random.default_rng(0)
    matrix = sp.random_array((120, 300), density=0.08, rng=rng, format="lil", dtype=dtype)
    matrix[7] = 0
    matrix[:, 11] = 0
    matrix = sp.csr_array(matrix)
    matrix.eliminate_zeros()
    return matrix


def stored(path, matrix, long=1, part_bytes=6000):
    """The matrix, opened from a new folder in several parts."""
    stored_matrix = pw.write_matrix(path, matrix, long=long, part_bytes=part_bytes)
    assert stored_matrix.parts > 3
    return pw.open_matrix(path)


@pytest.mark.parametrize("long", [0, 1])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("make", [sparse, lambda dtype: sparse(dtype).toarray()], ids=["sparse", "dense"])
def test_the_data_law_holds(tmp_path, make, dtype, long):
    """Products, norms, rows and the transpose are those of the dense twin."""
    matrix = make(dtype)
    dense = matrix.toarray() if sp.issparse(matrix) else matrix
    check_data(stored(tmp_path / "m", matrix, long), dense)


def on_disk(name):
    """Whether an algorithm runs without all of A in memory."""
    algorithm = pw.ALGORITHMS[name]()
    return not loss(name).local_only and not any(side.update.needs_memory for side in algorithm.sides)


@pytest.mark.parametrize("long", [0, 1])
@pytest.mark.parametrize("name", sorted(name for name in pw.ALGORITHMS if name not in SLOW and on_disk(name)))
def test_every_algorithm_gives_the_factors_of_the_run_in_memory(tmp_path, name, long):
    """15 iterations, to 1e-6 relative."""
    matrix = sparse()
    on_disk = stored(tmp_path / "m", matrix, long)
    near, far = (pw.factorize(a, 4, algorithm=name, stop=pw.MaxIterations(15)) for a in (matrix, on_disk))
    assert far.history.iteration[-1] == near.history.iteration[-1]
    for one, other in ((near.W, far.W), (near.H, far.H)):
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-6 * max(abs(one).max(), 1e-300))
    np.testing.assert_allclose(far.history.error, near.history.error, rtol=1e-7)
    assert far.certificate.kkt == pytest.approx(near.certificate.kkt, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("name", sorted(pw.INITS))
def test_every_start_runs_on_disk(tmp_path, name):
    """The same W⁽⁰⁾ to rounding."""
    matrix = sparse()
    on_disk = stored(tmp_path / "m", matrix)
    near, far = (next(pw.iterate(a, 4, init=name)).w for a in (matrix, on_disk))
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-8 * near.max())


def test_restarts_the_svd_and_threads(tmp_path):
    """What stands on the protocol alone works too, and the bits do not depend on the threads."""
    matrix = sparse()
    on_disk = stored(tmp_path / "m", matrix)
    near, far = (pw.truncated_svd(a, 5) for a in (matrix, on_disk))
    np.testing.assert_allclose(far.s, near.s, rtol=1e-8)
    one, two = (pw.factorize(on_disk, 4, restarts=6, seed=3, threads=n) for n in (1, 2))
    assert np.array_equal(one.W, two.W)
    assert np.array_equal(one.H, two.H)
    assert one.error == pytest.approx(pw.factorize(matrix, 4, restarts=6, seed=3).error, rel=1e-6)


@pytest.mark.parametrize("long", [0, 1])
@pytest.mark.parametrize("algorithm", ["acls", "hals", "als-hals"])
def test_an_iteration_reads_the_matrix_once(tmp_path, monkeypatch, algorithm, long):
    """The new rows are passed on to the other side while their part is there."""
    on_disk = stored(tmp_path / "m", sparse(), long)
    reads = []
    plain = type(on_disk).parts

    def counted(self, both=False):
        reads.append(both)
        return plain(self, both)

    monkeypatch.setattr(type(on_disk), "parts", counted)
    steps = pw.iterate(on_disk, 4, algorithm=algorithm, init=np.random.default_rng(0).random((120, 4)))
    next(steps)
    next(steps)
    for _ in range(4):
        reads.clear()
        next(steps)
        assert len(reads) == 1, "one pass over the files"


def test_alp_is_refused(tmp_path):
    """Linear programs need the matrix itself."""
    with pytest.raises(ValueError, match="on disk"):
        pw.factorize(stored(tmp_path / "m", sparse()), 3, algorithm="alp")


def test_blocks_from_an_iterator_of_any_size(tmp_path):
    """Small blocks are put together, large ones cut."""
    matrix = sparse()
    blocks = (matrix[:, lo : lo + 7] for lo in range(0, 300, 7))
    stored_matrix = pw.write_matrix(tmp_path / "m", blocks, part_bytes=6000)
    assert 3 < stored_matrix.parts < 30
    check_data(pw.open_matrix(tmp_path / "m"), matrix.toarray())


@pytest.mark.parametrize(
    ("blocks", "sentence"),
    [
        ([], "no blocks"),
        ([np.ones((3, 2)), np.ones((4, 2))], "one width"),
        ([np.ones((3, 2)), sp.csr_array(np.ones((3, 2)))], "be sparse or all dense"),
        ([np.array([[1.0, -2.0]])], "negative"),
    ],
)
def test_blocks_that_are_no_matrix(tmp_path, blocks, sentence):
    """One sentence, and no folder of that name."""
    with pytest.raises(ValueError, match=sentence):
        pw.write_matrix(tmp_path / "m", iter(blocks), part_bytes=1)
    assert not (tmp_path / "m").exists()


def test_a_folder_that_exists_is_not_written_over(tmp_path):
    """Nor is a file."""
    (tmp_path / "m").mkdir()
    with pytest.raises(FileExistsError, match="choose another name"):
        pw.write_matrix(tmp_path / "m", sparse())


def test_writing_goes_on_where_it_was_interrupted(tmp_path, monkeypatch):
    """Finished parts are not written again, and the result is the same."""
    matrix = sparse()

    def failing():
        yield matrix[:, :150]
        raise KeyboardInterrupt

    for source in ("this", "this"):
        with pytest.raises(KeyboardInterrupt):
            pw.write_matrix(tmp_path / "m", failing(), part_bytes=6000, source=source)
    written = []
    plain = np.lib.format.write_array
    monkeypatch.setattr(np.lib.format, "write_array", lambda file, a, **k: (written.append(a), plain(file, a, **k)))
    blocks = (matrix[:, lo : lo + 150] for lo in (0, 150))
    stored_matrix = pw.write_matrix(tmp_path / "m", blocks, part_bytes=6000, source="this")
    assert len(written) < len(stored_matrix.files) - 6
    check_data(pw.open_matrix(tmp_path / "m"), matrix.toarray())


@pytest.mark.parametrize("harm", ["truncated", "flipped", "missing", "foreign", "other dtype"])
def test_a_damaged_part_is_named(tmp_path, harm):
    """One sentence with the file's name, before its numbers are used."""
    on_disk = stored(tmp_path / "m", sparse())
    victim = sorted((tmp_path / "m").glob("000002.rows.values.npy"))[0]
    raw = victim.read_bytes()
    if harm == "truncated":
        victim.write_bytes(raw[:-8])
    elif harm == "flipped":
        victim.write_bytes(raw[:-3] + bytes([raw[-3] ^ 1]) + raw[-2:])
    elif harm == "missing":
        victim.unlink()
    elif harm == "foreign":
        shutil.copy(tmp_path / "m" / "000001.rows.values.npy", victim)
    else:
        np.save(victim, np.load(victim).astype(np.float32))
    with pytest.raises((ValueError, FileNotFoundError), match=r"000002\.rows\.values\.npy"):
        pw.factorize(on_disk, 3)


@pytest.mark.parametrize("change", [b"{", b"[]", b'{"kind": "else"}', None])
def test_a_folder_that_is_no_matrix(tmp_path, change):
    """A damaged or missing manifest, another kind."""
    stored(tmp_path / "m", sparse())
    manifest = tmp_path / "m" / MANIFEST
    manifest.unlink() if change is None else manifest.write_bytes(change)
    with pytest.raises(ValueError, match="manifest"):
        pw.open_matrix(tmp_path / "m")


def test_a_newer_layout_and_no_folder(tmp_path):
    """They say what to do."""
    stored(tmp_path / "m", sparse())
    manifest = tmp_path / "m" / MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    with pytest.raises(ValueError, match="newer partwise"):
        pw.open_matrix(tmp_path / "m")
    with pytest.raises(FileNotFoundError, match="no folder"):
        pw.open_matrix(tmp_path / "none")


def test_a_run_on_disk_is_kept_planned_and_limited(tmp_path):
    """A checkpoint goes on bit for bit; a plan counts two parts, not the matrix."""
    on_disk = stored(tmp_path / "m", sparse())
    whole = pw.factorize(on_disk, 4, stop=pw.MaxIterations(12))
    keep = tmp_path / "run.ckpt"
    pw.factorize(on_disk, 4, stop=pw.MaxIterations(12), checkpoint=keep, every=5)
    again = pw.factorize(pw.open_matrix(tmp_path / "m"), 4, stop=pw.MaxIterations(12), checkpoint=keep, every=5)
    assert np.array_equal(again.W, whole.W)
    other = stored(tmp_path / "other", sparse() * 2)
    with pytest.raises(ValueError, match="numbers"):
        pw.factorize(other, 4, stop=pw.MaxIterations(12), checkpoint=keep, every=5)
    estimate = pw.plan(on_disk, 4)
    assert estimate.data == on_disk.resident < 2.5 * on_disk.nbytes
    with pytest.raises(ValueError, match="memory_limit"):
        pw.factorize(on_disk, 4, memory_limit="1MB")


class Sliced:
    """An array that is kept elsewhere, as those of zarr and h5py: it has a shape and a type and can be sliced."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __getitem__(self, place):
        return self.array[place]


@pytest.mark.parametrize("long", [0, 1])
def test_arrays_that_are_kept_elsewhere(tmp_path, long):
    """Arrays of dask, zarr and h5py, and data frames, are written slice by slice."""
    pandas, dask = pytest.importorskip("pandas"), pytest.importorskip("dask.array")
    whole = np.random.default_rng(0).random((40, 30))
    sources = [Sliced(whole), dask.from_array(whole, chunks=(7, 30)), pandas.DataFrame(whole)]
    for number, source in enumerate(sources):
        stored = pw.write_matrix(tmp_path / f"m{number}", source, long=long, part_bytes=2000)
        assert stored.shape == (40, 30)
        assert stored.parts > 1
        check_data(pw.open_matrix(tmp_path / f"m{number}"), whole)


@pytest.mark.parametrize("long", [0, 1])
def test_arrays_of_zarr_and_h5py(tmp_path, long):
    """In chunks of their own, whole numbers too."""
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    whole = np.random.default_rng(0).integers(0, 9, (40, 30))
    kept = zarr.open(tmp_path / "a.zarr", mode="w", shape=whole.shape, chunks=(7, 9), dtype="i4")
    kept[:] = whole
    pw.write_matrix(tmp_path / "m0", kept, long=long, part_bytes=2000)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("a", data=whole, chunks=(7, 9), compression="gzip")
        pw.write_matrix(tmp_path / "m1", dataset, long=long, part_bytes=2000)
    for name in ("m0", "m1"):
        check_data(pw.open_matrix(tmp_path / name), whole.astype(float))
    with pytest.raises(ValueError, match=r"The matrix cannot be read: .*\.$"):
        pw.write_matrix(tmp_path / "m2", dataset)  # its file is closed


class Broken(Sliced):
    """An array whose library fails after the first rows."""

    def __getitem__(self, place):
        if place[1].start > 0:
            raise RuntimeError("chunk 3\n is damaged.")
        return super().__getitem__(place)


@pytest.mark.parametrize("long", [0, 1])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, Sliced, iter])
@pytest.mark.parametrize("missing", [None, "nan"])
def test_a_bad_entry_is_named_by_its_place_in_the_matrix(tmp_path, long, form, missing):
    """Not in its part, and not in that of the transpose."""
    bad = np.random.default_rng(0).random((40, 40))
    bad[30, 25] = -1
    blocks = form(np.split(bad, [13], long) if form is iter else bad)
    with pytest.raises(ValueError, match=r"row 30, column 25 is negative \(-1\)"):
        pw.write_matrix(tmp_path / "m", blocks, long=long, part_bytes=2000, missing=missing)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", [None, "nan"])
@pytest.mark.parametrize("make", [sparse, lambda: sparse().toarray()], ids=["sparse", "dense"])
def test_parts_are_let_go(tmp_path, make, missing):
    """No part that was written stays in memory until a garbage collection."""
    gc.collect()
    gc.disable()
    try:
        before = sum(issubclass(type(each), LocalData) for each in gc.get_objects())
        pw.write_matrix(tmp_path / "m", make(), part_bytes=6000, missing=missing)
        assert sum(issubclass(type(each), LocalData) for each in gc.get_objects()) == before
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("blocks", "settings", "sentence"),
    [
        (
            Broken(np.ones((40, 30))),
            {"part_bytes": 2000},
            "Column 6 of the matrix and the next 5 cannot be read: chunk 3 is damaged",
        ),
        ([[1.0, 2.0], [3.0, 4.0]], {}, "A block must have two dimensions, not 1"),
        (3, {}, "blocks must be a matrix or an iterator of them, not int"),
        (np.ones((3, 3)), {"long": 2}, "long must be 0 or 1"),
        (np.ones((3, 3)), {"part_bytes": 0}, "part_bytes must be"),
        (np.ones((3, 0)), {}, "is empty"),
        (iter([np.ones((3, 2)), -np.ones((3, 2))]), {"part_bytes": 8}, "negative"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(tmp_path, blocks, settings, sentence):
    """A sentence, and no folder."""
    with pytest.raises((ValueError, TypeError), match=sentence):
        pw.write_matrix(tmp_path / "m", blocks, **settings)
    assert list(tmp_path.iterdir()) == []


def test_no_flipped_bit_of_a_part_is_a_raw_error(tmp_path):
    """Every bit of a header, and some of the numbers: the same matrix, or a sentence with the name of the file."""
    matrix = sparse()
    pw.write_matrix(tmp_path / "m", matrix, long=0)
    for name in ("000000.rows.indptr.npy", "000000.columns.values.npy"):
        path = tmp_path / "m" / name
        sound = path.read_bytes()
        for bit in [*range(0, 8 * 128, 5), 8 * 130]:
            damaged = bytearray(sound)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            data = pw.open_matrix(tmp_path / "m")
            for read in (
                lambda data=data: [part for _, _, part in data.parts(both=True)],
                lambda data=data: data.rows(0, 3),
            ):
                try:
                    read()
                except ValueError as error:
                    assert str(error).endswith("."), error  # noqa: PT017
        path.write_bytes(sound)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [0, 5]},
        {"edges": [0, 5, 3, 300]},
        {"edges": []},
        {"long": 7},
        {"dtype": "int32"},
        {"shape": [10**12, 3]},
        {"files": {"../../x": [1, 1]}},
        {"nnz": "many"},
        {"files": []},
    ],
)
def test_a_forged_manifest(tmp_path, change):
    """Sizes that do not fit together are refused before anything is read, also where nothing is left to compare."""
    pw.write_matrix(tmp_path / "m", sparse())
    path = tmp_path / "m" / MANIFEST
    manifest = json.loads(path.read_text())
    del manifest["check"]
    path.write_text(json.dumps(manifest))
    pw.open_matrix(tmp_path / "m")  # as version 0.1 has written it
    path.write_text(json.dumps(manifest | change))
    with pytest.raises(ValueError, match=r"damaged.*\.$"):
        pw.open_matrix(tmp_path / "m")


@pytest.mark.parametrize(("field", "place", "change"), [("edges", 1, 1), ("shape", 0, -1), ("shape", 1, 1)])
@pytest.mark.parametrize("make", [sp.csr_array, np.asarray])
def test_borders_that_do_not_fit_the_parts(tmp_path, make, field, place, change):
    """A border or a side that is one row off would give a part another width."""
    matrix = make(np.random.default_rng(0).random((12, 10)))
    stored = pw.write_matrix(tmp_path / "m", matrix, part_bytes=300)
    path = tmp_path / "m" / MANIFEST
    manifest = json.loads(path.read_text())
    del manifest["check"]
    manifest[field][place] += change
    assert stored.parts > 2
    path.write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match=r"damaged.*\.$"):
        pw.open_matrix(tmp_path / "m")


def test_a_part_is_written_as_soon_as_it_is_full(tmp_path):
    """Blocks of half a part: of what was drawn, no more than the last two blocks are not on disk yet."""
    kept = []

    def blocks():
        for _ in range(9):
            kept.append(len(list((tmp_path / "m.partial").glob("*.values.npy"))))
            yield np.ones((4, 8))

    pw.write_matrix(tmp_path / "m", blocks(), part_bytes=512)
    assert kept == [0, 0, 1, 1, 2, 2, 3, 3, 4]


def test_a_manifest_whose_numbers_still_fit(tmp_path):
    """Rows for columns: only the manifest's own checksum can tell."""
    pw.write_matrix(tmp_path / "m", np.ones((6, 6)))
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    path = tmp_path / "m" / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"long": 0}))
    with pytest.raises(ValueError, match=r"manifest\.json is damaged: .*\.$"):
        pw.open_matrix(tmp_path / "m")


@pytest.mark.parametrize("name", ["000000.rows.values.npy", "columns.norms2.npy"])
def test_an_array_in_the_other_byte_order(tmp_path, name):
    """One bit of a header makes other numbers of the same bytes; so does a read of a few rows."""
    stored = pw.write_matrix(tmp_path / "m", np.ones((6, 5)))
    path = tmp_path / "m" / name
    path.write_bytes(path.read_bytes().replace(b"'<f8'", b"'>f8'"))
    for read in (stored.read, stored.view):
        with pytest.raises(ValueError, match=rf"{name} cannot be read: its header is damaged; convert .*\.$"):
            read(name)


@pytest.mark.parametrize("long", [0, 1])
def test_rows_at_the_borders_of_parts(long, tmp_path):
    """Every range of rows that ends or begins at a border or one row past it, on both sides."""
    matrix = np.random.default_rng(0).random((12, 10))
    stored = pw.write_matrix(tmp_path / "m", matrix, long=long, part_bytes=300)
    assert stored.parts > 2
    data = pw.as_data(pw.open_matrix(tmp_path / "m"))
    for side, dense in ((data, matrix), (data.T, matrix.T)):
        for lo in range(len(dense)):
            for hi in range(lo + 1, len(dense) + 1):
                assert np.array_equal(side.rows(lo, hi), dense[lo:hi])
