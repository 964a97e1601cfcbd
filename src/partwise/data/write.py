"""Write a matrix to disk part by part: finished parts are kept, and the folder appears when it is complete."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from partwise.arguments import is_whole, shortened, whole_number
from partwise.data.as_data import refuse_foreign
from partwise.data.dense import DenseData
from partwise.data.entry_checks import check_shape, concatenated, dense_array, float_type, placed_in_whole
from partwise.data.manifest import (
    ARRAYS,
    FACTS,
    KIND,
    LAYOUT,
    MANIFEST,
    ORDERS,
    SPECIAL,
    WEIGHTED_FACTS,
    Known,
    Stored,
    checksum,
    file_name,
)
from partwise.data.observed import Observed
from partwise.data.sparse import SparseData
from partwise.data.sparse_structure import check_structure
from partwise.data.unknown import Knowledge, knowledge
from partwise.storage.atomic import Full, atomic, is_full
from partwise.storage.locks import lock
from partwise.storage.targets import check_path, resolved
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
    missing: str | None = None,
    weights: ArrayOrSparse | Iterable[ArrayOrSparse] | None = None,
    unstored: float | None = None,
) -> Stored:
    """Store a matrix as a folder of parts along the axis ``long``; only a few parts are in memory at a time.

    ``blocks`` is a scipy sparse matrix, an array, an array that is kept elsewhere and can be sliced (of dask, zarr,
    h5py), or an iterator of consecutive blocks of columns (``long=1``: of
    documents) or of rows (``long=0``). Parts are written one by one to a folder beside the final one. After an
    interruption a call with the same blocks goes on: finished parts are not written again (``source`` identifies the
    blocks, so that parts of another matrix are not kept). ``beside`` are named one-dimensional arrays that are stored
    with the matrix, such as the words of its rows. ``missing``, ``weights`` and ``unstored`` are those of
    :func:`partwise.factorize`, stored with the matrix: stored zeros and NaN are kept, and weights of the same shape, or
    the same blocks.
    """
    target = new_folder(path)
    if sp.issparse(blocks):
        check_structure(blocks)
    refuse_foreign(blocks)
    blocks = np.asarray(blocks) if hasattr(blocks, "iloc") else blocks  # a data frame is sliced in another way
    weights = np.asarray(weights) if hasattr(weights, "iloc") else weights
    with _reading("The matrix"):
        shape = getattr(blocks, "shape", None)
    if shape is not None:
        check_shape(shape)
    part_bytes = whole_number("part_bytes", part_bytes)
    if not is_whole(long) or long not in (0, 1):
        raise ValueError(f"long must be 0 or 1, the axis that the parts run along, not {long!r}.")
    known = knowledge(blocks, missing, weights, unstored)
    folder = partial(target)
    origin: dict[str, str | int] = {"source": source, "long": int(long), "part_bytes": part_bytes}
    if known:
        origin |= {"missing": missing or "", "unstored": str(unstored), "weighted": known.weighted}
    room = full_disk_as_sentence(target, "; finished parts are kept" if source else "")
    with lock(folder, "The folder"), room, _worth_keeping(folder, bool(source)):
        _start(folder, origin)
        writer = _Writer(folder, long, known)
        matrices = [blocks] if weights is None else [blocks, weights]
        for rows in _sized(_long_rows(matrices, long, part_bytes), part_bytes):
            writer.add(*rows)
        for name, values in beside:
            writer.put(name, values)
        writer.finish()
        folder.replace(target)
    return Stored.at(target)


def new_folder(path: str | os.PathLike[str]) -> Path:
    """The path of a folder to create, links followed; an existing path is refused."""
    check_path(path)
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
def _worth_keeping(folder: Path, known: bool) -> Iterator[None]:
    """Remove what an error leaves, unless it is finished parts that a second call would know again."""
    try:
        yield
    except BaseException:
        if not known or not any(folder.glob("*.npy")):
            shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def full_disk_as_sentence(target: Path, kept: str) -> Iterator[None]:
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


def _long_rows(matrices: Sequence[Any], long: int, part_bytes: int) -> Iterator[tuple[RowBlock, ...]]:
    """Blocks whose rows run along the long axis: of a matrix, or of a matrix and its weights alike."""
    if all(sp.issparse(matrix) or isinstance(matrix, np.ndarray) for matrix in matrices):
        tall = [_rows(matrix, long) for matrix in matrices]
        length = tall[0].shape[0]
        size = max(1, int(part_bytes * length / max(1, sum(map(_bytes, tall)))))
        yield from (tuple(rows[lo : lo + size] for rows in tall) for lo in range(0, length, size))
        return
    if all(hasattr(matrix, "shape") for matrix in matrices):
        yield from _slices(matrices, long, part_bytes)
        return
    for matrix in matrices:
        if not isinstance(matrix, Iterable):
            raise TypeError(f"blocks must be a matrix or an iterator of them, not {type(matrix).__name__}.")
    for blocks in zip(*matrices, strict=True):
        if len({np.shape(block) for block in blocks}) > 1:
            raise ValueError("The blocks of the weights must have the shapes of the matrix's blocks.")
        yield tuple(_rows(_checked(block), long) for block in blocks)


def _slices(matrices: Sequence[Any], long: int, part_bytes: int) -> Iterator[tuple[RowBlock, ...]]:
    """Blocks of arrays that are kept elsewhere and can be sliced."""
    width = sum(matrix.shape[1 - long] * np.dtype(matrix.dtype).itemsize for matrix in matrices)
    size = max(1, part_bytes // width)
    for lo in range(0, matrices[0].shape[long], size):
        with _reading(f"{('Row', 'Column')[long]} {lo} of the matrix and the next {size - 1}"):
            pieces = [matrix[lo : lo + size] if long == 0 else matrix[:, lo : lo + size] for matrix in matrices]
            blocks = [_rows(piece.compute() if hasattr(piece, "compute") else piece, long) for piece in pieces]
        yield tuple(blocks)


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turn the errors of a library that keeps an array elsewhere, which can be any, into a sentence."""
    try:
        yield
    except Exception as error:
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(f"{what} cannot be read: {shortened(why, 200)}.") from error


def _rows(block: ArrayOrSparse, long: int) -> RowBlock:
    """A block with rows along the long axis."""
    turned = block if long == 0 else block.T
    return sp.csr_array(turned) if sp.issparse(turned) else np.asanyarray(turned)  # with its mask, where it has one


def _checked(block: ArrayOrSparse) -> ArrayOrSparse:
    if sp.issparse(block):
        check_structure(block, "A block")
        return block
    array = np.asanyarray(block)
    if array.ndim != 2:
        check_shape(array.shape, "A block")
    return array


def _sized(blocks: Iterable[tuple[RowBlock, ...]], part_bytes: int) -> Iterator[tuple[RowBlock, ...]]:
    """Join small blocks and cut large ones, so that a part takes about ``part_bytes``."""
    waiting: list[tuple[RowBlock, ...]] = []
    size = 0
    for block in blocks:
        waiting.append(block)
        size += sum(map(_bytes, block))
        if size >= part_bytes:
            yield from _cut([_joined(list(each)) for each in zip(*waiting, strict=True)], part_bytes)
            waiting, size = [], 0
    if waiting:
        yield from _cut([_joined(list(each)) for each in zip(*waiting, strict=True)], part_bytes)


def _bytes(block: RowBlock) -> int:
    return int(block.nbytes if isinstance(block, np.ndarray) else block.data.nbytes + block.indices.nbytes)


def _joined(blocks: list[RowBlock]) -> RowBlock:
    widths = {block.shape[1] for block in blocks}
    if len(widths) > 1:
        raise ValueError(f"The blocks are not of one width: {', '.join(map(str, sorted(widths)))}.")
    if len(blocks) == 1:
        return blocks[0]
    return sp.vstack(blocks, format="csr") if sp.issparse(blocks[0]) else concatenated(blocks)


def _cut(blocks: list[RowBlock], part_bytes: int) -> Iterator[tuple[RowBlock, ...]]:
    pieces, length = max(1, round(sum(map(_bytes, blocks)) / part_bytes)), blocks[0].shape[0]
    size = -(-length // pieces)
    yield from (tuple(block[lo : lo + size] for block in blocks) for lo in range(0, length, size))


class _Writer:
    """Writes parts, and at the end the norms and the manifest."""

    def __init__(self, folder: Path, long: int, known: Knowledge) -> None:
        self._folder, self._long, self._known = folder, long, known
        self._edges = [0]
        self._files: dict[str, tuple[int, int]] = {}
        self._nnz = 0
        self._facts: dict[str, tuple[list[Array], Array]] = {}
        """Fact -> (of the rows of each part, of the columns so far)."""
        self._kind: tuple[bool, int, np.dtype[Any]] | None = None
        self._entries: Known | None = None

    def add(self, rows: RowBlock, weights: RowBlock | None = None) -> None:
        """Write the next part; files that already hold these bytes are kept."""
        sparse = sp.issparse(rows)
        dtype = float_type(rows.dtype)
        kind = (sparse, rows.shape[1], dtype)
        if self._kind not in (None, kind):
            raise ValueError("The blocks must all be sparse or all dense, of one width and one precision.")
        self._kind = kind
        with placed_in_whole(self._edges[-1], self._long):
            data, turned = self._sides(rows, weights, dtype)
        for name in WEIGHTED_FACTS if self._known else FACTS:
            own, other = self._facts.setdefault(name, ([], np.zeros(rows.shape[1])))
            own.append(getattr(data, name))
            self._facts[name] = own, other + getattr(turned, name)
        self._edges.append(self._edges[-1] + rows.shape[0])
        self._nnz += data.nnz

    def _sides(self, rows: RowBlock, weights: RowBlock | None, dtype: np.dtype[Any]) -> tuple[Any, Any]:
        """A part and its transpose, checked and written."""
        data: Any
        if self._known:
            data = self._put_known(rows, weights)
        elif sp.issparse(rows):
            data = SparseData.from_scipy(rows, dtype)
            self._put_sparse("rows", data)
            self._put_sparse("columns", data.T)
        else:
            data = DenseData(dense_array(rows))
            self._put_dense(data)
        turned = data.T
        for side in (data, turned):
            for layer in (side, getattr(side, "base", None) or side):
                layer.forget_transpose()
        return data, turned

    def _put_known(self, rows: RowBlock, weights: RowBlock | None) -> Observed:
        """A part with weights or unknown entries."""
        data = self._known.entries(rows, weights)
        self._entries = Known(data.outside, self._known.missing, data.base is not None)
        for order, side in zip(ORDERS, (data, data.T), strict=True):
            for array, values in zip(SPECIAL, side.special, strict=True):
                self.put(file_name(len(self._edges) - 1, order, array), _small(values, array))
            if isinstance(side.base, SparseData):
                self._put_sparse(order, side.base)
        if isinstance(data.base, DenseData):
            self._put_dense(data.base)
        return data

    def _put_sparse(self, order: str, matrix: SparseData) -> None:
        for array, values in zip(ARRAYS, matrix.arrays, strict=True):
            self.put(file_name(len(self._edges) - 1, order, array), _small(values, array))

    def _put_dense(self, matrix: DenseData) -> None:
        values = matrix.rows(0, matrix.shape[0])
        self.put(file_name(len(self._edges) - 1, "rows", "values"), np.ascontiguousarray(values).ravel())

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
        if self._kind is None:
            raise ValueError("There are no blocks, so there is no matrix to store.")
        sparse, short, dtype = self._kind
        for name, (own, other) in self._facts.items():
            self.put(f"rows.{WEIGHTED_FACTS[name]}.npy", np.concatenate(own))
            self.put(f"columns.{WEIGHTED_FACTS[name]}.npy", other)
        manifest: dict[str, Any] = {
            "kind": KIND,
            "version": 1 if self._entries is None else LAYOUT,
            "shape": [self._edges[-1], short],
            "long": self._long,
            "dtype": dtype.name,
            "sparse": sparse or (self._entries is not None and not self._entries.base),
            "nnz": self._nnz,
            "edges": self._edges,
            "files": self._files,
        }
        if self._entries is not None:
            manifest["known"] = asdict(self._entries)
        with atomic(self._folder / MANIFEST) as file:
            file.write(json.dumps(manifest | {"check": checksum(manifest)}).encode())
        for path in self._folder.iterdir():
            if path.name not in (*self._files, MANIFEST):
                path.unlink()


def _small(values: Array, array: str) -> Array:
    """The index arrays of a part with 32 bits."""
    if array.endswith(("values", "weights")):
        return np.ascontiguousarray(values)
    if values.size and values.max() > np.iinfo(np.int32).max:
        raise ValueError("A part has more entries than 32-bit indices can count; use a smaller part_bytes.")
    return values.astype(np.int32, copy=False)
