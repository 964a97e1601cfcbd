"""A saved factorisation comes back bit for bit; every other file is refused in a sentence, and nothing in it is run."""

import io
import json
import os
import pickle
import socket
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import partwise as pw
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.penalties import Quadratic
from partwise.algorithms.updates import Pivoting
from partwise.result.factorization import LAYOUT
from partwise.storage import archive as files
from partwise.storage.atomic import Full, atomic

A = np.random.default_rng(0).random((8, 6))
NEW = np.random.default_rng(1).random((8, 3))


def fit(algorithm: Any = "hals", **settings: Any) -> pw.Factorization:
    """A short run on a small matrix."""
    return pw.factorize(
        settings.pop("matrix", A), settings.pop("rank", 2), algorithm=algorithm, stop=pw.MaxIterations(3), **settings
    )


def same(one: pw.Factorization, two: pw.Factorization) -> bool:
    """Whether every array is the same bit for bit, and every word and number too."""
    arrays = ((one.w, two.w), (one.h, two.h), (np.asarray(one.history), np.asarray(two.history)))
    return all((a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()) for a, b in arrays) and (
        (one.reason, one.certificate.as_dict()) == (two.reason, two.certificate.as_dict())
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[pw.Factorization, bytes]:
    """A result and the bytes of its file."""
    result, path = fit(), tmp_path_factory.mktemp("saved") / "model"
    result.save(path)
    return result, path.read_bytes()


RUNS: dict[str, Callable[[], pw.Factorization]] = {
    **{name: lambda name=name: fit(name) for name in pw.ALGORITHMS},
    **{
        f"extrapolated {name}": lambda name=name: fit(pw.extrapolated(name))
        for name in pw.ALGORITHMS
        if name != "hoyer"
    },
    "float32": lambda: fit(matrix=A.astype("f4")),
    "sparse": lambda: fit(matrix=sp.coo_array(A)),
    "rank 1": lambda: fit(rank=1),
    "entries that are all the same": lambda: fit(matrix=np.ones_like(A), rank=1),
    "the same among unknown ones": lambda: fit("hals", matrix=np.eye(*A.shape), rank=1, missing="zeros"),
    "with the SVD": lambda: fit(svd=True),
    "settled": lambda: fit(settle=True),
    "start": lambda: pw.factorize(A, 2, stop=pw.MaxIterations(0)),
    "seed of numpy": lambda: fit(seed=np.int64(3), restarts=np.int64(2)),
    "hals, one sweep": lambda: fit(pw.hals(sweeps=1)),
    "als-hals with a penalty": lambda: fit(pw.als_hals(0.1, 0.2)),
    "acls, no penalty": lambda: fit(pw.acls(0, 0)),
    "acls, penalty on H": lambda: fit(pw.acls(0, 0.3)),
    "acls, penalty on W": lambda: fit(pw.acls(0.3, 0)),
    "gdcls, no penalty": lambda: fit(pw.gdcls(lam_h=0)),
    "gdcls, penalty on W": lambda: fit(pw.gdcls(lam_w=0.2, lam_h=0.1)),
    "ahcls, H alone": lambda: fit(pw.ahcls(0, 0.1, 0, 0.3)),
    "ahcls, W alone": lambda: fit(pw.ahcls(0.1, 0, 0.3, 0)),
    "ahcls, α = 0": lambda: fit(pw.ahcls(0.1, 0.1, 0, 0)),
    "anls, α on both": lambda: fit(pw.anls(0.01, 0.02, 0.1, 0.2)),
    "anls, α on W": lambda: fit(pw.anls(0.01, 0.02, 0.1, None)),
    "anls, α on H": lambda: fit(pw.anls(0.01, 0.02, None, 0.2)),
    "anls, α = 0 on both": lambda: fit(pw.anls(0.1, 0.1, 0.0, 0.0)),
    "anls, α = 0 on H": lambda: fit(pw.anls(0.1, 0.1, None, 0.0)),
    "anls, α without λ": lambda: fit(pw.anls(0, 0, 0.5, 0.5)),
    "hoyer, W free": lambda: fit(pw.hoyer_target(None, 0.6)),
    "hoyer, H free": lambda: fit(pw.hoyer_target(0.6, None)),
    "hoyer, both free": lambda: fit(pw.hoyer_target(None, None)),
    **{
        f"{first} polished by {then}": lambda first=first, then=then: fit(
            first, polish=then, polish_stop=pw.MaxIterations(5)
        )
        for first in ("hals", "acls", "ahcls")
        for then in pw.ALGORITHMS
        if pw.ALGORITHMS[then]().loss == "squared"
        if then != "alp"  # it minimises another error
        and (first, then) not in (("ahcls", "multiplicative"), ("ahcls", "gdcls"))  # these cannot carry the penalty
    },
}


@pytest.mark.parametrize("run", RUNS)
def test_round_trip(run: str, tmp_path: Path) -> None:
    """W, H, history, reason, certificate and transform come back bit for bit, for every algorithm and its settings."""
    saved = RUNS[run]()
    saved.save(tmp_path / "model")
    loaded = pw.load(tmp_path / "model")
    assert same(saved, loaded)
    assert str(loaded) == str(saved)
    assert loaded.history.error.tobytes() == saved.history.error.tobytes()
    assert str(loaded.algorithm) == str(saved.algorithm)
    for side in ("w", "h"):
        one, two = getattr(saved.algorithm, side), getattr(loaded.algorithm, side)
        assert (one.penalty, type(one.update), vars(one.update)) == (two.penalty, type(two.update), vars(two.update))
    new = NEW.astype(saved.w.dtype)
    assert loaded.transform(new).tobytes() == saved.transform(new).tobytes()
    loaded.save(tmp_path / "again")
    assert same(pw.load(tmp_path / "again"), saved)


def test_fresh_process(tmp_path: Path) -> None:
    """A file that another process loads gives the same numbers there."""
    saved = fit("ahcls")
    saved.save(tmp_path / "model.pw")
    np.save(tmp_path / "new.npy", NEW)
    code = """
import sys, numpy as np, partwise as pw
found = pw.load("model.pw")
np.savez("out.npz", w=found.W, h=found.H, t=found.transform(np.load("new.npy")), words=[str(found), str(found.reason)])
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    with np.load(tmp_path / "out.npz") as out:
        assert out["w"].tobytes() == saved.W.tobytes()
        np.testing.assert_array_equal(out["h"], saved.H)
        assert out["t"].tobytes() == saved.transform(NEW).tobytes()
        assert out["words"].tolist() == [str(saved), str(saved.reason)]


@pytest.mark.parametrize("name", ["model", "model.npz", "a b", "Wörter und Themen", "." * 3 + "x", "x" * 250])
def test_the_name_is_kept(name: str, tmp_path: Path) -> None:
    """The file has the name that was given, no suffix is added, and nothing else is in the folder."""
    saved = fit()
    for path in (tmp_path / name, str(tmp_path / name)):
        saved.save(path)
        assert [p.name for p in tmp_path.iterdir()] == [name]
        assert same(pw.load(path), saved)


def test_rights_of_the_file(tmp_path: Path) -> None:
    """The file gets the rights that any new file gets here, not those of a temporary one."""
    fit().save(tmp_path / "model")
    (tmp_path / "other").write_bytes(b"")
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_saving_replaces(tmp_path: Path) -> None:
    """A second save takes the place of the first."""
    fit().save(tmp_path / "model")
    second = fit("acls")
    second.save(tmp_path / "model")
    assert same(pw.load(tmp_path / "model"), second)


def members(raw: bytes) -> dict[str, bytes]:
    """The members of a file."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive(parts: dict[str, bytes]) -> bytes:
    """A file of these members, not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return out.getvalue()


def npy(array: Any) -> bytes:
    """An array as the member of a file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def refused(path: Path, raw: bytes, words: str = "not a partwise factorization|damaged|do not fit together") -> None:
    """Loading these bytes is a ValueError with a sentence that names the file."""
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=words) as caught:
        pw.load(path)
    assert type(caught.value) in (ValueError, files.Damaged)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(".")


def same_or_refused(path: Path, raw: bytes, original: pw.Factorization) -> None:
    """Loading these bytes gives the same result, or a ValueError with a sentence that names the file."""
    path.write_bytes(raw)
    sentence = ""
    try:
        loaded = pw.load(path)
    except ValueError as caught:
        sentence = str(caught)
    assert str(path) in sentence if sentence else same(loaded, original)


def test_truncated(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A file that ends early, anywhere, is refused."""
    raw = saved[1]
    for length in {*range(0, len(raw), 23), *range(len(raw) - 60, len(raw))}:
        refused(tmp_path / "cut", raw[:length])


@pytest.mark.parametrize("compressed", [True, False])
def test_one_byte_altered(saved: tuple[pw.Factorization, bytes], tmp_path: Path, compressed: bool) -> None:
    """Any one byte altered is noticed, unless it does not matter; never other numbers, never another exception."""
    original, raw = saved
    raw = raw if compressed else archive(members(raw))
    assert len(raw) < 8000
    rng = np.random.default_rng(0)
    directory = raw.index(b"PK\x01\x02")
    for place in [*range(0, directory, 7), *range(directory, len(raw))]:
        # All bits of the archive's own bookkeeping, where one bit can change the meaning; elsewhere one random change.
        flips = [1 << bit for bit in range(8)] if place >= directory and compressed else [int(rng.integers(1, 256))]
        for flip in flips:
            altered = bytearray(raw)
            altered[place] ^= flip
            same_or_refused(tmp_path / "altered", bytes(altered), original)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(8, 2)", b"(7, 2)"),
        (b"(6, 2)", b"(6, 1)"),
        (b"'<f8'", b"'<f4'"),
        (b"(8, 2)", b"(9, 2)"),
        (b"<f8", b"<i8"),
        (b"False", b"True "),
    ],
)
def test_altered_shape(saved: tuple[pw.Factorization, bytes], tmp_path: Path, old: bytes, new: bytes) -> None:
    """A shape or dtype altered so that fewer bytes are read is noticed as well, although what is read looks whole."""
    raw = archive(members(saved[1]))
    (tmp_path / "whole").write_bytes(raw)
    assert same(pw.load(tmp_path / "whole"), saved[0])
    assert old in raw
    refused(tmp_path / "altered", raw.replace(old, new, 1))


def test_many_bytes_altered(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A run of zeros or of noise anywhere is noticed too."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        altered = bytearray(saved[1])
        start, length = int(rng.integers(len(altered))), int(rng.integers(2, 200))
        part = altered[start : start + length]
        altered[start : start + length] = bytes(len(part)) if rng.random() < 0.5 else rng.bytes(len(part))
        same_or_refused(tmp_path / "altered", bytes(altered), saved[0])


class Trap:
    """An object whose unpickling leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("what", ["header.npy", "w.npy", "h.npy", "history.npy", "more.npy", "npy file", "pickle"])
def test_nothing_is_run(what: str, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A file with pickled objects is refused, and they are not unpickled."""
    trap = Trap(tmp_path / "sprung")
    pickled = npy(np.array([trap], object))
    raw = {"npy file": pickled, "pickle": pickle.dumps(trap)}.get(what) or archive(members(saved[1]) | {what: pickled})
    if what == "more.npy":
        same_or_refused(tmp_path / "model", raw, saved[0])
    else:
        refused(tmp_path / "model", raw)
    assert not (tmp_path / "sprung").exists()
    pickle.loads(pickle.dumps(trap))
    assert (tmp_path / "sprung").exists(), "the trap works"


def npz(**arrays: Any) -> bytes:
    """Another program's file of arrays."""
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"term,weight\nmoon,3\n",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "zeros": bytes(1000),
    "noise": np.random.default_rng(0).bytes(1000),
    "json": b'{"kind": "partwise factorization", "version": 1}',
    "pickle": pickle.dumps({"w": 1}),
    "array": npy(A),
    "empty zip": archive({}),
    "zip of text": archive({"readme.txt": b"hello"}),
    "arrays of another program": npz(w=A, h=A),
    "header of another program": npz(header=np.arange(5.0), w=A, h=A),
    "header that is a list": npz(header=np.frombuffer(b"[1, 2]", np.uint8)),
    "header that is a number": npz(header=np.frombuffer(b"12", np.uint8)),
    "header that is no JSON": npz(header=np.frombuffer(b"{", np.uint8)),
    "header that is no text": npz(header=np.frombuffer(b"\xff\xfe\xfd", np.uint8)),
    "header that has no end": npz(header=np.frombuffer(b"[" * 200_000, np.uint8)),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_foreign_files(what: str, tmp_path: Path) -> None:
    """A file of another kind is refused with a sentence that names it."""
    refused(tmp_path / "file", FOREIGN[what], "not a partwise factorization")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": LAYOUT + 1}, rf"newer partwise \(layout {LAYOUT + 1}, this one reads {LAYOUT}\)"),
        ({"kind": "partwise corpus"}, "holds a partwise corpus, not a partwise factorization"),
        ({"version": "two"}, "damaged|do not fit"),
        ({"version": None}, "damaged|do not fit"),
        ({"kind": 3}, "not a partwise factorization"),
        ({"meta": None}, "damaged|do not fit"),
        ({"meta": {}}, "damaged|do not fit"),
    ],
)
def test_other_headers(change: Any, words: str, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A newer layout, another kind of file and a header that makes no sense each get their sentence."""
    parts = members(saved[1])
    head = json.loads(np.load(io.BytesIO(parts["header.npy"])).tobytes()) | change
    parts["header.npy"] = npy(np.frombuffer(json.dumps(head).encode(), np.uint8))
    refused(tmp_path / "model", archive(parts), words)


@pytest.mark.parametrize("name", ["kind", "version", "meta"])
def test_header_without_a_part(name: str, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A header that lacks something is refused."""
    parts = members(saved[1])
    head = json.loads(np.load(io.BytesIO(parts["header.npy"])).tobytes())
    del head[name]
    parts["header.npy"] = npy(np.frombuffer(json.dumps(head).encode(), np.uint8))
    refused(tmp_path / "model", archive(parts))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("reason",), "BORED"),
        (("reason",), ["CAP"]),
        (("algorithm",), 5),
        (("algorithm",), {}),
        (("algorithm", "name"), ["hals"]),
        (("algorithm", "settings"), {"sweeps": "many"}),
        (("algorithm", "settings"), {"colour": 1}),
        (("algorithm", "settings"), [1, 2]),
        (("certificate",), {}),
        (("certificate", "angles"), 3),
        (("certificate", "w"), None),
        (("certificate", "colour"), "red"),
    ],
)
def test_contents_that_make_no_sense(
    path: tuple[str, ...], value: Any, saved: tuple[pw.Factorization, bytes], tmp_path: Path
) -> None:
    """Words in the header that mean nothing are refused."""
    parts = members(saved[1])
    head = json.loads(np.load(io.BytesIO(parts["header.npy"])).tobytes())
    inner = head["meta"]
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    parts["header.npy"] = npy(np.frombuffer(json.dumps(head).encode(), np.uint8))
    refused(tmp_path / "model", archive(parts), "do not fit together|damaged")


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("w", None),
        ("h", None),
        ("history", None),
        ("w", np.ones((8, 3))),
        ("h", np.ones((5, 2))),
        ("w", np.ones(8)),
        ("w", np.full((8, 2), -1.0)),
        ("h", np.full((6, 2), np.nan)),
        ("w", np.full((8, 2), "x")),
        ("h", np.ones((6, 2), complex)),
        ("history", np.ones((4, 5))),
    ],
)
def test_arrays_that_do_not_fit(name: str, array: Any, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """Arrays that are missing, have other shapes than the certificate says, or are no factors, are refused."""
    parts = members(saved[1])
    del parts[f"{name}.npy"]
    if array is not None:
        parts[f"{name}.npy"] = npy(array)
    refused(tmp_path / "model", archive(parts), "do not fit together|damaged")


@pytest.mark.parametrize("rest", [b"x", b"x" * 5000])
def test_bytes_after_an_array(rest: bytes, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """An array ends where its member ends."""
    parts = members(saved[1])
    parts["w.npy"] += rest
    refused(tmp_path / "model", archive(parts), "damaged")


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    """A missing file and a folder are the errors that they always are, with the path."""
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nowhere"):
        pw.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        pw.load(tmp_path / "no folder" / "nowhere")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        pw.load(tmp_path)


def test_unreadable(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A file that may not be read is a PermissionError with the path."""
    (tmp_path / "model").write_bytes(saved[1])
    (tmp_path / "model").chmod(0)
    code = """
import os, sys, partwise as pw
if os.geteuid() == 0:
    os.setuid(65534)
try:
    pw.load(sys.argv[1])
except PermissionError as error:
    sys.exit(0 if sys.argv[1] in str(error) and str(error).endswith("may not be read.") else 3)
sys.exit(4)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "model")], check=True)


def test_saving_into_no_folder(tmp_path: Path) -> None:
    """The folder must exist; it is not made."""
    with pytest.raises(FileNotFoundError, match=r"The folder .*nowhere does not exist; make it first\."):
        fit().save(tmp_path / "nowhere" / "model")
    assert list(tmp_path.iterdir()) == []


def test_saving_over_a_folder(tmp_path: Path) -> None:
    """A folder is not replaced by a file, and nothing is left beside it."""
    (tmp_path / "model").mkdir()
    with pytest.raises(OSError, match="model"):
        fit().save(tmp_path / "model")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model").is_dir()


@pytest.mark.parametrize("limit", [0, 10, 300, 1500])
def test_no_room(limit: int, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """When there is no room for the file, what was there before is still whole, and no other file is left."""
    (tmp_path / "model").write_bytes(saved[1])
    code = """
import resource, sys, partwise as pw
found = pw.load("model")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
try:
    found.save("model")
except OSError:
    sys.exit(7)
"""
    run = subprocess.run([sys.executable, "-c", code, str(limit)], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 7, run.stderr
    assert run.stderr == ""
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model").read_bytes() == saved[1]


def test_interrupted_save(tmp_path: Path, saved: tuple[pw.Factorization, bytes]) -> None:
    """An interrupt while a file is written leaves the one before, and no other."""
    (tmp_path / "model").write_bytes(saved[1])

    def interrupted() -> None:
        with atomic(tmp_path / "model") as file:
            file.write(b"half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model").read_bytes() == saved[1]


def mine() -> Algorithm:
    """An algorithm that a user has made."""
    side = Side(Pivoting(), Quadratic(0.3))
    return Algorithm("mine", side, side)


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_followed(exists: bool, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A link stays one and the file that it names is written, or made where there is none yet."""
    far = tmp_path / "far"
    far.mkdir()
    if exists:
        (far / "model").write_bytes(b"old")
    (tmp_path / "near").symlink_to("far/model")
    (tmp_path / "link").symlink_to(tmp_path / "near")
    saved[0].save(tmp_path / "link")
    assert same(pw.load(far / "model"), saved[0])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "near").is_symlink()
    assert {p.name for p in tmp_path.iterdir()} == {"far", "near", "link"}
    assert [p.name for p in far.iterdir()] == ["model"]


def test_links_that_lead_nowhere(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A link into a folder that does not exist and one that leads to itself are refused in a sentence."""
    (tmp_path / "lost").symlink_to("nowhere/model")
    (tmp_path / "ring").symlink_to("ring")
    with pytest.raises(FileNotFoundError, match=r"The folder .*nowhere does not exist; make it first\."):
        saved[0].save(tmp_path / "lost")
    with pytest.raises(OSError, match=r"ring is a link that leads back to itself; .*\.$"):
        saved[0].save(tmp_path / "ring")
    assert all(p.is_symlink() for p in tmp_path.iterdir())


def test_a_pipe_gets_the_bytes(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """An archive goes through a pipe, which stays one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        saved[0].save(pipe)
        content = reader.communicate(timeout=60)[0]
    assert pipe.is_fifo()
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]
    (tmp_path / "model").write_bytes(content)
    assert same(pw.load(tmp_path / "model"), saved[0])


def test_an_open_descriptor_gets_the_bytes(tmp_path: Path) -> None:
    """A path such as /dev/fd/7 goes on where that descriptor stands, in a file too."""
    with (tmp_path / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        with atomic(f"/dev/fd/{log.fileno()}") as file:
            file.write(b"result")
        log.write(b" after")
    assert (tmp_path / "log").read_bytes() == b"before result after"
    with pytest.raises(FileNotFoundError, match=r"is not open; .*\.$"), atomic("/dev/fd/987654"):
        pass


@pytest.mark.parametrize("minor", [3, 7])
def test_a_device_gets_the_bytes(minor: int, saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A device stays what it is, whether it takes everything or has no room."""
    device = tmp_path / "device"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    except PermissionError:
        pytest.skip("only root may make a device")
    if minor == 3:
        saved[0].save(device)
    else:
        with pytest.raises(Full, match=r"there is no room for it .*\.$"):
            saved[0].save(device)
    assert device.stat().st_rdev == os.makedev(1, minor)
    assert [p.name for p in tmp_path.iterdir()] == ["device"]


def test_a_socket_is_refused(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A socket is not replaced by a file."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    for write in (saved[0].save, lambda path: pw.write_report(saved[0], path)):
        with pytest.raises(OSError, match=r"is a socket; give the name of a file to write\.$"):
            write(tmp_path / "socket")
    assert (tmp_path / "socket").is_socket()


def test_a_matrix_through_a_link(tmp_path: Path) -> None:
    """A folder is made where a link leads to."""
    (tmp_path / "link").symlink_to("far")
    pw.write_matrix(tmp_path / "link", A)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far" / "manifest.json").is_file()
    assert {p.name for p in tmp_path.iterdir()} == {"link", "far"}


def test_an_algorithm_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result of an algorithm that is not in the table loads; transform says what to do, and then works."""
    monkeypatch.setitem(pw.ALGORITHMS, "mine", mine)
    saved = fit("mine")
    saved.save(tmp_path / "model")
    monkeypatch.delitem(pw.ALGORITHMS, "mine")
    loaded = pw.load(tmp_path / "model")
    assert same(loaded, saved)
    assert loaded.algorithm is None
    with pytest.raises(ValueError, match=r"made by 'mine.*add it to partwise\.ALGORITHMS and load it again\."):
        loaded.transform(NEW)
    loaded.save(tmp_path / "again")
    monkeypatch.setitem(pw.ALGORITHMS, "mine", mine)
    for name in ("model", "again"):
        np.testing.assert_array_equal(pw.load(tmp_path / name).transform(NEW), saved.transform(NEW))


def test_an_algorithm_with_a_name_that_is_taken(tmp_path: Path) -> None:
    """An algorithm made by hand under a name of the table never comes back as the other one of that name."""
    saved = fit(replace(pw.anls(), h=Side(Pivoting(), Quadratic(5.0))))
    saved.save(tmp_path / "model")
    loaded = pw.load(tmp_path / "model")
    assert same(loaded, saved)
    if loaded.algorithm is None:
        with pytest.raises(ValueError, match="anls"):
            loaded.transform(NEW)
    else:
        np.testing.assert_array_equal(loaded.transform(NEW), saved.transform(NEW))


def test_no_file_is_left_open(saved: tuple[pw.Factorization, bytes], tmp_path: Path) -> None:
    """A refused file is closed at once."""
    (tmp_path / "cut").write_bytes(saved[1][:-5])
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(ValueError, match="damaged"):
            pw.load(tmp_path / "cut")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_member_that_nobody_declared_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could be of any size: names and declared lengths are compared before the bytes."""
    path = tmp_path / "fit"
    pw.factorize(A, 2, stop=pw.MaxIterations(2)).save(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.npy", b"x" * 100)
    read = []
    plain = files._array
    monkeypatch.setattr(files, "_array", lambda archive, name: (read.append(name), plain(archive, name))[1])
    with pytest.raises(ValueError, match="damaged"):
        pw.load(path)
    assert set(read) == {"header.npy"}


def test_an_array_that_says_it_is_longer_is_not_allocated(tmp_path: Path) -> None:
    """A header of a few bytes cannot ask for gigabytes."""
    path, forged = tmp_path / "fit", tmp_path / "forged"
    pw.factorize(A, 2, stop=pw.MaxIterations(2)).save(path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(forged, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(b"(8, 2)", b"(8000000000000, 2)") if name == "w.npy" else content)
    with pytest.raises(ValueError, match="damaged"):
        pw.load(forged)


@pytest.mark.parametrize(
    "zeros",
    [
        {"header": files.HEADER_BOMB // 8},
        {"w": 2**21},
        {"more": 2**21},
        {f"more {number}": 2**18 for number in range(8)},
    ],
    ids=["header", "w", "more", "several"],
)
def test_arrays_of_little_but_zeros_are_not_read(
    zeros: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of a megabyte cannot fill gigabytes, declared or not, in the header or beside it, at once or in turns."""
    path, forged = tmp_path / "fit", tmp_path / "forged"
    pw.factorize(A, 2, stop=pw.MaxIterations(2)).save(path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(forged, "w", zipfile.ZIP_DEFLATED) as target:
        header = json.loads(np.load(io.BytesIO(source.read("header.npy"))).tobytes())
        header["arrays"] = sorted({*header["arrays"], *zeros} - {"header"})
        members = {member: np.load(io.BytesIO(source.read(f"{member}.npy"))) for member in ("w", "h", "history")}
        members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        for member, array in (members | {name: np.zeros(size) for name, size in zeros.items()}).items():
            with target.open(f"{member}.npy", "w") as file:
                np.lib.format.write_array(file, array)
    read, plain = [], np.lib.format.read_array
    monkeypatch.setattr(files, "BOMB", 2**23)
    monkeypatch.setattr(np.lib.format, "read_array", lambda *a, **k: read.append(plain(*a, **k)) or read[-1])
    with pytest.raises(ValueError, match="damaged"):
        pw.load(forged)
    assert all(array.nbytes < 2**20 for array in read)


FORGED: list[tuple[str, Any]] = [
    ("certificate.shape", []),
    ("certificate.angles", []),
    ("certificate.relative_error", None),
    ("certificate.relative_error", -1),
    ("certificate.iterations", -1),
    ("certificate.dead_topics", [7]),
    ("certificate.threads", "x"),
    ("algorithm.penalties", [[]]),
    ("algorithm.penalties", [{}, {}]),
    ("algorithm.penalties", [[0.1, None], {"kind": "ComponentSparsity", "ridge": [0.1, 0.1, 0.1]}]),
    ("algorithm.penalties", [[0.1, None], {"kind": "ComponentSparsity", "ridge": [0.1, "x"]}]),
    ("algorithm.penalties", [[0.1, None], {"kind": "ComponentSparsity", "linear_part": 3}]),
    ("reason", "X"),
]


@pytest.mark.parametrize(("place", "value"), FORGED)
def test_forged_metadata(place: str, value: Any, tmp_path: Path) -> None:
    """What cannot be the description of a run is refused when it is loaded, not when it is used."""
    path = tmp_path / "fit"
    pw.factorize(A, 2, stop=pw.MaxIterations(2)).save(path)
    meta, arrays, layout = files.read(path, "partwise factorization", LAYOUT)
    inside = meta
    *outer, last = place.split(".")
    for name in outer:
        inside = inside[name]
    inside[last] = value
    files.write(path, "partwise factorization", layout, meta, arrays)
    with pytest.raises(ValueError, match="do not fit together"):
        pw.load(path)


def test_bytes_reach_the_disk_before_the_name(tmp_path, monkeypatch):
    """fsync comes before the rename, for results and for checkpoints: after a power cut the old file or the new one."""
    events, fsync, replace = [], os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: events.append("fsync") or fsync(handle))
    monkeypatch.setattr(Path, "replace", lambda self, to: events.append(Path(to).name) or replace(self, to))
    a = np.random.default_rng(0).random((6, 5))
    pw.factorize(a, 2, stop=pw.MaxIterations(1)).save(tmp_path / "fit")
    assert events[-2:] == ["fsync", "fit"]
    events.clear()
    pw.factorize(a, 2, stop=pw.MaxIterations(2), checkpoint=tmp_path / "run", every=1)
    for at, name in enumerate(events):
        if name == "run.previous":
            assert events[at - 1] == "fsync"  # the new one is on the disk before the old one gives up its name
        if name == "run":
            assert "fsync" in events[max(0, at - 2) : at]
    assert events.count("run") == 3
