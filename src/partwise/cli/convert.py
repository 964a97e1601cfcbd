"""``partwise convert``: a matrix file or texts into a matrix on disk, to be factored without loading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from partwise.arguments import as_bytes
from partwise.cli import options
from partwise.cli.grouping import grouped
from partwise.cli.matrices import is_matrix
from partwise.cli.output import counted, note, print_json, say, working
from partwise.data.manifest import Stored
from partwise.io.convert import convert as store
from partwise.text.document import Document
from partwise.text.stored import store_texts
from partwise.text.text_files import TextFiles
from partwise.text.weighting import Weighting

SOURCE = (
    "A matrix (npz, mtx, npy, csv, tsv, or parquet with row, column and value), or texts: a folder or a file "
    "(txt, csv, tsv, jsonl, parquet)."
)


@grouped()
def convert(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help=SOURCE)],
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
    memory_limit: Annotated[str, typer.Option(help="About as much memory as may be used.")] = "1GB",
    long: Annotated[
        str | None, typer.Option(help="What the parts run along, rows or columns; the longer unless given.")
    ] = None,
    as_json: options.Json = False,
    *,
    reading: options.Reading,
    words: options.Words,
) -> None:
    """Store a matrix or texts of any size as a folder that `factorize` and `topics` read part by part.

    Example: partwise convert matrix.mtx matrix.parts --memory-limit 1GB

    Example: partwise convert news.parquet news.parts --column text
    """
    axes = {"rows": 0, "columns": 1}
    if long is not None and long not in axes:
        raise ValueError(f"--long must be rows or columns, not {long!r}.")
    limit = as_bytes(memory_limit)
    weighting = words.weighting()
    if reading.column is None and reading.format is None and not source.is_dir() and is_matrix(str(source)):
        with working("sorting into parts"):
            made = store(source, target, long=None if long is None else axes[long], memory_limit=limit)
    elif long == "rows":
        raise ValueError("The parts of texts run along the documents, which are columns; leave --long out.")
    else:
        made = _stored(TextFiles(source, warn=note, **vars(reading)), target, weighting, limit)
    rows, columns = made.shape[:: -1 if made.long else 1]
    told = {"folder": str(target), "shape": [rows, columns], "entries": made.nnz, "parts": made.parts}
    if as_json:
        print_json(told)
    else:
        say(f"{rows:,} × {columns:,}, {made.nnz:,} entries in {made.parts} parts: {target}.")


def _stored(texts: TextFiles, target: Path, weighting: Weighting, limit: int) -> Stored:
    """Texts counted, then weighed, while it is told how far that is."""
    with working("counting") as tell:
        return store_texts(target, _Told(texts, tell), weighting, memory_limit=limit, source=texts.mark)


class _Told:
    """Texts that say how many of them have been read."""

    def __init__(self, texts: TextFiles, tell: Callable[[str], None]) -> None:
        self._texts, self._tell = texts, tell
        self._passes = iter(("documents counted", "documents weighed"))

    def __iter__(self) -> Iterator[Document]:
        return counted(self._texts, self._tell, next(self._passes))
