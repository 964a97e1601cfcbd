"""Every kind of file × truncation, flipped bits, other bytes and forged contents: the same content, or a sentence."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from bad_values import A

import partwise as pw
from fuzz.calls import STOP, TEXTS, Case, not_finite
from partwise.data.manifest import checksum
from partwise.io.convert import convert
from partwise.io.read_matrix import read_matrix
from partwise.text import read_documents


def originals(folder: Path) -> dict[str, Callable[[Path], Any]]:
    """Sound files of every kind in a folder: name -> what a user does with such a file."""
    pw.factorize(A, 2, stop=STOP, threads=1).save(folder / "fit.partwise")
    pw.TopicModel(2, threads=1).fit(TEXTS).save(folder / "topics.partwise")
    pw.LSI(2, threads=1).fit(TEXTS).save(folder / "lsi.partwise")
    pw.factorize(A, 2, stop=pw.MaxIterations(9), threads=1, checkpoint=folder / "run.checkpoint", every=3)
    (folder / "run.checkpoint.previous").replace(folder / "middle.checkpoint")
    pw.write_matrix(folder / "parts", sp.csr_array(A), part_bytes=200)
    sp.save_npz(folder / "a.npz", sp.csr_array(A))
    np.save(folder / "a.npy", A)
    scipy.io.mmwrite(folder / "a.mtx", sp.coo_array(A))
    np.savetxt(folder / "a.csv", A, delimiter=",")
    rows = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "t.json").write_text(json.dumps(rows))
    (folder / "t.csv").write_text("id,text\n" + "".join(f'{row["id"]},"{row["text"]}"\n' for row in rows))
    in_parts = {f"parts/{path.name}": _open_parts for path in sorted((folder / "parts").iterdir())}
    return {
        "fit.partwise": lambda path: not_finite(pw.load(path)),
        "topics.partwise": lambda path: _use_model(pw.load(path)),
        "lsi.partwise": lambda path: _use_model(pw.load(path)),
        "run.checkpoint": _resume,
        "middle.checkpoint": _resume,
        "a.npz": _matrix,
        "a.npy": _matrix,
        "a.mtx": _matrix,
        "a.csv": _matrix,
        "t.jsonl": lambda path: _read(path, "text"),
        "t.json": lambda path: _read(path, "text"),
        "t.csv": lambda path: _read(path, "text"),
        **in_parts,
    }


def _use_model(model: Any) -> Any:
    model.search("ship sea")
    return not_finite(model.transform(["captain of a ship"]))


def _resume(path: Path) -> Any:
    return not_finite(pw.resume(path).go(A, threads=1))


def _matrix(path: Path) -> Any:
    target = path.with_name("converted")
    try:
        convert(path, target)
    except ValueError:
        pass
    finally:
        shutil.rmtree(target, ignore_errors=True)
    return not_finite(pw.factorize(read_matrix(path), 2, stop=STOP, threads=1))


def _read(path: Path, column: str) -> None:
    list(read_documents(path, column=column, warn=lambda sentence: None))


def _open_parts(path: Path) -> Any:
    matrix = pw.open_matrix(path.parent)
    matrix.rows(0, 2)
    return not_finite(pw.factorize(matrix, 2, stop=STOP, threads=1))


def cases(folder: Path, rng: np.random.Generator, count: int) -> Iterator[Case]:
    """``count`` damaged copies of files, each in a folder of its own that the case removes."""
    known = originals(folder)
    names = list(known)
    for number in range(count):
        name = names[number % len(names)]
        how = list(DAMAGES)[int(rng.integers(len(DAMAGES)))]
        seed = int(rng.integers(2**31))
        yield f"{name}, {how}, seed {seed}", partial(_damaged, folder, name, how, seed, known[name])


def _damaged(folder: Path, name: str, how: str, seed: int, use: Callable[[Path], Any]) -> Any:
    own = folder / f"case-{seed}"
    own.mkdir()
    try:
        if name.startswith("parts/"):
            shutil.copytree(folder / "parts", own / "parts")
        path = own / name
        path.write_bytes(DAMAGES[how](bytearray((folder / name).read_bytes()), np.random.default_rng(seed)))
        return use(path)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _flipped(content: bytearray, rng: np.random.Generator, bits: int = 1, until: int | None = None) -> bytearray:
    for bit in rng.integers(8 * min(len(content), until or len(content)), size=bits).tolist():
        content[bit // 8] ^= 1 << bit % 8
    return content


def _overwritten(content: bytearray, rng: np.random.Generator) -> bytearray:
    at = int(rng.integers(len(content)))
    content[at : at + 16] = rng.bytes(16)
    return content


def _inserted(content: bytearray, rng: np.random.Generator) -> bytearray:
    at = int(rng.integers(len(content)))
    content[at:at] = rng.bytes(int(rng.integers(1, 40)))
    return content


def _digits(content: bytearray, rng: np.random.Generator) -> bytearray:
    """Another number in the place of one that stands there as text: a forged header or entry."""
    places = [at for at, byte in enumerate(content) if 48 <= byte <= 57] or [0]
    at = int(rng.choice(places))
    new = [b"-1", b"0", b"99999999999999999999", b"nan", b"1e999", b"1.5", b"", b"x"][int(rng.integers(8))]
    content[at : at + 1] = new
    return content


def _forged(content: bytearray, rng: np.random.Generator) -> bytearray:
    """One value of the metadata or one array replaced by somebody who knows the format: every checksum is right."""
    if b'"partwise matrix"' in content:
        manifest = json.loads(content)
        manifest.pop("check", None)
        manifest = _replaced(manifest, rng)
        return bytearray(json.dumps(manifest | {"check": checksum(manifest)}).encode())
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return _digits(content, rng)
    with np.load(io.BytesIO(content)) as archive:
        members = dict(archive)
    name = str(rng.choice(sorted(members)))
    if "header" in members and rng.random() < 0.5:
        header = _replaced(json.loads(members["header"].tobytes()), rng)
        members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    else:
        members[name] = ARRAYS[int(rng.integers(len(ARRAYS)))](members[name])
    forged = io.BytesIO()
    np.savez(forged, **members)
    return bytearray(forged.getvalue())


def _replaced(value: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """JSON with another value at one place, which is as likely to be deep inside as near the top."""
    inside: Any = value
    while True:
        key = (
            list(inside)[int(rng.integers(len(inside)))] if isinstance(inside, dict) else int(rng.integers(len(inside)))
        )
        if not isinstance(inside[key], (dict, list)) or not inside[key] or rng.random() < 0.1:
            inside[key] = FORGED[int(rng.integers(len(FORGED)))]
            return value
        inside = inside[key]


FORGED: list[Any] = [None, -1, 0, 3, 10**30, 1.5, float("nan"), 1e308, "", "x", True, [], [1], [[]], [-1, 5], {}]
FORGED += [{"kind": "MaxIterations"}, {"array": "w"}]
ARRAYS: list[Callable[[Any], Any]] = [
    lambda array: array[:-1] if array.ndim else array[None],
    lambda array: np.concatenate([array, array]) if array.ndim else array[None],
    lambda array: array.ravel(),
    lambda array: array[..., None],
    lambda array: np.array(1.0),
    lambda array: np.full(array.shape, np.nan),
    lambda array: np.full(array.shape, 1e300),
    lambda array: np.full(array.shape, -1),
    lambda array: np.full(array.shape, 10**6),
    lambda array: np.full(array.shape, "x"),
    lambda array: np.zeros_like(array),
    lambda array: array.astype(array.dtype.newbyteorder(">")),
]
DAMAGES: dict[str, Callable[[bytearray, np.random.Generator], bytearray]] = {
    "cut off": lambda content, rng: content[: int(rng.integers(len(content)))],
    "empty": lambda content, rng: bytearray(),
    "one bit": _flipped,
    "a bit of the beginning": lambda content, rng: _flipped(content, rng, 1, 128),
    "ten bits": lambda content, rng: _flipped(content, rng, 10),
    "bytes overwritten": _overwritten,
    "bytes inserted": _inserted,
    "another number": _digits,
    "forged": _forged,
    "twice": lambda content, rng: content + content,
    "zeros": lambda content, rng: bytearray(len(content)),
}
