"""Reader of gene expression in the GCT format, with a table of the samples."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .locate import find


@dataclass(frozen=True, eq=False)
class Expression:
    """Genes by samples, and for each sample its class and subtype where a table gives them."""

    values: NDArray[np.float64]
    genes: tuple[str, ...]
    descriptions: tuple[str, ...]
    samples: tuple[str, ...]
    classes: tuple[str, ...] = ()
    subtypes: tuple[str, ...] = ()


def load_golub(data: Path | None = None) -> Expression:
    """The leukaemia data of Golub et al. in the 5,000 genes of Brunet et al.: 27 ALL and 11 AML samples."""
    read = read_gct(find("golub-leukemia", "ALL_AML_5000x38.gct", data=data))
    path = find("golub-leukemia", "samples.tsv", data=data)
    table = read_samples(path)
    for sample in read.samples:
        if sample not in table:
            raise ValueError(f"{path}: the sample {sample} of the expression file is missing.")
    classes, subtypes = zip(*(table[sample] for sample in read.samples), strict=True)
    return Expression(read.values, read.genes, read.descriptions, read.samples, classes, subtypes)


def read_gct(path: Path) -> Expression:
    """A GCT 1.2 file: '#1.2', the counts, the names of the samples, then a gene a line."""
    lines = Path(path).read_text(encoding="latin-1").splitlines()
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
    return Expression(np.array(values), names, descriptions, tuple(head[2:]))


def _gene(line: str, samples: int, where: str) -> tuple[str, str, list[float]]:
    cells = line.split("\t")
    if len(cells) != samples + 2:
        raise ValueError(f"{where}: expected {samples + 2} cells, found {len(cells)}.")
    try:
        return cells[0], cells[1], [float(cell) for cell in cells[2:]]
    except ValueError as error:
        raise ValueError(f"{where}: {error}.") from None


def read_samples(path: Path) -> dict[str, tuple[str, str]]:
    """Sample -> (class, subtype), from a tab-separated table with that header."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if not lines or lines[0].split("\t") != ["sample", "class", "subtype"]:
        raise ValueError(f"{path}, line 1: expected the header sample, class, subtype.")
    samples = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != 3:
            raise ValueError(f"{path}, line {number}: expected 3 cells, found {len(cells)}.")
        samples[cells[0]] = (cells[1], cells[2])
    return samples
