"""Image data: the parts beside the SVD's, and pictures rebuilt from parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from partwise.linalg.svd import truncated_svd
from partwise.report.measured import Measured
from partwise.report.payload import clipped, number, packed
from partwise.report.subject import Subject
from partwise.types import Array

REBUILT, STRONGEST, MOST_PARTS = 6, 5, 100


def pictures_payload(subject: Subject, found: Measured) -> dict[str, Any]:
    """Parts, singular vectors and rebuilt columns as bytes, a picture after the other."""
    assert subject.shape is not None
    fit, k = subject.fit, min(subject.fit.rank, MOST_PARTS)
    singular, own = _singular(subject, found)
    chosen = np.unique(np.linspace(0, len(fit.h) - 1, min(REBUILT, len(fit.h))).astype(int))
    return {
        "shape": list(subject.shape),
        "count": k,
        "parts": packed(_grey(fit.w[:, :k]), "u1"),
        "singular": packed(_signed(singular[:, :k]), "u1"),
        "ownSvd": own,
        "rebuilt": [_rebuilt(subject, int(i)) for i in chosen],
    }


def _singular(subject: Subject, found: Measured) -> tuple[Array, bool]:
    """(the left singular vectors, whether of the data): those of WH where the data are not at hand."""
    if found.svd is not None:
        return found.svd.u, True
    if subject.matrix is not None:
        return truncated_svd(subject.matrix, subject.fit.rank, tol=1e-3).u, True
    q, r = np.linalg.qr(subject.fit.w.astype(np.float64))
    return q @ np.linalg.svd(r @ subject.fit.h.T.astype(np.float64), full_matrices=False)[0], False


def _rebuilt(subject: Subject, i: int) -> dict[str, Any]:
    """One column: as it was, as WH has it, and the parts that it is made of."""
    fit = subject.fit
    made = fit.w.astype(np.float64) @ fit.h[i].astype(np.float64)
    before = None if subject.matrix is None else _column(subject.matrix, i)
    top = max(float(made.max()), 0.0 if before is None else float(before.max()), 1e-300)
    weights = fit.h[i] * np.linalg.norm(fit.w.astype(np.float64), axis=0)
    total = max(float(weights.sum()), 1e-300)
    order = [int(c) for c in np.argsort(-weights, kind="stable")[:STRONGEST] if weights[c] > 0]
    return {
        "name": clipped(subject.ids[i], 60),
        "before": None if before is None else packed(_bytes(before / top), "u1"),
        "after": packed(_bytes(made / top), "u1"),
        "parts": [[c, number(float(weights[c]) / total, 3)] for c in order],
    }


def _column(matrix: Any, i: int) -> Array:
    found: Array = (matrix[:, [i]].toarray() if sp.issparse(matrix) else matrix[:, [i]]).ravel().astype(np.float64)
    return found


def _grey(w: Array) -> Array:
    top = w.max(axis=0)
    return _bytes((w / np.where(top > 0, top, 1)).T)


def _signed(u: Array) -> Array:
    """−1 … 1 as 0 … 255, so that zero is in the middle."""
    top = abs(u).max(axis=0)
    return _bytes((u / np.where(top > 0, top, 1)).T / 2 + 0.5)


def _bytes(values: Array) -> Array:
    found: Array = np.clip(np.rint(values * 255), 0, 255).astype(np.uint8)
    return found
