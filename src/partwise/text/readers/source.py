"""A file or stdin as lines of text: gzip, encodings, long lines, and a count of the problems on the way."""

from __future__ import annotations

import codecs
import encodings.aliases
import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from partwise.storage.gzipped import gunzipped

LIMIT = 1 << 25
"""The most bytes of one document; what is longer is hardly one document, and its words would fill the memory."""
BLOCK, LINE_FEED = 1 << 16, 10
BINARY = "Not text but a binary file, so left out"
TOO_LONG = f"Longer than {LIMIT >> 20} MB, so left out"
BOM = "\ufeff"
ENCODING = "utf-8,latin-1"
"""What is tried where no encoding is named; a line or file that is not UTF-8 is read as Latin-1, and counted."""


class ReadProblems:
    """Problems with single documents: how often each kind occurred, and where first."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}

    def note(self, what: str, where: str) -> None:
        """Count one more of a kind; the first place is kept."""
        count, first = self._counts.get(what, (0, where))
        self._counts[what] = (count + 1, first)

    def add(self, other: ReadProblems) -> None:
        """Add the problems of documents that come later in the collection."""
        for what, (count, where) in other._counts.items():
            before, first = self._counts.get(what, (0, where))
            self._counts[what] = (before + count, first)

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each kind, in the order in which they first occurred."""
        return tuple(
            f"{what}: {first}." if count == 1 else f"{what}: {count:,} times, first {first}."
            for what, (count, first) in self._counts.items()
        )


class Decoder:
    """bytes -> text in ``encoding``; a list such as "utf-8,latin-1" is tried in its order, line by line."""

    def __init__(self, encoding: str, problems: ReadProblems) -> None:
        self._names = tuple(_encoding_name(name.strip()) for name in encoding.split(","))
        self._problems = problems

    def with_problems(self, problems: ReadProblems) -> Decoder:
        """The same encodings, with another count of problems."""
        other = copy(self)
        other._problems = problems
        return other

    @property
    def first(self) -> str:
        """The encoding that is expected."""
        return self._names[0]

    @property
    def by_line(self) -> bool:
        """Whether a line feed is the byte 10, so that bytes can be cut into lines before they are decoded."""
        return all("\n".encode(name) == b"\n" for name in self._names)

    def whole(self, raw: bytes) -> str | None:
        """Bytes in the first encoding, None where they are not."""
        try:
            return raw.decode(self.first)
        except UnicodeDecodeError:
            return None

    def text(self, raw: bytes, name: str, line: int) -> str:
        """The text of bytes that start at a line of a file; bytes in no encoding are refused with their line."""
        for encoding in self._names:
            try:
                text = raw.decode(encoding)
            except UnicodeDecodeError as error:
                if encoding == self._names[-1]:
                    raise ValueError(self._refusal(error, raw, name, line)) from None
                continue
            if encoding != self.first:
                self._problems.note(f"Not {self.first}, so read as {encoding}", f"{name}, line {line}")
            return text.removeprefix(BOM) if line == 1 else text
        raise AssertionError("There is always an encoding.")

    def wide_text(self, raw: bytes, name: str) -> str | None:
        """The text of a file that begins as UTF-16 does, which is noted; None where it goes on otherwise."""
        try:
            text = raw.decode("utf-16")
        except UnicodeDecodeError:
            self._problems.note(BINARY, name)
            return None
        self._problems.note(f"Not {self.first}, so read as utf-16", name)
        return text

    def _refusal(self, error: UnicodeDecodeError, raw: bytes, name: str, line: int) -> str:
        line += raw.count(b"\n", 0, error.start)
        byte = f" (byte 0x{raw[error.start]:02X})" if error.start < len(raw) else ""
        return (
            f"{name}, line {line} is not {' or '.join(self._names)}{byte}; say what it is, such as --encoding latin-1, "
            "or --encoding utf-8,latin-1 where the two are mixed."
        )


def _encoding_name(name: str) -> str:
    """Python's name of a text encoding; an unknown one is refused with the nearest."""
    try:
        codec = codecs.lookup(name)
        if codec._is_text_encoding:
            return "utf-8" if codec.name == "utf-8-sig" else codec.name
    except (LookupError, ValueError):
        pass
    names = {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}
    near = get_close_matches(name.lower().replace("-", "_").replace(" ", "_"), sorted(names), n=1, cutoff=0.6)
    hint = f"did you mean {near[0].replace('_', '-')!r}?" if near else "use a name such as utf-8, latin-1 or cp1252."
    raise ValueError(f"There is no encoding {name!r}; {hint}")


@dataclass(frozen=True)
class TextSource:
    """Where documents come from; ``path`` None is stdin."""

    path: Path | None
    decoder: Decoder
    problems: ReadProblems
    archive: zipfile.ZipFile | None = None
    member: str = ""
    """With an archive, the file in it."""

    @classmethod
    def of(cls, path: Path | None, encoding: str) -> TextSource:
        """A source without problems so far."""
        problems = ReadProblems()
        return cls(path, Decoder(encoding, problems), problems)

    @property
    def name(self) -> str:
        """The file's name in messages."""
        name = "stdin" if self.path is None else str(self.path)
        return f"{name}/{self.member}" if self.member else name

    def file(self, path: Path | None, archive: zipfile.ZipFile | None = None, member: str = "") -> TextSource:
        """Another file with the same encoding, and problems of its own."""
        problems = ReadProblems()
        return TextSource(path, self.decoder.with_problems(problems), problems, archive, member)

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """The bytes, decompressed when they are gzipped (by their first two bytes, not by the name)."""
        raw: io.BufferedReader
        if self.archive is not None:
            raw = io.BufferedReader(cast(io.RawIOBase, self.archive.open(self.member)))
        else:
            raw = _buffered(sys.stdin.buffer) if self.path is None else self.path.open("rb")
        try:
            yield gunzipped(raw)
        except (gzip.BadGzipFile, zipfile.BadZipFile, EOFError, zlib.error):
            kind = "zip" if self.archive else "gzip"
            raise ValueError(f"{self.name} is not a whole {kind} file; fetch it again.") from None
        finally:
            if self.path is not None:
                raw.close()

    def is_binary(self, stream: io.BufferedReader) -> bool:
        """Whether the first bytes hold a NUL, which no text has outside UTF-16 and UTF-32."""
        return self.decoder.by_line and b"\0" in stream.peek(1 << 16)

    def is_wide(self, stream: io.BufferedReader) -> bool:
        """Whether a file that is binary in this encoding begins with the mark of UTF-16."""
        marked = stream.peek(4)[:4]
        wide = marked[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and marked != codecs.BOM_UTF32_LE
        return wide and self.is_binary(stream)

    def lines(self, stream: io.BufferedReader) -> Iterator[tuple[int, str | None]]:
        """(number, line with its end), the line None where it is longer than LIMIT; a binary file is refused."""
        blocks = ((None,) if isinstance(block, int) else in_lines(block) for block in self.line_blocks(stream))
        return enumerate(chain.from_iterable(blocks), 1)

    def line_blocks(self, stream: io.BufferedReader) -> Iterator[str | int]:
        """Texts of whole lines, many at a time; the number of a line in place of one that is longer than LIMIT."""
        if self.is_binary(stream):
            wide = self.is_wide(stream)
            hint = "it is UTF-16: say --encoding utf-16." if wide else "it is a binary file, not text."
            raise ValueError(f"{self.name} holds NUL bytes: {hint}")
        return self._decoded_blocks(stream) if self.decoder.by_line else self._wide_lines(stream)

    def _wide_lines(self, stream: io.BufferedReader) -> Iterator[str | int]:
        """Lines in an encoding of more bytes a character, one at a time."""
        number = 0
        wrapped = io.TextIOWrapper(stream, self.decoder.first, newline="\n")
        try:
            for number, text in enumerate(_limited_lines(wrapped), 1):
                yield number if text is None else text
        except UnicodeError:
            raise ValueError(
                f"{self.name}, after line {number} is not {self.decoder.first}; say what it is with --encoding."
            ) from None
        finally:
            wrapped.detach()

    def _decoded_blocks(self, stream: io.BufferedReader) -> Iterator[str | int]:
        """Blocks of lines, each decoded as a whole where all of it is in the first encoding."""
        name, number = self.name, 1
        for block in _line_blocks(stream):
            if block is None:
                yield number
                number += 1
            elif (text := self.decoder.whole(block)) is not None:
                yield text.removeprefix(BOM) if number == 1 else text
                number += int(np.count_nonzero(np.frombuffer(block, np.uint8) == LINE_FEED))
            else:
                lines = [self.decoder.text(raw, name, number + at) for at, raw in enumerate(io.BytesIO(block))]
                yield "".join(lines)
                number += len(lines)


def in_lines(text: str) -> Iterable[str]:
    """The lines of a text with their ends, of which the line feed is the only one."""
    return io.StringIO(text, newline="\n")


def _buffered(stream: BinaryIO) -> io.BufferedReader:
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))


def _line_blocks(stream: io.BufferedReader) -> Iterator[bytes | None]:
    """Blocks of whole lines; None in place of a line that is longer than LIMIT."""
    while block := stream.read(BLOCK):
        tail = b"" if block.endswith(b"\n") else stream.readline(LIMIT + 1)
        start = block.rfind(b"\n") + 1
        if tail and len(block) - start + len(tail) > LIMIT:
            if start:
                yield block[:start]
            while tail and not tail.endswith(b"\n"):
                tail = stream.readline(1 << 20)
            yield None
        else:
            yield block + tail


def _limited_lines(stream: io.TextIOWrapper) -> Iterator[str | None]:
    """Lines; None for one that is longer than LIMIT."""
    while line := stream.readline(LIMIT + 1):
        if len(line) <= LIMIT or line.endswith("\n"):
            yield line
            continue
        while line and not line.endswith("\n"):
            line = stream.readline(1 << 20)
        yield None
