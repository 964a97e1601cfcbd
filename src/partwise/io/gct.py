"""Gene expression in the GCT format: genes in rows, samples in columns."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from partwise.storage.gzipped import open_text
from partwise.types import Array


class GeneTable(NamedTuple):
    """Genes × samples, with their names."""

    values: Array
    genes: tuple[str, ...]
    descriptions: tuple[str, ...]
    samples: tuple[str, ...]


def read_gct(path: Path) -> GeneTable:
    """A GCT 1.2 file: '#1.2', the counts, the names of the samples, then a gene a line."""
    with open_text(Path(path), "latin-1") as file:
        lines = file.read().splitlines()
    if not lines or lines[0].strip() != "#1.2":
        raise ValueError(f"{path}, line 1: expected '#1.2'.")
    counts = lines[1].split() if len(lines) > 1 else []
    if len(counts) < 2 or not all(count.isdecimal() for count in counts[:2]):
        raise ValueError(f"{path}, line 2: expected the numbers of genes and samples.")
    genes, samples = int(counts[0]), int(counts[1])
    head = lines[2].split("\t") if len(lines) > 2 else []
    if [name.lower() for name in head[:2]] != ["name", "description"] or len(head) != samples + 2:
        raise ValueError(f"{path}, line 3: expected Name, Description and the names of {samples} samples.")
    body = [(number, line) for number, line in enumerate(lines[3:], 4) if line.strip()]
    if len(body) != genes:
        raise ValueError(f"{path}, line {len(lines)}: the file ends after {len(body)} of {genes} genes.")
    rows = [_gene(line, samples, f"{path}, line {number}") for number, line in body]
    names, descriptions, values = zip(*rows, strict=True)
    return GeneTable(np.array(values), names, descriptions, tuple(head[2:]))


def _gene(line: str, samples: int, where: str) -> tuple[str, str, list[float]]:
    cells = line.split("\t")
    if len(cells) != samples + 2:
        raise ValueError(f"{where}: expected {samples + 2} cells, found {len(cells)}.")
    try:
        return cells[0], cells[1], [float(cell) for cell in cells[2:]]
    except ValueError as error:
        raise ValueError(f"{where}: {error}.") from None
