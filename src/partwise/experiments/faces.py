"""NMF against the SVD on faces: basis, sparsity, storage, reconstruction."""

from __future__ import annotations

from typing import Any

import numpy as np

from partwise.datasets import Faces
from partwise.experiments.experiment import Cell, Record
from partwise.experiments.numbers import rounded
from partwise.factorize import factorize
from partwise.linalg.measures import mean_sparsity, sparse_bytes
from partwise.linalg.svd import truncated_svd
from partwise.types import Array

EQUAL, NEARLY = 1.05, 1.25
"""How much larger than the SVD's an error may be to be equal, and to be nearly so."""


def compare_with_svd(faces: Faces, rank: int, algorithm: str, shown: int) -> Record:
    """Both factorisations of the grey values in [0, 1], with ``shown`` basis images of each."""
    matrix = faces.pixels.astype(np.float64) / 255
    svd = truncated_svd(matrix, rank)
    fit = factorize(matrix, rank, algorithm=algorithm, seed=0)
    rows = {"NMF": _factors(fit.w, fit.h), "SVD": _factors(svd.u * svd.s, svd.v)}
    rows["NMF"]["error"], rows["SVD"]["error"] = rounded(fit.error), rounded(svd.error)
    one = 0
    return {
        "rows": rows,
        "size": [faces.height, faces.width],
        "images": matrix.shape[1],
        "ratio": rounded(fit.error / svd.error, 4),
        "basis": {"NMF": _images(fit.w, faces, shown), "SVD": _images(svd.u, faces, shown)},
        "face": rounded(matrix[:, one].reshape(faces.height, faces.width), 2),
        "rebuilt": {
            "NMF": rounded((fit.w @ fit.h[one]).reshape(faces.height, faces.width), 2),
            "SVD": rounded(((svd.u * svd.s) @ svd.v[one]).reshape(faces.height, faces.width), 2),
        },
    }


def _factors(w: Array, h: Array) -> Record:
    """Zeros, Hoyer sparsity by basis image and by weight vector, signs and bytes of a pair."""
    tiny = 1e-3
    small = np.mean(abs(w) <= tiny * abs(w).max(axis=0))
    return {
        "zeros_w": rounded(np.mean(w == 0), 3),
        "zeros_h": rounded(np.mean(h == 0), 3),
        "small_w": rounded(small, 3),
        "sparsity_w": rounded(mean_sparsity(w, 0)[0], 3),
        "sparsity_h": rounded(mean_sparsity(h, 1)[0], 3),
        "negative": rounded((np.sum(w < 0) + np.sum(h < 0)) / (w.size + h.size), 3),
        "kilobytes": rounded(sum(min(sparse_bytes(f), f.nbytes) for f in (w, h)) / 1000, 4),
    }


def _images(w: Array, faces: Faces, count: int) -> Any:
    """The first basis images, each scaled to its largest entry."""
    scaled = w[:, :count] / np.maximum(abs(w[:, :count]).max(axis=0), 1e-300)
    return rounded(scaled.T.reshape(-1, faces.height, faces.width), 2)


def table_rows(name: str, comparison: Record) -> list[tuple[Cell, ...]]:
    """A line for each factorisation."""
    keys = ("error", "sparsity_w", "sparsity_h", "zeros_w", "zeros_h", "negative", "kilobytes")
    return [(name, kind, *(row[key] for key in keys)) for kind, row in comparison["rows"].items()]


COLUMNS = ("faces", "factors", "error / ‖A‖", "sparsity of W by image", "sparsity of H by face", "zeros of W",
           "zeros of H", "negative entries", "kB")  # fmt: skip
