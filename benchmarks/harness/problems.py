"""The matrices that are factored: made once, kept on disk as plain arrays, read without leave to write.

A problem is X, samples × features, as scikit-learn takes it; partwise's A is its transpose.
"""

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from harness import BENCH, CACHE, modules
from harness.reading import read_matrix

PARTS = ("data", "indices", "indptr")
RECIPES = (BENCH / "matrices.py", BENCH / "generated.py")
"""What the files of the data sets call; when one of them changes, a matrix is made anew."""


@dataclass(frozen=True)
class Problem:
    """What is known of a matrix without reading it."""

    name: str
    label: str
    rank: int
    shape: tuple[int, int]
    nnz: int
    sparse: bool
    signature: str
    """A hash of the values, so that a result is never taken for that of another matrix."""

    @property
    def folder(self) -> Path:
        """Where its arrays are."""
        return CACHE / self.name

    def matrix(self) -> Any:
        """X, read-only."""
        return read_matrix(self.folder)


def problem(name: str) -> Problem:
    """A data set by its name, made now unless it is on disk; a missing collection raises what its reader raises."""
    module, about = modules.load("datasets", name), CACHE / name / "about.json"
    recipe = hashlib.sha256(b"".join(Path(each).read_bytes() for each in (module.__file__, *RECIPES))).hexdigest()
    if about.exists():
        fields = json.loads(about.read_text())
        if fields.pop("recipe") == recipe:
            return Problem(**{**fields, "shape": tuple(fields["shape"])})
    return stored(name, module.LABEL, module.RANK, module.load(), recipe)


def stored(name: str, label: str, rank: int, matrix: Any, recipe: str) -> Problem:
    """Write a matrix to the cache; the description comes last, so a folder that has it is whole."""
    folder = CACHE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    is_sparse = sp.issparse(matrix)
    arrays = {part: getattr(matrix, part) for part in PARTS} if is_sparse else {"dense": matrix}
    digest = hashlib.sha256(repr(matrix.shape).encode())
    for part, array in arrays.items():
        whole = np.ascontiguousarray(array)
        np.save(folder / f"{part}.npy", whole)
        digest.update(whole.data)
    nnz = int(matrix.nnz if is_sparse else np.count_nonzero(matrix))
    shape = (int(matrix.shape[0]), int(matrix.shape[1]))
    np.save(folder / "shape.npy", np.array(shape, np.int64))
    entry = Problem(name, label, rank, shape, nnz, is_sparse, digest.hexdigest()[:16])
    (folder / "about.json").write_text(json.dumps({**asdict(entry), "recipe": recipe}, indent=1) + "\n")
    return entry
