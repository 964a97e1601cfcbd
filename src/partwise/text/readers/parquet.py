"""Parquet, in batches of rows."""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from partwise.documents import Document
from partwise.text.columns import Columns
from partwise.text.source import Source

BATCH = 1000


def read_parquet(source: Source, stream: io.BufferedReader, columns: Columns) -> Iterator[Document]:
    """Rows of a Parquet file; only the columns that are needed are read."""
    arrow, parquet = _arrow()
    try:
        with _seekable(stream) as whole, parquet.ParquetFile(whole) as file:
            chosen = columns.among(file.schema_arrow.names, source.name)
            number = 0
            for batch in file.iter_batches(BATCH, columns=list(chosen.asked)):
                cells = {name: batch.column(name).to_pylist() for name in chosen.asked}
                for row in range(batch.num_rows):
                    number += 1
                    where = f"{source.name}, row {number}"

                    def cell(name: str, row: int = row, where: str = where, cells: dict[str, Any] = cells) -> Any:
                        value = cells[name][row]
                        return source.decoder.text(value, where, 1) if isinstance(value, bytes) else value

                    yield chosen.document(number, cell, where, source.problems)
    except (arrow.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise ValueError(f"{source.name} cannot be read as Parquet: {said}.") from None


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # imported late: only this format needs it
        import pyarrow.parquet
    except ImportError:
        raise ValueError("Reading Parquet needs the package pyarrow: pip install 'partwise[text]'.") from None
    return pyarrow, pyarrow.parquet


@contextmanager
def _seekable(stream: io.BufferedReader) -> Iterator[IO[bytes]]:
    """The stream itself when it is a plain file, else a copy on disk: Parquet is read from its end."""
    if isinstance(stream.raw, io.FileIO) and stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy
