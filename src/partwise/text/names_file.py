"""What is kept of many documents, in a file while they are read: their names would fill the memory."""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from partwise.text.collection import Row
from partwise.text.packed import pack, unpack
from partwise.types import Array

CHUNK = 2000
"""Documents whose names are kept together."""


class NamesFile:
    """Rows written one by one and read again in chunks; the file has no name, so that nothing is left of it."""

    def __init__(self, folder: Path) -> None:
        self._file: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self._sizes: list[int] = []
        self._waiting: list[Row] = []
        self._marks = array("q")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._marks)

    def add(self, row: Row) -> None:
        """One more document."""
        mark = hashlib.blake2b(row[0].encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._marks.append(int.from_bytes(mark, "little", signed=True))
        self._waiting.append(row)
        if len(self._waiting) == CHUNK:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._sizes.append(self._file.write(pack(self._waiting).tobytes()))
            self._waiting = []

    def refuse_same_ids(self) -> None:
        """Two documents of one name cannot be told apart."""
        marks = np.array(self._marks)
        order = np.argsort(marks, kind="stable")
        same = np.flatnonzero(np.diff(marks[order]) == 0)
        if len(same):
            at = same[order[same + 1].argmin()]
            first, second = int(order[at]), int(order[at + 1])
            raise ValueError(
                f"Documents {first + 1} and {second + 1} have the same id {self._row(second)[0]!r}; "
                "choose another column for the ids, or none."
            )

    def _row(self, number: int) -> Row:
        for index, chunk in enumerate(self.chunks()):
            if index == number // CHUNK:
                id, title, label, snippet, mark = unpack(chunk)[number % CHUNK]
                return id, title, label, snippet, mark
        raise IndexError(number)

    def chunks(self) -> Iterator[Array]:
        """All rows, some at a time, as bytes."""
        self._flush()
        self._file.seek(0)
        for size in self._sizes:
            yield np.frombuffer(self._file.read(size), np.uint8)
