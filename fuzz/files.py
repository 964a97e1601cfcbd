"""Every kind of file × truncation, flipped bits, overwritten and inserted bytes: the same content, or a sentence."""

from __future__ import annotations

import json
import shutil
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
from partwise.io.convert import convert
from partwise.io.read_matrix import read_matrix
from partwise.text import read_documents


def originals(folder: Path) -> dict[str, Callable[[Path], Any]]:
    """Sound files of every kind in a folder: name -> what a user does with such a file."""
    pw.factorize(A, 2, stop=STOP, threads=1).save(folder / "fit.partwise")
    pw.TopicModel(2, threads=1).fit(TEXTS).save(folder / "topics.partwise")
    pw.LSI(2, threads=1).fit(TEXTS).save(folder / "lsi.partwise")
    pw.factorize(A, 2, stop=pw.MaxIterations(9), threads=1, checkpoint=folder / "run.checkpoint", every=3)
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
        "run.checkpoint": lambda path: _resume(path),
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
    path.with_name(path.name + ".previous").unlink(missing_ok=True)
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


DAMAGES: dict[str, Callable[[bytearray, np.random.Generator], bytearray]] = {
    "cut off": lambda content, rng: content[: int(rng.integers(len(content)))],
    "empty": lambda content, rng: bytearray(),
    "one bit": _flipped,
    "a bit of the beginning": lambda content, rng: _flipped(content, rng, 1, 128),
    "ten bits": lambda content, rng: _flipped(content, rng, 10),
    "bytes overwritten": _overwritten,
    "bytes inserted": _inserted,
    "another number": _digits,
    "twice": lambda content, rng: content + content,
    "zeros": lambda content, rng: bytearray(len(content)),
}
