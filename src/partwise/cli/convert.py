"""``partwise convert``: a matrix file into a matrix on disk, to be factored without loading it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.cli import options
from partwise.cli.output import print_json, say, working
from partwise.conversion import convert as store
from partwise.planning import as_bytes


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="MATRIX", help="npz, mtx, npy, csv, tsv, or parquet with row, column and value.")
    ],
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
    memory_limit: Annotated[str, typer.Option(help="About as much memory as may be used.")] = "1GB",
    long: Annotated[
        str | None, typer.Option(help="What the parts run along, rows or columns; the longer unless given.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Store a matrix of any size as a folder that `factorize` reads part by part.

    Example: partwise convert matrix.mtx matrix.parts --memory-limit 1GB
    """
    axes = {"rows": 0, "columns": 1}
    if long is not None and long not in axes:
        raise ValueError(f"--long must be rows or columns, not {long!r}.")
    with working("sorting into parts"):
        made = store(source, target, long=None if long is None else axes[long], memory_limit=as_bytes(memory_limit))
    rows, columns = made.shape[:: -1 if made.long else 1]
    told = {"folder": str(target), "shape": [rows, columns], "entries": made.nnz, "parts": made.parts}
    if as_json:
        print_json(told)
    else:
        say(f"{rows:,} × {columns:,}, {made.nnz:,} entries in {made.parts} parts: {target}.")
