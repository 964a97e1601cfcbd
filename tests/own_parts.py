"""Parts of one's own, added through the public tables alone: nothing here is known to the package.

CONTRIBUTING shows this file, and ``tests/test_own_parts.py`` runs everything with it; ``partwise --plugin own_parts``
makes it known at the command line.
"""

from dataclasses import dataclass, replace

import numpy as np

import partwise as pw


class GradientStep(pw.Update):
    """One projected gradient step of length 1/‖G‖_∞ from the rows as they were: x ← max(0, x − (xG − r)/‖G‖_∞)."""

    def prepare(self, gram):
        bound = abs(gram).sum(axis=1).max()

        def rows(rhs, factor, out):
            out[:] = np.maximum(0, factor - (factor @ gram - rhs) / bound) if bound > 0 else 0

        return rows


def gradient() -> pw.Algorithm:
    """The gradient step on both sides."""
    return pw.Algorithm("gradient", pw.Side(GradientStep()), pw.Side(GradientStep()))


pw.ALGORITHMS["gradient"] = gradient


@dataclass(frozen=True)
class FirstColumns:
    """The first k columns of A, with a little of the mean of all so that none is zero."""

    share: float = 0.1

    def __call__(self, data, rank, rng, workers):
        columns = data.T.rows(0, rank).T
        mean = np.mean([data.T.rows(j, j + 1)[0] for j in range(data.shape[1])], axis=0)
        return np.ascontiguousarray(columns + self.share * mean[:, None], data.dtype)


pw.INITS["first-columns"] = FirstColumns


@dataclass(frozen=True)
class Patience(pw.Rule):
    """Stop when no component turned by more than ``degrees`` and the error is below ``level``."""

    degrees: float
    level: float = 1.0
    every: int = 1
    burn_in: int = 1

    def check(self):
        self.positive("degrees")

    def reason(self, step):
        return pw.Reason.ANGLE if step.angle <= self.degrees and step.error <= self.level else None


pw.RULES["Patience"] = Patience


@dataclass(frozen=True)
class Toll(pw.Penalty):
    """c Σ x for the even components and λ Σ x² for all: a linear and a quadratic part."""

    c: float = 0.1
    lam: float = 0.01

    def matrix(self, rank):
        return self.lam * np.eye(rank)

    def linear(self, rank):
        return self.c * (np.arange(rank) % 2 == 0).astype(float)


pw.PENALTIES["Toll"] = Toll


class HalfSquared(type(pw.LOSSES["squared"])):
    """½‖A − WH‖²: the squared loss in other units; its half-steps, error and stationarity are the same."""

    name = "half-squared"
    default_algorithm = "half-hals"

    def entrywise(self, values, fitted):
        return 0.5 * (values - fitted) ** 2

    def value(self, data, w, h, inner, workers):
        error, squares = super().value(data, w, h, inner, workers)
        return error, 0.5 * squares


pw.LOSSES["half-squared"] = HalfSquared()
pw.ALGORITHMS["half-hals"] = lambda: replace(pw.hals(), name="half-hals", loss="half-squared", settings={})


class Doubled:
    """A matrix that is twice another one and never made: the protocol and nothing else."""

    def __init__(self, half):
        self.half = np.ascontiguousarray(half, float)
        self.shape, self.dtype = self.half.shape, self.half.dtype

    @property
    def T(self):
        return Doubled(self.half.T)

    def product(self, lo, hi, factor, out):
        out[:] = 2 * (self.half[lo:hi] @ factor)

    def rows(self, lo, hi):
        return 2 * self.half[lo:hi]


class Columns:
    """Columns that are made when they are needed, some at a time: the protocol of data in parts and nothing else."""

    dtype = np.dtype(float)

    def __init__(self, make, shape, width, turned=False):
        self.make, self.width, self.turned = make, width, turned
        self.shape, self.split = (shape[::-1], 0) if turned else (shape, 1)

    @property
    def T(self):
        return Columns(self.make, self.shape[::-1] if self.turned else self.shape, self.width, not self.turned)

    def parts(self):
        count = self.shape[0] if self.turned else self.shape[1]
        for lo in range(0, count, self.width):
            hi = min(lo + self.width, count)
            yield lo, hi, self.make(lo, hi).T if self.turned else self.make(lo, hi)
