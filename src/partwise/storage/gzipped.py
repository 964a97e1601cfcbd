"""Read files that may be gzipped, recognised by their first two bytes, not by their names."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAGIC = b"\x1f\x8b"


def gunzipped(stream: io.BufferedReader) -> io.BufferedReader:
    """The bytes of a stream, decompressed where they are gzipped."""
    if stream.peek(2)[:2] != MAGIC:
        return stream
    return io.BufferedReader(gzip.GzipFile(fileobj=stream))


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """A file for reading, decompressed where it is gzipped."""
    with path.open("rb") as file:
        yield gunzipped(file)


@contextmanager
def open_text(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    """The same file as text."""
    with open_bytes(path) as stream:
        yield io.TextIOWrapper(stream, encoding=encoding)
