"""The result of a run: two factors, how they came about, and what they are worth."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from partwise.algorithms.base import Algorithm
from partwise.algorithms.stored import check_penalties, from_recipe, recipe_of
from partwise.data.as_data import as_factor, in_memory
from partwise.data.products import gram_of
from partwise.data.unknown import as_fitted
from partwise.engine.half_step import fold_in, in_precision
from partwise.engine.restarts import StartRow
from partwise.engine.run import HISTORY
from partwise.engine.stopping import Reason
from partwise.losses.table import loss_of
from partwise.plot import Plots
from partwise.plot.html import rows_html
from partwise.result.certificate import Certificate
from partwise.result.prediction import Recommendation, predicted, recommended
from partwise.storage import archive
from partwise.storage.settings import Reader, plain
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import Workers
from partwise.types import Array

KIND, LAYOUT = "partwise factorization", 1


@dataclass(frozen=True, eq=False)
class Factorization:
    """A ≈ W H with its history, the reason it ended and its certificate."""

    w: Array = field(repr=False)
    h: Array = field(repr=False)
    history: Any = field(repr=False)
    """A record array, one row an iteration: iteration, seconds, error, angle, kkt (NaN where not computed)."""
    reason: Reason
    certificate: Certificate = field(repr=False)
    algorithm: Algorithm | None
    """None after loading a file that was made by an algorithm which is not in the table."""
    restarts: tuple[StartRow, ...] = field(default=(), repr=False)
    """Every start that was tried, in the order of their seeds."""
    recipe: Any = field(default=None, repr=False)
    """What the file said about that algorithm."""

    @property
    def W(self) -> Array:
        """The basis, m × k."""
        return self.w

    @property
    def H(self) -> Array:
        """The weights, k × n."""
        return self.h.T

    @property
    def rank(self) -> int:
        """The number of parts."""
        return int(self.w.shape[1])

    @property
    def error(self) -> float:
        """‖A − WH‖_F / ‖A‖_F."""
        return self.certificate.relative_error

    def transform(
        self,
        matrix: Any,
        *,
        missing: str | None = None,
        weights: Any = None,
        unstored: float | None = None,
        threads: int | None = None,
    ) -> Array:
        """H for other columns (k × n): the exact solution of the algorithm's own row problem with this W.

        ``missing``, ``weights`` and ``unstored`` are those of :func:`partwise.factorize`, for these columns.
        """
        if self.algorithm is None:
            name = self.certificate.algorithm
            raise ValueError(f"This result was made by {name!r}; add it to partwise.ALGORITHMS and load it again.")
        mean = None if self.certificate.known is None else self.certificate.known.mean
        data = as_fitted(matrix, mean, missing=missing, weights=weights, unstored=unstored)
        loss = loss_of(self.algorithm, data)
        if refusal := loss.refuses(data, self.algorithm):
            raise ValueError(refusal)
        if data.shape[0] != len(self.w):
            rows = f"{data.shape[0]} rows, the one that was fitted {len(self.w)}"
            raise ValueError(f"The matrix has {rows}; they must be the same rows in the same order.")
        with Workers(threads) as workers:
            w = in_precision(self.w, data.dtype)
            gram = self._gram if w is self.w else None
            weights = fold_in(data.T, loss, self.algorithm, w, workers, gram=gram).factor.rows
            h: Array = data.T.hand_out(weights).T
            return h

    def predict(self, rows: Any, columns: Any) -> Array:
        """(WH) at pairs of a row and a column, which may be numbers or arrays of them.

        A row or a column of which nothing was known has no weights: the mean of the known entries stands there, and a
        warning says so.
        """
        return predicted(self.w, self.h, rows, columns, self.certificate.known)

    def recommend(
        self, column: int | None = None, n: int = 10, *, row: int | None = None, known: Any = None
    ) -> list[Recommendation]:
        """The n rows with the largest (WH) for a column, or the n columns for a ``row``, largest first.

        What is stored in ``known``, a matrix of the shape that was fitted, is left out: what a user has rated.
        """
        return recommended(self.w, self.h, column, n, row, known)

    @cached_property
    def _gram(self) -> Array:
        """WᵀW, which one query after another needs."""
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            return gram_of(self.w)

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """(what JSON can hold, the arrays): all there is to keep; :meth:`from_stored` makes it again."""
        meta = {
            "reason": self.reason.name,
            "algorithm": self.recipe if self.algorithm is None else recipe_of(self.algorithm),
            "certificate": self.certificate.as_dict(),
            "restarts": [plain(row, kinds=False) for row in self.restarts],
        }
        return meta, {"w": in_memory(self.w), "h": in_memory(self.h), "history": np.asarray(self.history)}

    @classmethod
    def from_stored(cls, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> Factorization:
        """The factorisation that gave these; what does not fit together raises one of many errors."""
        certificate, algorithm = Certificate.from_dict(meta["certificate"]), from_recipe(meta["algorithm"])
        rank = certificate.rank
        if arrays["history"].dtype != HISTORY:
            raise ValueError("The history has other columns.")
        if algorithm is not None:
            check_penalties(algorithm, rank)
        return cls(
            w=as_factor(arrays["w"], "W", (certificate.shape[0], rank)),
            h=as_factor(arrays["h"], "H", (certificate.shape[1], rank)),
            history=arrays["history"].view(np.recarray),
            reason=Reason[meta["reason"]],
            certificate=certificate,
            algorithm=algorithm,
            restarts=tuple(Reader().read(StartRow, row) for row in meta.get("restarts", ())),
            recipe=meta["algorithm"],
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file of arrays and JSON, whole or not at all; :func:`load` reads it."""
        archive.write(path, KIND, LAYOUT, *self.stored())

    @property
    def plot(self) -> Plots:
        """Pictures as plotly figures: ``error()``, ``angles()``, ``topics()``, ``sparsity()``, ``parts(shape)``."""
        return Plots(self)

    def __str__(self) -> str:
        return str(self.certificate)

    def _repr_html_(self) -> str:
        m, n = len(self.w), len(self.h)
        return rows_html(f"Factorization of {m:,} × {n:,} into {self.rank} parts", self.certificate.rows())


def load(path: str | os.PathLike[str]) -> Factorization:
    """Read a factorisation that :meth:`Factorization.save` wrote; nothing in the file is run."""
    meta, arrays, _ = archive.read(path, KIND, LAYOUT)
    try:
        return Factorization.from_stored(meta, arrays)
    except Exception:  # what somebody has written into a file can raise nearly anything
        raise ValueError(f"{path} is a {KIND} file, but its contents do not fit together.") from None
