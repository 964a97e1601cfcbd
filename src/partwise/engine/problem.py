"""What stays fixed during a run, and a step from its two factors."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Side
from partwise.algorithms.relative import mean_diagonal
from partwise.data.passes import component_totals
from partwise.data.products import gram_matrix
from partwise.engine.component_sparsity import Thetas, at_pair, first_thetas
from partwise.engine.half_step import Half
from partwise.engine.stationarity import stationarity
from partwise.engine.step import Check, Deferred, Step
from partwise.inits.base import Init
from partwise.kernels.compiling import compile_seconds
from partwise.linalg.matching import angles_between
from partwise.losses.base import Loss
from partwise.losses.table import loss_of
from partwise.threads.pool import Workers
from partwise.types import Array, Data, Factor, FactorRows


@dataclass
class Clock:
    """Seconds since a call began; a resumed run goes on from what had passed before."""

    passed: float = 0.0
    began: float = field(default_factory=time.perf_counter)
    compiled_before: float = field(default_factory=compile_seconds)

    @property
    def compiling(self) -> float:
        """How many of those of this process went into compiling kernels."""
        return compile_seconds() - self.compiled_before

    @property
    def seconds(self) -> float:
        """How many have passed."""
        return self.passed + time.perf_counter() - self.began


@dataclass(frozen=True)
class Problem:
    """What stays fixed during a run."""

    data: Data
    rank: int
    algorithm: Algorithm
    init: Init
    workers: Workers
    clock: Clock = field(default_factory=Clock)
    reseed: bool = True
    warm: bool = False
    """Whether the start is a run already, so that the algorithm's lead is left out."""

    @cached_property
    def loss(self) -> Loss:
        """What is minimised."""
        return loss_of(self.algorithm, self.data)

    def at(self, iteration: int) -> Algorithm:
        """The algorithm that makes an iteration."""
        return self.algorithm if self.warm else self.algorithm.at(iteration)

    def step(
        self,
        iteration: int,
        basis: Factor,
        weights: Factor,
        inner: float,
        scales: tuple[float, float] | None = None,
        thetas: Thetas | None = None,
        **known: Any,
    ) -> Step:
        """The step that holds a pair whose inner term of the loss is known; the first one sets the scales."""
        if scales is None and self.algorithm.relative:
            scales = mean_diagonal(weights.gram), mean_diagonal(basis.gram)
        if thetas is None and self.algorithm.adjusts:
            thetas = first_thetas(self.algorithm, self.rank)
        error, value = self.loss.value(self.data, basis, weights, inner, self.workers)
        own = at_pair(self.algorithm.scaled(scales), thetas, basis, weights)
        objective = value + self.penalties(own, basis, weights)
        check = self.deferred_check(own, basis, weights)
        seconds = self.clock.seconds
        return Step(
            iteration, seconds, error, objective, basis, weights, scales=scales, thetas=thetas, deferred=check, **known
        )

    def deferred_check(self, own: Algorithm, basis: Factor, weights: Factor) -> Deferred[Check]:
        """The stationarity check of a pair, with the penalties of the algorithm as it has them there."""
        return Deferred(partial(stationarity, self.data, self.loss, own, basis, weights, self.workers))

    def penalties(self, algorithm: Algorithm, basis: Factor, weights: Factor) -> float:
        """What the penalties of both factors add to the loss."""
        if not (algorithm.w.penalty or algorithm.h.penalty):
            return 0.0
        data, loss = self.data, self.loss
        penalties = _penalty(algorithm.w, basis) + _penalty(algorithm.h, weights)
        return penalties + (loss.penalty(data, algorithm.w, basis) + loss.penalty(data.T, algorithm.h, weights))

    def following(self, step: Step, half: Half, weights: Factor, **known: Any) -> Step:
        """The step after ``step``, with the angle that each component turned by since the one that was reported."""
        before, dots = step.reported or step, half.dots
        if before is not step:
            dots = np.zeros(self.rank)
            kernels.products.column_dots(np.asarray(half.factor.rows), np.asarray(before.w), dots)
        assert dots is not None
        angles = turned(dots, before.basis.gram.diagonal(), half.factor.gram.diagonal())
        return self.step(
            step.iteration + 1,
            half.factor,
            weights,
            half.inner,
            step.scales,
            step.thetas,
            previous_w=before.w,
            previous_error=step.error,
            angles=angles,
            reseeded=step.reseeded,
            **known,
        )

    def pair(self, w: FactorRows, h: FactorRows, **known: Any) -> Step:
        """Step 0 of a run that begins with a pair."""
        gram = gram_matrix(w, self.data.blocks, self.workers)
        other, inner = self.loss.sums(self.data.T, w, h, self.workers)
        return self.step(0, Factor(w, gram), Factor(h, other), inner, **known)


def turned(dots: Array, old: Array, new: Array) -> Array:
    """The angle by which each component turned, from its inner product with itself before and the squared lengths."""
    lengths = np.sqrt(old) * np.sqrt(new)
    if lengths.all():
        return angles_between(dots / lengths)
    return angles_between(np.divide(dots, lengths, out=np.where(old == new, 1.0, 0.0), where=lengths > 0))


def _penalty(side: Side, factor: Factor) -> float:
    """The penalty of a factor."""
    if not side.penalty:
        return 0.0
    linear = side.linear(len(factor.gram))
    if linear is None:
        return side.value(factor.gram)
    if linear.ndim == 1:
        return side.value(factor.gram, float(linear @ component_totals(factor.rows)))
    return side.value(factor.gram, float(np.vdot(linear, np.asarray(factor.rows, np.float64))))
