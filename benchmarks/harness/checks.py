"""Error and stationarity of a result, computed here from X, W and H alone, in float64.

Nothing is taken from a solver's own report, and nothing from partwise: the formulas are written out once more.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Check:
    """‖X − WH‖_F / ‖X‖_F and the KKT residual; the latter is None where a factor has negative entries."""

    error: float
    kkt: float | None


def check(matrix: Any, w: Any, h: Any) -> Check:
    """Check one result; ‖X − WH‖² = ‖X‖² − 2 <X Hᵀ, W> + <WᵀW, HHᵀ>, all sums in float64."""
    w, h = np.asarray(w, np.float64), np.asarray(h, np.float64)
    if w.shape[0] != matrix.shape[0] or h.shape[1] != matrix.shape[1] or w.shape[1] != h.shape[0]:
        raise ValueError(f"W is {w.shape} and H is {h.shape} for a matrix of shape {matrix.shape}.")
    if not (np.isfinite(w).all() and np.isfinite(h).all()):
        return Check(float("inf"), None)
    norm2, right, gram_h = squares(matrix), matrix @ h.T, h @ h.T
    gram_w = w.T @ w
    residual2 = norm2 - 2 * float(np.sum(right * w)) + float(np.sum(gram_w * gram_h))
    error = float(np.sqrt(max(residual2, 0.0) / norm2))
    if w.min() < 0 or h.min() < 0:
        return Check(error, None)
    a, b = np.sqrt(np.diag(gram_w)), np.sqrt(np.diag(gram_h))
    left = np.asarray(matrix.T @ w)
    total = violation(w, w @ gram_h - right, b) + violation(h.T, h.T @ gram_w - left, a)
    return Check(error, float(np.sqrt(total / norm2)))


def violation(factor: Any, gradient: Any, scale: Any) -> float:
    """‖min(X·s, ∇/s)‖² for one tall factor; a topic whose other half is zero has no gradient and no part in it."""
    alive = scale > 0
    residual = np.minimum(factor[:, alive] * scale[alive], gradient[:, alive] / scale[alive])
    return float(np.sum(residual * residual))


def squares(matrix: Any) -> float:
    """‖X‖²_F in float64."""
    values = np.asarray(matrix.data if hasattr(matrix, "indptr") else matrix, np.float64).ravel()
    return float(values @ values)
