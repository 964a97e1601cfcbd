"""One file a format; adding one is a file and a line in each table."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TypeAlias

from partwise.text.document import Document
from partwise.text.readers.delimited import read_csv, read_tsv
from partwise.text.readers.json_array import read_json
from partwise.text.readers.jsonl import read_jsonl
from partwise.text.readers.parquet import read_parquet
from partwise.text.readers.plain_text import read_lines
from partwise.text.readers.source import TextSource
from partwise.text.readers.table_columns import TableColumns

DocumentReader: TypeAlias = Callable[[TextSource, io.BufferedReader, TableColumns], Iterator[Document]]

FORMATS: dict[str, DocumentReader] = {
    "lines": read_lines,
    "csv": read_csv,
    "tsv": read_tsv,
    "json": read_json,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
}
SUFFIXES = {
    ".txt": "lines",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
