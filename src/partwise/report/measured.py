"""What a page needs and a fit does not carry: the SVD of the data, and how far topics depend on the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.data.as_data import as_data
from partwise.factorize import factorize
from partwise.inits.table import INITS, RANDOM, is_seeded
from partwise.linalg.matching import matched_cosines, unit_columns
from partwise.linalg.svd import SVD, truncated_svd
from partwise.report.subject import Subject
from partwise.types import Array

LIGHT = 3e7
"""Stored entries times parts up to which the page measures on its own; more than that takes minutes."""
RUNS = 3


@dataclass(frozen=True, eq=False)
class Measured:
    """The SVD (None: too large or no data) and the reliability of each topic (None: not measured)."""

    svd: SVD | None
    reliability: Array | None
    runs: int


def measured(subject: Subject, runs: int | None) -> Measured:
    """Measure what is affordable; a number of runs that is given is made at any price."""
    if subject.matrix is None:
        return Measured(None, None, 0)
    matrix: Any = subject.matrix.astype(np.float64)
    stored = matrix.nnz if sp.issparse(matrix) else matrix.size
    light = stored * subject.fit.rank <= LIGHT
    count = (RUNS if light else 0) if runs is None else runs
    svd = truncated_svd(matrix, subject.fit.rank, tol=1e-4) if light else None
    return Measured(svd, reliability(subject, matrix, count) if count else None, count)


def reliability(subject: Subject, matrix: Any, runs: int) -> Array | None:
    """For each topic the mean cosine with the topic it is matched to in other runs; None without an algorithm."""
    fit = subject.fit
    if fit.algorithm is None or fit.rank > min(matrix.shape):
        return None
    start = fit.certificate.start
    init = start.init if start is not None and start.init in INITS and is_seeded(INITS[start.init]()) else RANDOM
    seed, data, own = fit.certificate.seed or 0, as_data(matrix), unit_columns(fit.w)
    found = [
        factorize(data, fit.rank, algorithm=fit.algorithm, init=init, seed=seed + 1 + run).w for run in range(runs)
    ]
    mean: Array = np.mean([matched_cosines(own, unit_columns(w)) for w in found], axis=0)
    return mean


def check_runs(runs: Any) -> None:
    """None or a whole number of at least 0."""
    if runs is not None and (isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs < 0):
        raise ValueError(f"runs must be a whole number of at least 0 or None, not {runs!r}.")
