"""``partwise convert``: a matrix file or texts into a matrix on disk, to be factored without loading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from partwise.arguments import as_bytes, choose, readable_bytes
from partwise.cli import options
from partwise.cli.fitting import keeping
from partwise.cli.matrix_input import is_matrix
from partwise.cli.output import counted, note, print_json, say, working
from partwise.data.manifest import Stored
from partwise.data.write import partial
from partwise.io.convert import LEAST_LIMIT, PROGRAM_BYTES, TEXT_PROGRAM_BYTES
from partwise.io.convert import convert as store
from partwise.text.disk_collection import store_texts
from partwise.text.document import Document
from partwise.text.read_documents import TextFiles
from partwise.text.weighting import Weighting

SOURCE = (
    "A matrix (npz, mtx, npy, csv, tsv, or parquet with row, column and value), or texts: a folder or a file "
    "(txt, csv, tsv, jsonl, parquet)."
)


@options.grouped()
def convert(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help=SOURCE)],
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
    memory_limit: Annotated[str, typer.Option(help="The memory that the process may take, e.g. 200MB.")] = "1GB",
    long: Annotated[
        str | None, typer.Option(help="What the parts run along, rows or columns; the longer unless given.")
    ] = None,
    as_json: options.Json = False,
    *,
    unknown: options.UnknownOptions,
    reading: options.ReadingOptions,
    words: options.WordOptions,
) -> None:
    """Store a matrix or texts of any size as a folder that `factorize` and `topics` read part by part.

    Example: partwise convert matrix.mtx matrix.parts --memory-limit 1GB

    Example: partwise convert ratings.mtx ratings.parts --missing zeros

    Example: partwise convert news.parquet news.parts --column text
    """
    if (source / ".zarray").exists() or (source / "zarr.json").exists():
        raise ValueError(f"{source} is a zarr array: open it with zarr and give it to partwise.write_matrix.")
    axis = None if long is None else choose("axis", long, {"rows": 0, "columns": 1})
    limit = as_bytes(memory_limit)
    weighting = words.weighting()
    if reading.column is None and reading.format is None and not source.is_dir() and is_matrix(str(source)):
        with keeping(partial(target)), working("sorting into parts"):
            left = _beside(PROGRAM_BYTES, limit)
            stored = store(source, target, long=axis, memory_limit=left, **vars(unknown))
    elif unknown != options.UnknownOptions():
        raise ValueError("Texts have no unknown entries; leave out --missing, --weights and --unstored.")
    elif axis == 0:
        raise ValueError("The parts of texts run along the documents, which are columns; leave --long out.")
    else:
        texts = TextFiles(source, warn=note, **vars(reading))
        stored = _store_texts(texts, target, weighting, _beside(TEXT_PROGRAM_BYTES, limit))
    rows, columns = stored.shape
    summary = {"folder": str(target), "shape": [rows, columns], "entries": stored.nnz, "parts": stored.parts}
    if as_json:
        print_json(summary)
    else:
        say(f"{rows:,} × {columns:,}, {stored.nnz:,} entries in {stored.parts} parts: {target}.")


def _beside(program: int, limit: int) -> int:
    """What a memory limit leaves beside the program itself; one that cannot be kept is refused."""
    if limit < program + LEAST_LIMIT:
        least, own = readable_bytes(program + LEAST_LIMIT), readable_bytes(program)
        raise ValueError(f"--memory-limit must be at least {least}, of which the program itself takes {own}.")
    return limit - program


def _store_texts(texts: TextFiles, target: Path, weighting: Weighting, limit: int) -> Stored:
    """Count and then weigh texts, with progress on stderr."""
    with keeping(partial(target)), working("counting") as update:
        return store_texts(target, _CountedTexts(texts, update), weighting, memory_limit=limit, source=texts.mark)


class _CountedTexts:
    """Texts that report how many of them have been read, in each of two passes."""

    def __init__(self, texts: TextFiles, update: Callable[[str], None]) -> None:
        self._texts, self._update = texts, update
        self._passes = iter(("documents counted", "documents weighed"))

    def __iter__(self) -> Iterator[Document]:
        return counted(self._texts, self._update, next(self._passes))
