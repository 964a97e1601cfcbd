"""What a solver's process reads: numpy and scipy suffice, in any version."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp


def read_matrix(folder, dtype="float64"):
    """X from its arrays, in memory and read-only: a solver that writes into its input fails."""
    folder = Path(folder)
    if (folder / "dense.npy").exists():
        return locked(np.load(folder / "dense.npy").astype(dtype, copy=False))
    parts = [locked(np.load(folder / f"{part}.npy")) for part in ("data", "indices", "indptr")]
    parts[0] = locked(parts[0].astype(dtype, copy=False))
    return sp.csr_matrix(tuple(parts), shape=tuple(np.load(folder / "shape.npy").tolist()), copy=False)


def locked(array):
    """The array without leave to write."""
    array.setflags(write=False)
    return array


def random_start(matrix, rank, seed):
    """(W, H) as scikit-learn draws its random start: |N(0, 1)| √(mean / k)."""
    rng = np.random.default_rng(seed)
    scale = np.sqrt(matrix.mean() / rank)
    sides = ((matrix.shape[0], rank), (rank, matrix.shape[1]))
    return tuple(scale * np.abs(rng.standard_normal(shape)) for shape in sides)
