"""CSV and TSV with a header.

Python's csv module says what a row is. It looks at every character by itself, so that rows as most files have them are
cut out by one regular expression in less than half the time; from the first row on that does not match it, csv reads.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, repeat
from operator import itemgetter

from partwise.text.document import Document
from partwise.text.readers.source import LIMIT, TextSource, in_lines
from partwise.text.readers.table_columns import TableColumns

ODD = "A row with another number of cells than the header"
LONG = 1 << 22
"""Characters of a row from which on csv reads it."""


def read_csv(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Rows of a CSV file; where the header has no comma, the semicolon, tab or bar that it has instead."""
    return _read(source, stream, columns, ",;\t|")


def read_tsv(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Rows of a TSV file."""
    return _read(source, stream, columns, "\t")


def _read(source: TextSource, stream: io.BufferedReader, columns: TableColumns, delimiters: str) -> Iterator[Document]:
    csv.field_size_limit(max(csv.field_size_limit(), LIMIT))  # a setting of the process; higher harms nobody
    blocks = _short_blocks(source, stream)
    text = next(blocks, "")
    first, end, text = text.partition("\n")
    delimiter = _delimiter(first, delimiters)
    rows = _rows(source, chain([first + end], _lines(text, blocks)), delimiter)
    _, header = next(rows, (0, []))
    if not header:
        raise ValueError(f"{source.name} is empty: a header with the names of the columns was expected.")
    names = [name.strip() for name in header]
    chosen = columns.among(names, source.name, source.problems)
    width, wanted = len(names), (chosen.id, chosen.text, chosen.title, chosen.label)
    places = [None if name is None else names.index(name) for name in wanted]
    before = 0
    if width > 1 and first.strip() and first.count('"') % 2 == 0:  # the header is one line, and csv has read no more
        usual = _UsualRows(delimiter, width, places)
        yield from usual.documents(chain([text], blocks))
        before, rows = usual.count, _rows(source, _lines(usual.rest, blocks), delimiter, usual.lines + 1)
    cells = itemgetter(*(width if place is None else place for place in places))
    for number, (line, row) in enumerate(rows, before + 1):
        if len(row) == width:
            row.append("")  # the cell of a column that is not wanted
            id, text, title, label = cells(row)
            yield Document(id or str(number), text, title, label)
        else:
            where = f"{source.name}, line {line}"
            source.problems.note(ODD, where)
            yield chosen.document(number, partial(_cell, names, row), where, source.problems)


class _UsualRows:
    """Rows with as many cells as the header, each in quotes as a whole or without any: csv reads them alike.

    ``rest`` is what follows the last of the ``count`` rows that were found, which took ``lines`` lines.
    """

    def __init__(self, delimiter: str, width: int, places: list[int | None]) -> None:
        self._wanted = sorted({place for place in places if place is not None})
        self._places = places
        quoted, plain = '[^"]*+(?:""[^"]*+)*+', f'[^"\r\n{re.escape(delimiter)}]*+'
        cells = (
            f'(?:"({quoted})"|({plain}))' if i in self._wanted else f'(?:"{quoted}"|{plain})' for i in range(width)
        )
        self._find = re.compile(f"{re.escape(delimiter).join(cells)}\r?\n|((?s:.+))").findall
        self.rest, self.count, self.lines = "", 0, 0

    def documents(self, blocks: Iterable[str]) -> Iterator[Document]:
        """The documents of these rows; ends before the first row that is none of them, or longer than ``LONG``."""
        least = 0
        for block in blocks:
            text = self.rest = self.rest + block
            if len(text) < least:
                continue
            rows = self._find(text)
            self.rest = rows[-1][-1] if rows else ""
            if self.rest:
                rows.pop()
            if not rows and self.rest:  # the beginning of a long row, or another one
                least = 2 * len(text)
                if least > LONG:
                    return
                continue
            least = 0
            yield from map(Document, *self._columns(rows))
            self.count += len(rows)
            self.lines += text.count("\n") - self.rest.count("\n")

    def _columns(self, rows: list[tuple[str, ...]]) -> Iterator[Iterable[str]]:
        """Ids, texts, titles and labels of rows as the pattern finds them: two groups a cell, one of them empty."""
        columns: dict[int | None, list[str]] = {}
        for i, place in enumerate(self._wanted):
            cells = map(itemgetter(2 * i, 2 * i + 1), rows)
            columns[place] = [
                quoted.replace('""', '"') if '"' in quoted else quoted or plain for quoted, plain in cells
            ]
        ids, *others = (columns.get(place) for place in self._places)
        numbers = map(str, range(self.count + 1, self.count + len(rows) + 1))
        yield numbers if ids is None else [id or number for id, number in zip(ids, numbers, strict=True)]
        yield from (repeat("") if column is None else column for column in others)


def _cell(names: list[str], row: list[str], name: str) -> str | None:
    """The cell of a row under a name; None where the row ends before it."""
    place = names.index(name)
    return row[place] if place < len(row) else None


def _rows(source: TextSource, lines: Iterable[str], delimiter: str, before: int = 0) -> Iterator[tuple[int, list[str]]]:
    """(line where it starts, cells) of every row that is not blank; ``before`` is how many lines were read already."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = before + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{source.name}, line {start}: {_sentence(error)}") from None
        if row:
            yield start, row


def _short_blocks(source: TextSource, stream: io.BufferedReader) -> Iterator[str]:
    """Blocks of lines; one that is too long is refused."""
    for block in source.line_blocks(stream):
        if isinstance(block, int):
            raise ValueError(f"{source.name}, line {block} is longer than {LIMIT >> 20} MB: is it the right file?")
        yield block


def _lines(text: str, blocks: Iterable[str]) -> Iterator[str]:
    """The lines of a text and of the blocks after it."""
    return chain(in_lines(text), chain.from_iterable(map(in_lines, blocks)))


def _delimiter(header: str, delimiters: str) -> str:
    return next((sign for sign in delimiters if sign in header), delimiters[0])


def _sentence(error: csv.Error) -> str:
    """An error of the csv module as a sentence."""
    if "field limit" in str(error) or "unexpected end" in str(error):
        return "a quote that opens in this row is never closed."
    return f"{error}; a quote inside a quoted cell is written twice."
