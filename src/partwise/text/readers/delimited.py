"""CSV and TSV with a header."""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.source import LIMIT, Source

ODD = "A row with another number of cells than the header"


def read_csv(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """Rows of a CSV file; where the header has no comma, the semicolon, tab or bar that it has instead."""
    return _read(source, stream, columns, ",;\t|")


def read_tsv(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """Rows of a TSV file."""
    return _read(source, stream, columns, "\t")


def _read(source: Source, stream: io.BufferedReader, columns: Columns, delimiters: str) -> Iterator[Document]:
    rows = _rows(source, stream, delimiters)
    _, header = next(rows, (0, []))
    if not header:
        raise ValueError(f"{source.name} is empty: a header with the names of the columns was expected.")
    names = [name.strip() for name in header]
    chosen = columns.among(names, source.name)
    places = {name: names.index(name) for name in chosen.asked}
    for number, (line, row) in enumerate(rows, 1):
        where = f"{source.name}, line {line}"
        if len(row) != len(names):
            source.problems.note(ODD, where)

        def cell(name: str, row: list[str] = row) -> Any:
            return row[places[name]] if places[name] < len(row) else None

        yield chosen.document(number, cell, where, source.problems)


def _rows(source: Source, stream: io.BufferedReader, delimiters: str) -> Iterator[tuple[int, list[str]]]:
    """(line where it starts, cells) of every row that is not blank."""
    csv.field_size_limit(max(csv.field_size_limit(), LIMIT))  # a setting of the process; higher harms nobody
    lines = _whole(source, stream)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first, delimiters), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{source.name}, line {start}: {_sentence(error)}") from None
        if row:
            yield start, row


def _whole(source: Source, stream: io.BufferedReader) -> Iterator[str]:
    for number, line in source.lines(stream):
        if line is None:
            raise ValueError(f"{source.name}, line {number} is longer than {LIMIT >> 20} MB: is it the right file?")
        yield line


def _delimiter(header: str, delimiters: str) -> str:
    found = [sign for sign in delimiters if sign in header]
    return found[0] if found else delimiters[0]


def _sentence(error: csv.Error) -> str:
    """What the csv module found, for a person."""
    if "field limit" in str(error) or "unexpected end" in str(error):
        return "a quote that opens in this row is never closed."
    return f"{error}; a quote inside a quoted cell is written twice."
