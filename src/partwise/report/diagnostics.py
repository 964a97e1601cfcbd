"""Diagnostics that a page shows and a fit does not hold: the SVD of the data, the reliability of each topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partwise.data.as_data import as_data
from partwise.data.write import ArrayOrSparse
from partwise.factorize import factorize
from partwise.inits.base import declared
from partwise.inits.table import INITS, RANDOM
from partwise.linalg.matching import matched_cosines, unit_columns
from partwise.linalg.svd import SVD, truncated_svd
from partwise.report.labelled_fit import LabelledFit
from partwise.types import Array

LIGHT = 3e7
"""Stored entries × rank up to which diagnostics are computed without being requested; above it takes minutes."""
RUNS = 3


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """The SVD (None: no data, or too large) and each topic's reliability over ``runs`` runs (None: not computed)."""

    svd: SVD | None
    reliability: Array | None
    runs: int


def diagnose(labelled: LabelledFit, runs: int | None) -> Diagnostics:
    """The SVD where that takes seconds; the reliability from ``runs`` runs, by default 3 where they take seconds."""
    if labelled.matrix is None:
        return Diagnostics(None, None, 0)
    matrix = labelled.matrix.astype(np.float64)
    stored = matrix.size  # of a sparse matrix, its stored entries
    light = stored * labelled.fit.rank <= LIGHT
    count = (RUNS if light else 0) if runs is None else runs
    svd = truncated_svd(matrix, labelled.fit.rank, tol=1e-4) if light else None
    return Diagnostics(svd, reliability(labelled, matrix, count) if count else None, count)


def reliability(labelled: LabelledFit, matrix: ArrayOrSparse, runs: int) -> Array | None:
    """For each topic the mean cosine with the topic it is matched to in other runs; None without an algorithm."""
    fit = labelled.fit
    if fit.algorithm is None or fit.rank > min(matrix.shape):
        return None
    start = fit.certificate.start
    init = start.init if start is not None and start.init in INITS and declared(INITS[start.init]()).seeded else RANDOM
    seed, data, own = fit.certificate.seed or 0, as_data(matrix), unit_columns(fit.w)
    factors = [
        factorize(data, fit.rank, algorithm=fit.algorithm, init=init, seed=seed + 1 + run).w for run in range(runs)
    ]
    mean: Array = np.mean([matched_cosines(own, unit_columns(w)) for w in factors], axis=0)
    return mean
