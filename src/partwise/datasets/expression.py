"""Gene expression with a table of the samples."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partwise.io.gct import read_gct

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
    return Expression(*read, classes, subtypes)


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
