"""JSON: one array of objects or of texts."""

import io
import json
from collections.abc import Iterator

from partwise.text.document import Document
from partwise.text.readers.jsonl import HEAD, why_not_json, without_surrogates
from partwise.text.readers.source import TextSource
from partwise.text.readers.table_columns import TableColumns


def read_json(source: TextSource, stream: io.BufferedReader, columns: TableColumns) -> Iterator[Document]:
    """The objects of an array, or its texts; the whole file is read first."""
    text = source.decoder.text(stream.read(), source.name, 1)
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = f"{why_not_json(error)}{line}"
        raise ValueError(
            f"{source.name} is not a JSON array ({reason}); where it has one object a line, say --format jsonl."
        ) from None
    if not isinstance(rows, list):
        raise ValueError(
            f"{source.name} holds no JSON array but a {type(rows).__name__}; an array of objects is expected."
        )
    if all(isinstance(row, str) for row in rows):
        if columns.names:
            raise ValueError(f"{source.name} is an array of texts and has no columns; leave {columns.names[0]!r} out.")
        rows = [{"text": row} for row in rows]
    wrong = next((number for number, row in enumerate(rows, 1) if not isinstance(row, dict)), None)
    if wrong is not None:
        raise ValueError(f"{source.name}, entry {wrong} is a {type(rows[wrong - 1]).__name__}, not an object.")
    if rows:
        chosen = columns.among(
            list(dict.fromkeys(key for row in rows[:HEAD] for key in row)), source.name, source.problems
        )
        for number, row in enumerate(rows, 1):
            cells = {key: without_surrogates(cell) for key, cell in row.items()}
            yield chosen.document(number, cells.get, f"{source.name}, entry {number}", source.problems)
