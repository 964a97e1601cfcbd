"""Write a matrix to disk part by part: finished parts are kept, and the folder appears when it is complete."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from partwise.data.entry_checks import dense_array, float_type
from partwise.data.manifest import ARRAYS, KIND, LAYOUT, MANIFEST, Stored, file_name
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.storage.archive import Full, atomic, is_full
from partwise.storage.locks import lock
from partwise.storage.targets import resolved
from partwise.types import Array

ArrayOrSparse: TypeAlias = Array | sp.sparray | sp.spmatrix
"""A numpy array or a scipy sparse matrix, in memory."""
RowBlock: TypeAlias = Array | sp.csr_array
PART_BYTES = 2**26
"""The bytes of a part in one of its two orders."""


def write_matrix(
    path: str | os.PathLike[str],
    blocks: ArrayOrSparse | Iterable[ArrayOrSparse],
    *,
    long: int = 1,
    part_bytes: int = PART_BYTES,
    source: str = "",
    beside: Iterable[tuple[str, Array]] = (),
) -> Stored:
    """Store a matrix as a folder of parts along the axis ``long``; only a few parts are in memory at a time.

    ``blocks`` is a scipy sparse matrix, an array, or an iterator of consecutive blocks of columns (``long=1``: of
    documents) or of rows (``long=0``). Parts are written one by one to a folder beside the final one. After an
    interruption a call with the same blocks goes on: finished parts are not written again (``source`` identifies the
    blocks, so that parts of another matrix are not kept). ``beside`` are named one-dimensional arrays that are stored
    with the matrix, such as the words of its rows.
    """
    target = new_folder(path)
    if sp.issparse(blocks):
        check_structure(blocks)
    folder = partial(target)
    origin: dict[str, str | int] = {"source": source, "long": long, "part_bytes": part_bytes}
    with lock(folder, "The folder"), _full_disk_as_sentence(target, "; finished parts are kept" if source else ""):
        _start(folder, origin)
        writer = _Writer(folder, long)
        for rows in _sized(_long_rows(blocks, long, part_bytes), part_bytes):
            writer.add(rows)
        for name, values in beside:
            writer.put(name, values)
        writer.finish()
        folder.replace(target)
    return Stored.at(target)


def new_folder(path: str | os.PathLike[str]) -> Path:
    """The path of a folder to create, links followed; an existing path is refused."""
    target = resolved(path)
    if target.exists():
        raise FileExistsError(f"{path} exists already; remove it or choose another name.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"The folder {target.parent} does not exist; make it first.")
    return target


def partial(target: Path) -> Path:
    """The folder of a matrix that is not complete yet."""
    return target.with_name(target.name + ".partial")


@contextmanager
def _full_disk_as_sentence(target: Path, kept: str) -> Iterator[None]:
    """Turn a full disk into :class:`Full` with a sentence."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise Full(f"There is no room on the disk to store {target}; free some and call again{kept}.") from None


def _start(folder: Path, origin: dict[str, str | int]) -> None:
    """Keep an unfinished folder of the same blocks; replace any other."""
    note = folder / "unfinished.json"
    if folder.exists():
        try:
            same = json.loads(note.read_text(encoding="utf-8")) == origin and bool(origin["source"])
        except (OSError, ValueError):
            same = False
        if same:
            return
        shutil.rmtree(folder)
    folder.mkdir()
    with atomic(note) as file:
        file.write(json.dumps(origin).encode())


def _long_rows(blocks: ArrayOrSparse | Iterable[ArrayOrSparse], long: int, part_bytes: int) -> Iterator[ArrayOrSparse]:
    """Blocks whose rows run along the long axis."""
    if isinstance(blocks, (sp.sparray, sp.spmatrix)):
        matrix = sp.csr_array(blocks if long == 0 else blocks.T)
        size = max(1, int(part_bytes * matrix.shape[0] / max(1, matrix.data.nbytes + matrix.indices.nbytes)))
        yield from (matrix[lo : lo + size] for lo in range(0, matrix.shape[0], size))
    elif isinstance(blocks, np.ndarray):
        tall = blocks if long == 0 else blocks.T
        size = max(1, int(part_bytes * len(tall) / max(1, tall.nbytes)))
        yield from (tall[lo : lo + size] for lo in range(0, len(tall), size))
    else:
        yield from (block if long == 0 else block.T for block in map(_checked, blocks))


def _checked(block: ArrayOrSparse) -> ArrayOrSparse:
    if sp.issparse(block):
        check_structure(block, "A block")
    return block


def _sized(blocks: Iterable[ArrayOrSparse], part_bytes: int) -> Iterator[RowBlock]:
    """Join small blocks and cut large ones, so that a part takes about ``part_bytes``."""
    waiting: list[RowBlock] = []
    size = 0
    for block in blocks:
        waiting.append(sp.csr_array(block) if sp.issparse(block) else np.asarray(block))
        size += _bytes(waiting[-1])
        if size >= part_bytes:
            yield from _cut(_joined(waiting), part_bytes)
            waiting, size = [], 0
    if waiting:
        yield from _cut(_joined(waiting), part_bytes)


def _bytes(block: RowBlock) -> int:
    return int(block.nbytes if isinstance(block, np.ndarray) else block.data.nbytes + block.indices.nbytes)


def _joined(blocks: list[RowBlock]) -> RowBlock:
    widths = {block.shape[1] for block in blocks}
    if len(widths) > 1:
        raise ValueError(f"The blocks are not of one width: {', '.join(map(str, sorted(widths)))}.")
    if len(blocks) == 1:
        return blocks[0]
    return sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else np.concatenate(blocks)


def _cut(block: RowBlock, part_bytes: int) -> Iterator[RowBlock]:
    pieces = max(1, round(_bytes(block) / part_bytes))
    size = -(-block.shape[0] // pieces)
    yield from (block[lo : lo + size] for lo in range(0, block.shape[0], size))


class _Writer:
    """Writes parts, and at the end the norms and the manifest."""

    def __init__(self, folder: Path, long: int) -> None:
        self._folder, self._long = folder, long
        self._edges = [0]
        self._files: dict[str, tuple[int, int]] = {}
        self._nnz = 0
        self._norms: list[Array] = []
        self._other: Array | None = None
        self._kind: tuple[bool, int, np.dtype[Any]] | None = None

    def add(self, rows: RowBlock) -> None:
        """Write the next part; files that already hold these bytes are kept."""
        sparse = sp.issparse(rows)
        dtype = float_type(rows.dtype)
        kind = (sparse, rows.shape[1], dtype)
        if self._kind not in (None, kind):
            raise ValueError("The blocks must all be sparse or all dense, of one width and one precision.")
        self._kind = kind
        part = len(self._edges) - 1
        if sparse:
            block = SparseData.from_scipy(rows, dtype)
            indptr, indices, numbers = block.arrays
            transposed = SparseData(sp.csr_array(sp.csr_array((numbers, indices, indptr), shape=block.shape).T))
            for order, matrix in (("rows", block), ("columns", transposed)):  # block.T would keep both until a gc
                for array, values in zip(ARRAYS, matrix.arrays, strict=True):
                    self.put(file_name(part, order, array), _small(values, array))
            norms, other, nnz = block.row_norms2, transposed.row_norms2, block.nnz
        else:
            values = dense_array(rows)
            self.put(file_name(part, "rows", "values"), np.ascontiguousarray(values).ravel())
            squares = values.astype(np.float64) ** 2
            norms, other, nnz = squares.sum(axis=1), squares.sum(axis=0), values.size
        self._edges.append(self._edges[-1] + rows.shape[0])
        self._nnz += nnz
        self._norms.append(norms)
        self._other = other if self._other is None else self._other + other

    def put(self, name: str, values: Any) -> None:
        """Write one array; a file that already holds these bytes is kept."""
        path = self._folder / name
        crc = zlib.crc32(values)
        self._files[name] = (values.size, crc)
        note = path.with_suffix(".crc")
        if path.exists() and note.exists() and note.read_text() == str(crc):
            return
        with atomic(path) as file:
            np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(values))
            file.write(values.view(np.uint8))  # write_array does not say why it could not write
        with atomic(note) as file:
            file.write(str(crc).encode())

    def finish(self) -> None:
        """Write the norms and the manifest, and remove everything else from the folder."""
        if self._kind is None or self._other is None:
            raise ValueError("There are no blocks, so there is no matrix to store.")
        sparse, short, dtype = self._kind
        self.put("rows.norms2.npy", np.concatenate(self._norms))
        self.put("columns.norms2.npy", self._other)
        manifest = {
            "kind": KIND,
            "version": LAYOUT,
            "shape": [self._edges[-1], short],
            "long": self._long,
            "dtype": dtype.name,
            "sparse": sparse,
            "nnz": self._nnz,
            "edges": self._edges,
            "files": self._files,
        }
        with atomic(self._folder / MANIFEST) as file:
            file.write(json.dumps(manifest).encode())
        for path in self._folder.iterdir():
            if path.name not in (*self._files, MANIFEST):
                path.unlink()


def _small(values: Array, array: str) -> Array:
    """The index arrays of a part with 32 bits."""
    if array == "values":
        return values
    if values.size and values.max() > np.iinfo(np.int32).max:
        raise ValueError("A part has more entries than 32-bit indices can count; use a smaller part_bytes.")
    return values.astype(np.int32, copy=False)
