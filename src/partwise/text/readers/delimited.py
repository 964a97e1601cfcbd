"""CSV and TSV with a header."""

import csv
import io
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from operator import itemgetter

from partwise.text.document import Document
from partwise.text.readers.source import LIMIT, TextSource
from partwise.text.readers.table_columns import TableColumns

ODD = "A row with another number of cells than the header"


def read_csv(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Rows of a CSV file; where the header has no comma, the semicolon, tab or bar that it has instead."""
    return _read(source, stream, columns, ",;\t|")


def read_tsv(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Rows of a TSV file."""
    return _read(source, stream, columns, "\t")


def _read(source: TextSource, stream: io.BufferedReader, columns: TableColumns, delimiters: str) -> Iterator[Document]:
    rows = _rows(source, stream, delimiters)
    _, header = next(rows, (0, []))
    if not header:
        raise ValueError(f"{source.name} is empty: a header with the names of the columns was expected.")
    names = [name.strip() for name in header]
    chosen = columns.among(names, source.name, source.problems)
    width, wanted = len(names), (chosen.id, chosen.text, chosen.title, chosen.label)
    cells = itemgetter(*(width if name is None else names.index(name) for name in wanted))
    for number, (line, row) in enumerate(rows, 1):
        if len(row) == width:
            row.append("")  # the cell of a column that is not wanted
            id, text, title, label = cells(row)
            yield Document(id or str(number), text, title, label)
        else:
            where = f"{source.name}, line {line}"
            source.problems.note(ODD, where)
            yield chosen.document(number, partial(_cell, names, row), where, source.problems)


def _cell(names: list[str], row: list[str], name: str) -> str | None:
    """The cell of a row under a name; None where the row ends before it."""
    place = names.index(name)
    return row[place] if place < len(row) else None


def _rows(source: TextSource, stream: io.BufferedReader, delimiters: str) -> Iterator[tuple[int, list[str]]]:
    """(line where it starts, cells) of every row that is not blank."""
    csv.field_size_limit(max(csv.field_size_limit(), LIMIT))  # a setting of the process; higher harms nobody
    lines = chain.from_iterable(_short_blocks(source, stream))
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


def _short_blocks(source: TextSource, stream: io.BufferedReader) -> Iterator[Iterable[str]]:
    """Blocks of lines; one that is too long is refused."""
    for block in source.line_blocks(stream):
        if isinstance(block, int):
            raise ValueError(f"{source.name}, line {block} is longer than {LIMIT >> 20} MB: is it the right file?")
        yield block


def _delimiter(header: str, delimiters: str) -> str:
    return next((sign for sign in delimiters if sign in header), delimiters[0])


def _sentence(error: csv.Error) -> str:
    """An error of the csv module as a sentence."""
    if "field limit" in str(error) or "unexpected end" in str(error):
        return "a quote that opens in this row is never closed."
    return f"{error}; a quote inside a quoted cell is written twice."
