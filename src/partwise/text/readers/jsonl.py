"""JSON Lines: one object a line."""

import io
import json
from collections.abc import Iterator
from itertools import chain, islice

from partwise.storage.settings import Plain
from partwise.text.document import Document
from partwise.text.readers.source import TOO_LONG, TextSource
from partwise.text.readers.table_columns import TableColumns

HEAD = 100
"""How many objects are read for the names of the columns; a single one may lack optional keys."""


def read_jsonl(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """Objects of a JSON Lines file; a key that one object lacks is a null there."""
    rows = _objects(source, stream)
    head = list(islice(rows, HEAD))
    if not head:
        return
    chosen = columns.among(list(dict.fromkeys(key for _, row in head for key in row)), source.name, source.problems)
    for number, (line, row) in enumerate(chain(head, rows), 1):
        yield chosen.document(number, row.get, f"{source.name}, line {line}", source.problems)


def _objects(source: TextSource, stream: io.BufferedReader) -> Iterator[tuple[int, dict[str, Plain]]]:
    """(line, object) of every line that is not blank."""
    for number, line in source.lines(stream):
        where = f"{source.name}, line {number}"
        if line is None:
            source.problems.note(TOO_LONG, where)
        elif line.strip():
            yield number, _object(line, where)


def _object(line: str, where: str) -> dict[str, Plain]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = why_not_json(error)
        raise ValueError(f"{where} is not JSON ({reason}); one object a line is expected.") from None
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not a JSON object but a {type(value).__name__}; one object a line is expected.")
    return {key: without_surrogates(cell) for key, cell in value.items()}


def why_not_json(error: Exception) -> str:
    """The reason why a text could not be read as JSON."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number in it has too many digits"


def without_surrogates(value: Plain) -> Plain:
    """A text without lone halves of surrogate pairs, which JSON can spell and nothing can print."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
