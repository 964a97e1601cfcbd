"""One document a line."""

import io
from collections.abc import Iterator

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.source import TOO_LONG, Source


def read_lines(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """A document for every line that is not blank; its id is the number of the line."""
    if columns.asked:
        raise ValueError(f"{source.name} has one document a line and no columns; leave {columns.asked[0]!r} out.")
    for number, line in source.lines(stream):
        if line is None:
            source.problems.note(TOO_LONG, f"{source.name}, line {number}")
        elif line.strip():
            yield Document(str(number), line.removesuffix("\n").removesuffix("\r"))
