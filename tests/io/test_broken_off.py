"""A conversion that is killed or finds the disk full, and two runs that want one path."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp
from planted import planted
from small_disk import small_disk

import partwise as pw
from partwise.data import write
from partwise.io.convert import convert
from partwise.storage.locks import lock
from partwise.testing import check_data

LIMIT, PART = 2**24, 400_000
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX")
CONVERT = f"""
import sys
from partwise.io import convert as conversion
print("begun", flush=True)
conversion.PART_BYTES = {PART}
conversion.convert(sys.argv[1], sys.argv[2])
"""
HOLD = """
import sys, time
from pathlib import Path
from partwise.storage.locks import lock
with lock(Path(sys.argv[1]), "The checkpoint"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def disk(tmp_path):
    """A file system of 4 MB."""
    yield from small_disk(tmp_path)


def sparse(nnz, rng=0):
    """300 terms × 2,000 documents."""
    return sp.random_array((300, 2000), density=nnz / 6e5, rng=np.random.default_rng(rng), format="csr")


def contents(folder):
    """Every file and its bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def python(code, *arguments):
    """A program in a process of its own, past its imports."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    return process


@POSIX
def test_a_killed_conversion_goes_on(tmp_path, monkeypatch):
    """SIGKILL at random moments: the folder is never half there, and in the end has the bytes of an unbroken one."""
    source, target, rng = tmp_path / "a.npz", tmp_path / "m", np.random.default_rng(2)
    sp.save_npz(source, sparse(100_000), compressed=False)
    monkeypatch.setattr("partwise.io.convert.PART_BYTES", PART)
    began = time.perf_counter()
    convert(source, tmp_path / "unbroken")
    whole, kills, seen = time.perf_counter() - began, 0, set()
    while kills < 3:
        with python(CONVERT, source, target) as process:
            time.sleep(float(rng.uniform(0.05, 0.9)) * whole)
            process.kill()
        kills += process.returncode == -signal.SIGKILL
        if target.exists():
            assert contents(target) == contents(tmp_path / "unbroken")
            for path in target.iterdir():
                path.unlink()
            target.rmdir()
        elif (tmp_path / "m.partial").exists():
            seen.add(len(list((tmp_path / "m.partial").iterdir())))
    convert(source, target)
    assert contents(target) == contents(tmp_path / "unbroken")
    assert seen, "no kill fell into the conversion"
    assert {path.name for path in tmp_path.iterdir()} == {"a.npz", "m", "unbroken"}, "nothing is left behind"


def test_parts_of_a_broken_conversion_are_kept(tmp_path, monkeypatch):
    """What was finished is not written again."""
    source, target = tmp_path / "a.npz", tmp_path / "m"
    sp.save_npz(source, sparse(300_000))
    add = write._Writer.add
    with monkeypatch.context() as patch:
        patch.setattr("partwise.data.write._Writer.add", breaking(add, after=2))
        with pytest.raises(InterruptedError):
            convert(source, target, memory_limit=LIMIT)
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "m.partial").glob("*.npy")}
    assert len(written) == 12
    assert not (tmp_path / "m.partial" / "sorting").exists()
    convert(source, target, memory_limit=LIMIT)
    assert all((target / path.name).stat().st_mtime_ns == when for path, when in written.items())
    check_data(pw.open_matrix(target), sparse(300_000).toarray())


def breaking(add, after):
    """The writer, until it fails."""
    count = iter(range(after))

    def added(self, rows):
        if next(count, None) is None:
            raise InterruptedError
        add(self, rows)

    return added


@pytest.mark.parametrize("fully", [True, False])
def test_a_disk_that_is_full_while_a_file_is_converted(disk, tmp_path, fully):
    """At once or in the middle of the sorting: one sentence; with room again the conversion goes on."""
    place, fill = disk
    source = tmp_path / "a.npz"
    sp.save_npz(source, sparse(60_000))
    pw.write_matrix(place / "earlier", sparse(2000))
    before = contents(place / "earlier")
    if fully:
        fill()
    else:
        (place / "rest").write_bytes(bytes(3_200_000))
    with pytest.raises(OSError, match=r"^There is no room on the disk .*m; free some and call again; .*kept\.$"):
        convert(source, place / "m", memory_limit=LIMIT)
    assert not (place / "m").exists()
    assert not (place / "m.partial" / "sorting").exists()
    assert contents(place / "earlier") == before
    (place / "rest").unlink()
    convert(source, place / "m", memory_limit=LIMIT)
    check_data(pw.open_matrix(place / "m"), sparse(60_000).toarray())
    assert {path.name for path in place.iterdir()} == {"earlier", "m"}


def test_a_disk_that_is_full_while_a_matrix_is_written(disk):
    """The earlier matrix is as it was; the same blocks go on from the parts that were finished."""
    place, _ = disk
    matrix = sparse(100_000)
    pw.write_matrix(place / "earlier", sparse(2000))
    (place / "rest").write_bytes(bytes(2_500_000))
    settings = {"part_bytes": 200_000, "source": "made"}
    with pytest.raises(OSError, match=r"no room on the disk to store .*m; free some and call again; .*kept\.$"):
        pw.write_matrix(place / "m", matrix, **settings)
    kept = len(list((place / "m.partial").glob("*.values.npy")))
    assert kept
    check_data(pw.open_matrix(place / "earlier"), sparse(2000).toarray())
    (place / "rest").unlink()
    pw.write_matrix(place / "m", matrix, **settings)
    check_data(pw.open_matrix(place / "m"), matrix.toarray())
    assert {path.name for path in place.iterdir()} == {"earlier", "m"}


def refused(path):
    """What a second run on a checkpoint is told."""
    with pytest.raises(BlockingIOError) as error:
        pw.factorize(planted(30, 24, 3), 3, stop=pw.MaxIterations(2), checkpoint=path)
    return str(error.value)


@POSIX
def test_a_second_run_on_a_checkpoint_is_refused(tmp_path):
    """While the first lives, and no longer: a lock of a killed process locks nothing."""
    path = tmp_path / "run"
    with python(HOLD, path) as process:
        assert refused(path) == (
            f"The checkpoint {path} is being written by another run (process {process.pid}); "
            "wait until it has ended, or choose another path."
        )
        process.kill()
    assert (tmp_path / "run.lock").exists()
    pw.factorize(planted(30, 24, 3), 3, stop=pw.MaxIterations(2), checkpoint=path)
    assert {p.name for p in tmp_path.iterdir()} == {"run", "run.previous"}


@POSIX
def test_the_same_process_is_refused_too(tmp_path):
    """Two threads are two runs; after an error the lock is gone."""
    with lock(tmp_path / "run", "The checkpoint"):
        assert "another run" in refused(tmp_path / "run")
    with pytest.raises(KeyError), lock(tmp_path / "run", "The checkpoint"):
        raise KeyError
    assert not list(tmp_path.iterdir())


@POSIX
def test_two_conversions_to_one_folder(tmp_path):
    """The second is refused and does not touch what the first has done."""
    source = tmp_path / "a.npz"
    sp.save_npz(source, sparse(2000))
    with lock(tmp_path / "m.partial", "The folder"):
        (tmp_path / "m.partial" / "sorting").mkdir(parents=True)
        with pytest.raises(BlockingIOError, match=r"The folder .* another run"):
            convert(source, tmp_path / "m")
        assert (tmp_path / "m.partial" / "sorting").exists()
    convert(source, tmp_path / "m")
    check_data(pw.open_matrix(tmp_path / "m"), sparse(2000).toarray())
