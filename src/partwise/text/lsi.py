"""Latent semantic indexing: the SVD baseline, with the verbs that make sense without topics."""

from __future__ import annotations

import os
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from partwise.linalg.svd import SVD, truncated_svd
from partwise.text.collection import Collection
from partwise.text.text_model import TextModel
from partwise.text.weighting import Weighting
from partwise.types import Array


class LSI(TextModel):
    """Documents in the space of the k largest singular vectors, A ≈ U S Vᵀ (Deerwester et al. 1990).

    A document is a row of V S, a query q becomes Uᵀq, and both are compared by their cosine. The coordinates are
    signed, so there are no mixtures, topics or clusters.
    """

    KIND = "partwise lsi model"
    _svd: SVD | None = None

    def __init__(
        self,
        k: int = 100,
        *,
        weighting: Weighting | None = None,
        seed: int | None = 0,
        threads: int | None = None,
    ) -> None:
        super().__init__(k, weighting, seed, threads)

    def _factor(self, collection: Collection) -> None:
        self._set_svd(truncated_svd(collection.A, self.k, seed=self.seed, threads=self.threads))

    def _set_svd(self, svd: SVD) -> None:
        self._svd = svd
        for name in ("coordinates", "lengths", "_points"):
            vars(self).pop(name, None)

    @property
    def svd(self) -> SVD:
        """U, s and V, and the error of the approximation."""
        if self._svd is None:
            raise ValueError("This LSI has not been fitted; call fit(texts) first.")
        return self._svd

    @property
    def gram(self) -> Array:
        """UᵀU, the identity."""
        return np.eye(self.svd.rank)

    @cached_property
    def coordinates(self) -> Array:
        """V S, one row a document."""
        rows: Array = self.svd.v * self.svd.s
        return rows

    def fold_in(self, matrix: sp.csr_array) -> Array:
        """The rows AᵀU of other documents."""
        rows: Array = matrix.T @ self.svd.u
        return rows

    def _mixture(self, rows: Array) -> Array:
        return rows

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file of arrays and JSON, whole or not at all; no training texts are needed to use it."""
        from partwise.text import model_files

        model_files.save_lsi(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LSI:
        """Read a model that :meth:`save` wrote; nothing in the file is run."""
        from partwise.text import model_files

        return model_files.load_lsi(path)
