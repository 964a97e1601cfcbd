"""JSON Lines: one object a line."""

import io
import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from partwise.text.columns import Columns
from partwise.text.document import Document
from partwise.text.source import TOO_LONG, Source

HEAD = 100
"""How many objects are looked at for the names of the columns; one alone may lack what is optional."""


def read_jsonl(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """Objects of a JSON Lines file; a key that one object lacks is a null there."""
    rows = _objects(source, stream)
    head = list(islice(rows, HEAD))
    if not head:
        return
    chosen = columns.among(list(dict.fromkeys(key for _, row in head for key in row)), source.name)
    for number, (line, row) in enumerate(chain(head, rows), 1):
        yield chosen.document(number, row.get, f"{source.name}, line {line}", source.problems)


def _objects(source: Source, stream: io.BufferedReader) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of every line that is not blank."""
    for number, line in source.lines(stream):
        where = f"{source.name}, line {number}"
        if line is None:
            source.problems.note(TOO_LONG, where)
        elif line.strip():
            yield number, _object(line, where)


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
        raise ValueError(f"{where} is not JSON ({said}); one object a line is expected.") from None
    if not isinstance(found, dict):
        raise ValueError(f"{where} is not a JSON object but a {type(found).__name__}; one object a line is expected.")
    return {key: _whole(value) for key, value in found.items()}


def _whole(value: Any) -> Any:
    """A text without lone halves of surrogate pairs, which JSON can spell and nothing can print."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
