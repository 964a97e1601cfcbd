"""``read_documents``: the documents of a folder, a file or stdin; ``TextFiles``: the same, to be read repeatedly."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TypedDict, Unpack

from partwise.arguments import choose
from partwise.storage.targets import check_path
from partwise.text.cleaning import cleaner
from partwise.text.document import Document
from partwise.text.readers import FORMATS, SUFFIXES
from partwise.text.readers.parquet import is_parquet_folder, read_parquet_files
from partwise.text.readers.plain_text import read_folder
from partwise.text.readers.several_files import is_glob, matching, read_glob, read_zip
from partwise.text.readers.source import ENCODING, TextSource
from partwise.text.readers.table_columns import TableColumns


class ReadOptions(TypedDict, total=False):
    """How :func:`read_documents` reads."""

    format: str | None
    column: str | None
    id_column: str | None
    title_column: str | None
    label_column: str | None
    encoding: str
    strip: str | None
    unique: bool


def read_documents(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    column: str | None = None,
    id_column: str | None = None,
    title_column: str | None = None,
    label_column: str | None = None,
    encoding: str = ENCODING,
    strip: str | None = None,
    unique: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Iterator[Document]:
    """The documents of a folder, a file or stdin (``-``), one at a time, plain or gzipped.

    Parameters
    ----------
    path : a folder (every file below it; the id is the path inside; or Parquet files, read one after the other), a
        file, a pattern of files such as ``news/*.csv``, a zip file of texts or of tables, or ``-`` for stdin.
    format : "lines", "csv", "tsv", "json" (an array), "jsonl" or "parquet"; from the file's name unless given, stdin is
        "lines".
    column : the text's column or key; "text", or the only one, unless given. Ids are row numbers unless given.
    title_column : a column, or "auto": without ``id_column`` the first of "title", "headline", "name", "subject",
        "filename" and "id" that the table has; ``warn`` is told which.
    encoding : an encoding, or several such as "utf-8,latin-1", of which the first that fits a line or file is taken.
    strip : "mail" (headers, quoted lines, signatures), "html" (tags), or "mail,html".
    unique : leave out a text that is an exact copy of an earlier one; how many is told to ``warn``.
    warn : is called after the last document with one sentence for each kind of problem with single documents;
        Python's warnings unless given.

    Errors up to the first document are raised by the call itself, later ones while the documents are read.
    """
    columns = TableColumns(column, id_column, title_column, label_column)
    if format is not None:
        choose("format", format, FORMATS)
    clean = cleaner(strip)
    source = TextSource.of(None if str(path) == "-" else Path(path), encoding)
    documents = _documents(source, format, columns)
    if clean is not None:
        documents = (replace(document, text=clean(document.text)) for document in documents)
    if unique:
        documents = _without_copies(source, documents)
    documents = _with_warnings(source, documents, warn or python_warning)
    return chain([next(documents)], documents)  # the first one makes every check now


def _documents(source: TextSource, format: str | None, columns: TableColumns) -> Iterator[Document]:
    if source.path is not None and source.path.is_dir():
        if format == "parquet" or (format is None and is_parquet_folder(source.path)):
            yield from read_parquet_files(source, columns)
            return
        if format is not None:
            raise ValueError(f"{source.name} is a folder; a format is for a single file.")
        yield from read_folder(source, columns)
        return
    if source.path is not None and is_glob(source.path):
        yield from read_glob(source, format, columns)
        return
    if source.path is not None and source.path.suffix.lower() == ".zip" and source.path.is_file():
        yield from read_zip(source, format, columns)
        return
    chosen = format or _format_of(source)
    try:
        with source.opened() as stream:
            yield from FORMATS[chosen](source, stream, columns)
    except FileNotFoundError:
        raise FileNotFoundError(missing(source.path)) from None
    except PermissionError:
        raise PermissionError(f"The file {source.name} may not be read.") from None


def _without_copies(source: TextSource, documents: Iterator[Document]) -> Iterator[Document]:
    seen: set[bytes] = set()
    for document in documents:
        digest = hashlib.blake2b(document.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if document.text.strip() and digest in seen:
            source.problems.note("An exact copy of an earlier text, so left out", document.id)
            continue
        seen.add(digest)
        yield document


def _with_warnings(
    source: TextSource, documents: Iterator[Document], warn: Callable[[str], None]
) -> Iterator[Document]:
    """The documents, then the problems with single ones; no document at all is refused."""
    document = None
    for document in documents:
        yield document
    if document is None:
        raise ValueError(" ".join((f"There is no document in {source.name}.", *source.problems.sentences())))
    for sentence in source.problems.sentences():
        warn(sentence)


def _format_of(source: TextSource) -> str:
    """The format by the name of a file."""
    if source.path is None:
        return "lines"
    suffixes = [suffix.lower() for suffix in source.path.suffixes]
    last = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else suffixes[-1] if suffixes else ""
    if last not in SUFFIXES and source.path.exists():
        raise ValueError(
            f"{source.name} does not end in {', '.join(SUFFIXES)} (or one of these and .gz) or .zip; say what it is "
            f"with --format, one of {', '.join(FORMATS)}."
        )
    return SUFFIXES.get(last, "lines")


def missing(path: Path | None) -> str:
    """That there is no such file, with the nearest name in its folder."""
    assert path is not None
    check_path(path)
    names = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f"There is no file or folder {path}" + (f"; did you mean {path.parent / near[0]}?" if near else ".")


def python_warning(sentence: str) -> None:
    """Issue a sentence as a warning of Python's."""
    warnings.warn(sentence, stacklevel=2)


class TextFiles:
    """The documents that :func:`read_documents` reads, anew in each iteration; ``warn`` is called in the first only."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        warn: Callable[[str], None] | None = None,
        **options: Unpack[ReadOptions],
    ) -> None:
        if str(path) == "-":
            raise ValueError("What comes from stdin can be read once only; put it in a file first.")
        self.path, self._options = Path(path), options
        self._warn = warn or python_warning

    def __iter__(self) -> Iterator[Document]:
        warn, self._warn = self._warn, lambda sentence: None
        return read_documents(self.path, warn=warn, **self._options)

    @property
    def mark(self) -> str:
        """What identifies these texts: names, sizes and times of the files, and the options they are read with."""
        if is_glob(self.path):
            paths = matching(self.path)
        elif not self.path.exists():
            raise FileNotFoundError(missing(self.path))
        else:
            paths = sorted(self.path.rglob("*")) if self.path.is_dir() else [self.path]
        digest = hashlib.blake2b(repr(sorted(self._options.items())).encode(), digest_size=16)
        for path in paths:
            status = path.stat()
            digest.update(f"{path}, {status.st_size}, {status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return f"{self.path.name}, {len(paths)} files, {digest.hexdigest()}"
