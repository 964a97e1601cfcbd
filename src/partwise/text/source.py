"""A stream of bytes with a name: a file or stdin, gzipped or not, cut into lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, AnyStr

from partwise.text.encodings import Decoder
from partwise.text.problems import Problems

LIMIT = 1 << 25
"""The most bytes of one document; what is longer is hardly one document, and its words would fill the memory."""
TOO_LONG = f"Longer than {LIMIT >> 20} MB, so left out"


@dataclass(frozen=True)
class Source:
    """Where documents come from; ``path`` None is stdin."""

    path: Path | None
    decoder: Decoder
    problems: Problems

    @property
    def name(self) -> str:
        """The file's name as messages have it."""
        return "stdin" if self.path is None else str(self.path)

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """The bytes, unpacked when they are gzipped (by their first two bytes, not by the name)."""
        raw = _buffered(sys.stdin.buffer) if self.path is None else self.path.open("rb")
        try:
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw)) if raw.peek(2)[:2] == b"\x1f\x8b" else raw
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise ValueError(f"{self.name} is not a whole gzip file; fetch it again.") from None
        finally:
            if self.path is not None:
                raw.close()

    def is_binary(self, stream: io.BufferedReader) -> bool:
        """Whether the first bytes hold a NUL, which no text has outside UTF-16 and UTF-32."""
        return self.decoder.by_line and b"\0" in stream.peek(1 << 16)

    def refuse_binary(self, stream: io.BufferedReader) -> None:
        """A sentence for a file that is not text."""
        if self.is_binary(stream):
            wide = stream.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
            hint = "it is UTF-16: say --encoding utf-16." if wide else "it is a binary file, not text."
            raise ValueError(f"{self.name} holds NUL bytes: {hint}")

    def lines(self, stream: io.BufferedReader) -> Iterator[tuple[int, str | None]]:
        """(number, line with its end), the line None where it is longer than LIMIT."""
        self.refuse_binary(stream)
        if self.decoder.by_line:
            for number, raw in enumerate(_pieces(stream.readline, b"\n"), 1):
                yield number, None if raw is None else self.decoder.text(raw, self.name, number)
            return
        number = 0
        wrapped = io.TextIOWrapper(stream, self.decoder.first, newline="\n")
        try:
            for number, text in enumerate(_pieces(wrapped.readline, "\n"), 1):
                yield number, text
        except UnicodeError:
            raise ValueError(
                f"{self.name}, after line {number} is not {self.decoder.first}; say what it is with --encoding."
            ) from None
        finally:
            wrapped.detach()


def _buffered(stream: Any) -> io.BufferedReader:
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)


def _pieces(readline: Callable[[int], AnyStr], end: AnyStr) -> Iterator[AnyStr | None]:
    """Lines; of one that is longer than LIMIT only that there was one."""
    while line := readline(LIMIT + 1):
        if len(line) <= LIMIT or line.endswith(end):
            yield line
            continue
        while line and not line.endswith(end):
            line = readline(1 << 20)
        yield None
