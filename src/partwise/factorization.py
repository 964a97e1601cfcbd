"""The result of a run: two factors, how they came about, and what they are worth."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from partwise import files
from partwise.algorithm import Algorithm, Side
from partwise.algorithms import from_recipe, recipe_of
from partwise.blocks import Workers, single_threaded_blas
from partwise.certificate import Certificate
from partwise.data import as_data, as_factor
from partwise.half import Half, Job, half
from partwise.penalties import indefinite
from partwise.plot import Plots
from partwise.plot.html import rows_html
from partwise.products import gram_of
from partwise.stopping import Reason
from partwise.types import Array, Data
from partwise.updates import exact
from partwise.walks import over

KIND, LAYOUT = "partwise factorization", 1
OUT_OF_RANGE = "The weights of these columns leave the range of their precision; give them in float64, or rescale them."
RECORD = np.dtype([("iteration", np.int64), *((n, np.float64) for n in ("seconds", "error", "angle", "kkt"))])


@dataclass(frozen=True)
class StartRow:
    """One start of a run with restarts: where it got to, and why it ended there."""

    seed: int
    init: str
    error: float
    iterations: int
    reason: str


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
    rhs: Any = field(default=None, repr=False)
    """A Hᵀ where H was settled, with which a stream goes on; it is not saved."""

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

    def transform(self, matrix: Any, *, threads: int | None = None) -> Array:
        """H for other columns (k × n): the exact solution of the algorithm's own row problem with this W."""
        if self.algorithm is None:
            made = self.certificate.algorithm
            raise ValueError(f"This result was made by {made!r}; add it to partwise.ALGORITHMS and load it again.")
        data = as_data(matrix, zero=True)
        if data.shape[0] != len(self.w):
            rows = f"{data.shape[0]} rows, the one that was fitted {len(self.w)}"
            raise ValueError(f"The matrix has {rows}; they must be the same rows in the same order.")
        with Workers(threads) as workers:
            w = narrowed(self.w, data.dtype)
            found: Array = data.T.hand_out(fold_in(data.T, self.algorithm, w, workers).factor).T
            return found

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """(what JSON can hold, the arrays): all there is to keep; :meth:`from_parts` makes it again."""
        meta = {
            "reason": self.reason.name,
            "algorithm": self.recipe if self.algorithm is None else recipe_of(self.algorithm),
            "certificate": self.certificate.as_dict(),
            "restarts": [asdict(row) for row in self.restarts],
        }
        return meta, {"w": np.asarray(self.w), "h": np.asarray(self.h), "history": np.asarray(self.history)}

    @classmethod
    def from_parts(cls, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> Factorization:
        """The factorisation that gave these parts; parts that do not fit together raise one of many errors."""
        told = Certificate.from_dict(meta["certificate"])
        if arrays["history"].dtype != RECORD:
            raise ValueError("The history has other columns.")
        return cls(
            w=as_factor(arrays["w"], "W", (told.shape[0], told.rank)),
            h=as_factor(arrays["h"], "H", (told.shape[1], told.rank)),
            history=arrays["history"].view(np.recarray),
            reason=Reason[meta["reason"]],
            certificate=told,
            algorithm=from_recipe(meta["algorithm"]),
            restarts=tuple(StartRow(**row) for row in meta.get("restarts", ())),
            recipe=meta["algorithm"],
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file of arrays and JSON, whole or not at all; :func:`load` reads it."""
        files.write(path, KIND, LAYOUT, *self.parts())

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
    meta, arrays = files.read(path, KIND, LAYOUT)
    try:
        return Factorization.from_parts(meta, arrays)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError(f"{path} is a {KIND} file, but its contents do not fit together.") from None


def fold_in(documents: Data, algorithm: Algorithm, w: Any, workers: Workers, rhs: Any = None) -> Half:
    """The rows of H for the rows of ``documents``: a function of W's gram and the right-hand side alone.

    Nonnegative least squares on the gram with the algorithm's penalty, or its own cone; where AHCLS's penalty leaves
    no minimum to solve for, the clipped half-step, which needs no earlier rows either.
    """
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        gram, penalty = over(gram_of, w), algorithm.h.penalty
        if not np.isfinite(gram).all():
            raise ValueError(OUT_OF_RANGE)
        solvable = penalty.convex or not indefinite(gram + penalty.matrix(len(gram)))
        update = exact(algorithm.h.update) if solvable else algorithm.h.update
        made = half(documents, Job(Side(update, penalty), w, gram, rhs=rhs), workers)
    if not np.isfinite(made.gram).all():
        raise ValueError(OUT_OF_RANGE)
    return made


def narrowed(w: Any, dtype: Any) -> Array:
    """W in the precision of other data; what that cannot hold is infinite, and refused by :func:`fold_in`."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(w, dtype)
