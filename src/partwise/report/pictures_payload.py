"""Images on a page: the parts beside the singular vectors, and images approximated by parts."""

from __future__ import annotations

import numpy as np

from partwise.data.write import ArrayOrSparse
from partwise.linalg.svd import truncated_svd
from partwise.report.diagnostics import Diagnostics
from partwise.report.encoding import Payload, clipped, packed, significant
from partwise.report.labelled_fit import LabelledFit
from partwise.types import Array

REBUILT, STRONGEST, MOST_PARTS = 6, 5, 100


def pictures_payload(labelled: LabelledFit, diagnostics: Diagnostics) -> Payload:
    """Parts, singular vectors and approximated columns as bytes, image after image."""
    assert labelled.shape is not None
    fit, k = labelled.fit, min(labelled.fit.rank, MOST_PARTS)
    singular, own = _singular(labelled, diagnostics)
    chosen = np.unique(np.linspace(0, len(fit.h) - 1, min(REBUILT, len(fit.h))).astype(int))
    return {
        "shape": list(labelled.shape),
        "count": k,
        "parts": packed(_grey(fit.w[:, :k]), "u1"),
        "singular": packed(_signed(singular[:, :k]), "u1"),
        "ownSvd": own,
        "rebuilt": [_rebuilt(labelled, int(i)) for i in chosen],
    }


def _singular(labelled: LabelledFit, diagnostics: Diagnostics) -> tuple[Array, bool]:
    """(the left singular vectors, whether of the data): those of WH where the data are not at hand."""
    if diagnostics.svd is not None:
        return diagnostics.svd.u, True
    if labelled.matrix is not None:
        return truncated_svd(labelled.matrix, labelled.fit.rank, tol=1e-3).u, True
    q, r = np.linalg.qr(labelled.fit.w.astype(np.float64))
    return q @ np.linalg.svd(r @ labelled.fit.h.T.astype(np.float64), full_matrices=False)[0], False


def _rebuilt(labelled: LabelledFit, i: int) -> Payload:
    """One column of A, the same column of WH, and its strongest parts."""
    fit = labelled.fit
    approximation = fit.w.astype(np.float64) @ fit.h[i].astype(np.float64)
    before = None if labelled.matrix is None else _column(labelled.matrix, i)
    top = max(float(approximation.max()), 0.0 if before is None else float(before.max()), 1e-300)
    weights = fit.h[i] * np.linalg.norm(fit.w.astype(np.float64), axis=0)
    total = max(float(weights.sum()), 1e-300)
    order = [int(c) for c in np.argsort(-weights, kind="stable")[:STRONGEST] if weights[c] > 0]
    return {
        "name": clipped(labelled.ids[i], 60),
        "before": None if before is None else packed(_bytes(before / top), "u1"),
        "after": packed(_bytes(approximation / top), "u1"),
        "parts": [[c, significant(float(weights[c]) / total, 3)] for c in order],
    }


def _column(matrix: ArrayOrSparse, i: int) -> Array:
    column = matrix[:, [i]]
    return np.asarray(column if isinstance(column, np.ndarray) else column.toarray(), np.float64).ravel()


def _grey(w: Array) -> Array:
    top = w.max(axis=0)
    return _bytes((w / np.where(top > 0, top, 1)).T)


def _signed(u: Array) -> Array:
    """−1 … 1 as 0 … 255, so that zero is in the middle."""
    top = abs(u).max(axis=0)
    return _bytes((u / np.where(top > 0, top, 1)).T / 2 + 0.5)


def _bytes(values: Array) -> Array:
    scaled: Array = np.clip(np.rint(values * 255), 0, 255).astype(np.uint8)
    return scaled
