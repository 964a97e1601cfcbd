"""How a start is handed over: no topic empty or double, in the storage that is smaller."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from partwise.types import Array

OUT_OF_RANGE = "This start leaves the range of numbers; multiply the matrix so that its entries are nearer to 1."
ALIKE = 1e-9
"""Two topics are parallel where one minus their cosine is below this."""


def compact(w: Array) -> Array | sp.csr_array:
    """W as a CSR array where that takes fewer bytes than the dense one; otherwise W, in C order."""
    entries = np.count_nonzero(w)
    index = np.dtype(np.int32 if max(entries, *w.shape) < np.iinfo(np.int32).max else np.int64).itemsize
    if entries * (w.itemsize + index) + (len(w) + 1) * index < w.nbytes:
        return sp.csr_array(w)
    return np.ascontiguousarray(w)


def apart(w: Array, rng: np.random.Generator) -> Array:
    """Give every topic that is zero, or parallel to one before it, numbers of its own.

    w_c = w̄ ∘ u with w̄ the mean topic and u seeded, uniform on (0, 2]. It scales with W, and rows that are zero in W
    stay zero. Nothing is drawn and nothing changes where no topic needs it.
    """
    lost = _lost(w)
    if len(lost) == 0:
        return w
    mean = w.mean(axis=1, dtype=np.float64)
    mended = w.copy()
    mended[:, lost] = mean[:, None] * 2 * (1 - rng.random((len(w), len(lost))))
    return mended


def _lost(w: Array) -> Array:
    """The topics that are zero or parallel to an earlier one."""
    largest = float(w.max())
    if not 0 < largest < np.inf:
        raise ValueError(OUT_OF_RANGE)
    unit = w.astype(np.float64) / largest
    lengths = np.linalg.norm(unit, axis=0)
    np.divide(unit, lengths, out=unit, where=lengths > 0)
    double = np.tril(unit.T @ unit, -1).max(axis=1) > 1 - ALIKE
    return np.flatnonzero(double | (lengths == 0))
