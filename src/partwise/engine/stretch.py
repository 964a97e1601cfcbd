"""Several iterations of a run as one step: on small data what surrounds an iteration costs more than its half-steps.

The numbers are those of ``engine/iteration`` and ``engine/momentum``, bit for bit; only the steps in between are not
made: the history has their errors, angles and times. Coordinate sweeps on dense data of up to ``COPIED`` entries
are made by one kernel, some iterations in a call, and always by that, a single one too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from partwise import kernels
from partwise.algorithms.base import Algorithm, Extrapolation, Side
from partwise.data.as_data import Outline
from partwise.data.dense import COPIED
from partwise.data.passes import Tall, total
from partwise.data.products import NEAR_EXACT
from partwise.engine.half_step import block_sums
from partwise.engine.momentum import LEAST_BETA, faster, slower
from partwise.engine.problem import Problem, turned
from partwise.engine.reseeding import EPS, dead_components
from partwise.engine.step import Momentum, Record, Step
from partwise.engine.stopping import Glimpse, Rule, may_stop
from partwise.losses.base import Batch, HalfStep, Loss
from partwise.threads.blas import single_threaded_blas
from partwise.threads.pool import OutOfTime, Workers
from partwise.types import Array, Data, Factor, NoMinimum

LONGEST, BRIEF = 60, 0.05
"""The most iterations in a step, and the seconds after which it ends: so much an interrupt can lose."""
SMALL = 2**17
"""What data are small: entries (a full matrix counts a quarter) and eight for every row and column, up to this."""
AT_ONCE, WORK = 12, 2**21
"""The most iterations in a call of the kernel, and their number times entries times components: those after the one
at which a rule ends the run are for nothing."""
NO_MOMENTUM = Extrapolation(beta=0.0, growth=0.0)


class Mark(NamedTuple):
    """What the history keeps of a pair; its factors are freed, since memory that is new takes longer to write."""

    seconds: float
    error: float
    squares: Array
    """The squared lengths of W's columns."""
    dots: Array | None
    """Column by column, the inner product of W with the one before."""


class Pair(NamedTuple):
    """A pair (W, H) between two steps, and what the next iteration goes on from."""

    w: Factor
    h: Factor
    inner: float
    error: float
    objective: float
    momentum: Momentum | None
    seconds: float
    dots: Array | None = None

    @property
    def mark(self) -> Mark:
        return Mark(self.seconds, self.error, self.w.gram.diagonal(), self.dots)


class Ring(NamedTuple):
    """What calls of the kernel overwrite, slot by slot and round again: two more than iterations in a call."""

    pairs: tuple[Array, ...]
    grams: tuple[Array, ...]
    sums: Array
    squares: Array
    momentum: bool


class Slot(NamedTuple):
    """A pair as a slot of that ring: as a :class:`Pair`, but its factors are made when they are asked for."""

    ring: Ring
    number: int
    inner: float
    error: float
    objective: float
    seconds: float

    @property
    def h(self) -> Factor:
        return Factor(self.ring.pairs[0][self.number], self.ring.grams[0][self.number])

    @property
    def w(self) -> Factor:
        return Factor(self.ring.pairs[1][self.number], self.ring.grams[1][self.number])

    @property
    def momentum(self) -> Momentum | None:
        if not self.ring.momentum:
            return None
        (_, _, plain_h, ahead), slot = self.ring.pairs, self.number
        beta, ceiling = self.ring.sums[slot, 2:4].tolist()
        return Momentum(beta, ceiling, Factor(ahead[slot], self.ring.grams[2][slot]), plain_h[slot])

    @property
    def mark(self) -> Mark:
        squares, dots = self.ring.squares[self.number].copy(), self.ring.sums[self.number, 4:].copy()
        return Mark(self.seconds, self.error, squares, dots)


class Half(NamedTuple):
    """A new factor, the same moved ahead, and its sums, as ``half_steps`` gives them."""

    factor: Factor
    ahead: Factor
    inner: float
    dots: Array | None


def can_stretch(problem: Problem, step: Step, algorithm: Algorithm) -> bool:
    """Whether the iterations after a step need no steps between them: small data, and an objective that never rises."""
    data = problem.data
    m, n = data.shape
    entries = data.nnz / 4 if data.nnz == m * n else data.nnz
    return (
        data.split is None
        and not (algorithm.adjusts or step.ready or step.reported)
        and all(side.update.monotone for side in algorithm.sides)
        and (entries + 8 * (m + n) <= SMALL or in_one_kernel(problem, algorithm))
    )


def in_one_kernel(problem: Problem, algorithm: Algorithm) -> bool:
    """Whether one kernel makes the iterations, where :func:`can_stretch`."""
    data = problem.data
    return (
        problem.loss.trace_form
        and data.split is None
        and for_one_kernel(data, problem.rank, algorithm)
        and data.norm2 > 0
        and data.both_orders is not None
    )


def for_one_kernel(data: Data | Outline, rank: int, algorithm: Algorithm) -> bool:
    """Whether it would make them of a dense matrix of this size, and hold two copies of that."""
    return (
        data.nnz == data.shape[0] * data.shape[1] <= COPIED
        and all(side.update.plain_sweeps is not None and not side.penalty for side in algorithm.sides)
        and kernels.dense_runs.suits(rank, data.dtype.itemsize)
    )


def stretch(problem: Problem, step: Step, algorithm: Algorithm, count: int, rules: Sequence[Rule]) -> Step | None:
    """The step ``count`` iterations on, or fewer where a rule has to be asked, a component dies or time is over.

    It ends before an iteration that raises the objective, by rounding: the best iterate is never in between. None where
    not one could be made: the caller then makes it, and meets the reason.
    """
    own, end = step.own(algorithm), problem.clock.seconds + BRIEF
    pair = Pair(step.basis.with_rhs(step.rhs), step.weights, 0.0, step.error, step.objective, step.momentum, 0.0)
    before: Pair | Slot = pair
    last, marks, thread = before, [pair.mark], get_ident()
    kind: Callable[..., Generator[Pair | Slot]] = _dense_pairs if in_one_kernel(problem, own) else _pairs
    following = kind(problem, own, pair, count)
    try:
        single_threaded_blas.begin(thread)
        for new in following:
            rises = new.objective > last.objective and len(marks) > 1
            if rises or not math.isfinite(new.objective):
                break
            before, last = last, new
            glimpse = Glimpse(step.iteration + len(marks), new.seconds, new.error, before.error)
            marks.append(new.mark)
            if len(marks) > count or new.seconds > end or may_stop(rules, glimpse):
                break
    except (NoMinimum, OutOfTime):
        pass
    finally:
        following.close()
        single_threaded_blas.end(thread)
    return _step(problem, step, before, last, marks) if len(marks) > 1 else None


def _pairs(problem: Problem, own: Algorithm, pair: Pair, count: int) -> Generator[Pair]:
    """The pairs after one, until a component dies."""
    while True:
        problem.workers.check_time()
        pair = _after(problem, own, pair, own.extrapolation)
        yield pair
        if len(dead_components(pair.w.gram, pair.h.gram, problem.data.norm2)):
            return


def _dense_pairs(problem: Problem, own: Algorithm, pair: Pair, count: int) -> Generator[Slot]:
    """The pairs after one, some in a call of the kernel, until a component dies or the trace form cancels."""
    data, rank, rules = problem.data, problem.rank, own.extrapolation or NO_MOMENTUM
    (m, n), norm2, dense_runs = data.shape, data.norm2, kernels.dense_runs
    item = data.dtype.itemsize
    edges = dense_runs.borders(n, m, rank, item), dense_runs.borders(m, n, rank, item)
    parts = max(map(len, edges)) - 1
    at_once = max(1, min(count, AT_ONCE, WORK // (m * n * rank))) if parts == 1 else 1
    slots, momentum = at_once + 2, own.extrapolation is not None
    pairs = tuple([np.empty((slots, rows, rank), data.dtype) for rows in (n, m, n, m)])
    grams = tuple([np.empty((slots, rank, rank)) for _ in range(3)])
    ring = Ring(pairs, grams, np.zeros((slots, 4 + rank)), grams[1].diagonal(axis1=1, axis2=2), momentum)
    state = pair.momentum or Momentum(rules.beta, 1.0, pair.w, pair.h.rows)
    known = (pair.h.rows, pair.w.rows, state.h, state.ahead.rows, pair.h.gram, pair.w.gram, state.ahead.gram)
    for slot, array in zip((*pairs, *grams), known, strict=True):
        slot[0] = array
    ring.sums[0, :4] = 0.0, pair.objective, state.beta, state.ceiling
    sweeps = (own.h.update.plain_sweeps, own.w.update.plain_sweeps)
    growth = (rules.growth, rules.ceiling_growth, rules.shrink, LEAST_BETA)
    limits = (norm2, NEAR_EXACT[item] * norm2, EPS**2 * norm2)
    shared, matrices = dense_runs.shared_memory(m, n, rank, parts, data.dtype), data.both_orders

    def help_out() -> None:
        own = dense_runs.own_memory(rank, data.dtype)
        dense_runs.help_iterations(matrices, sweeps, edges, pairs, grams, shared, own)

    with problem.workers.beside(help_out, lambda: dense_runs.end(shared), parts):
        work, first = dense_runs.own_memory(rank, data.dtype), 0
        while True:
            problem.workers.check_time()
            began = problem.clock.seconds
            finished = dense_runs.dense_iterations(
                matrices, sweeps, edges, growth, limits, first, at_once, pairs, grams, ring.sums, shared, work
            )
            each = (problem.clock.seconds - began) / max(1, finished)
            for i in range(1, finished + 1):
                number = (first + i) % slots
                inner, error2 = ring.sums[number, :2].tolist()
                yield Slot(ring, number, inner, math.sqrt(error2 / norm2), error2, began + i * each)
            if finished < at_once:
                return
            first = (first + finished) % slots


def _after(problem: Problem, own: Algorithm, pair: Pair, rules: Extrapolation | None) -> Pair:
    """The next iteration, with momentum where that does not raise the objective."""
    if rules is None:
        return _iteration(problem, own, pair, pair.w, None, None)
    state = pair.momentum or Momentum(rules.beta, 1.0, pair.w, pair.h.rows)
    tried = _iteration(problem, own, pair, state.ahead, state, rules)
    if tried.objective <= pair.objective:
        return tried
    plain = _iteration(problem, own, pair, pair.w, None, None)
    return plain._replace(momentum=slower(state, plain.w, plain.h.rows, rules))


def _iteration(
    problem: Problem, own: Algorithm, pair: Pair, basis: Factor, state: Momentum | None, rules: Extrapolation | None
) -> Pair:
    """H from ``basis``, W or the point ahead of it, then W from H."""
    data, workers = problem.data, problem.workers
    beta = None if state is None else state.beta
    first = _half(
        data.T, problem.loss, own.h, basis, pair.h.rows, None if state is None else state.h, beta, False, workers
    )
    second = _half(data, problem.loss, own.w, first.ahead, basis.rows, pair.w.rows, beta, True, workers)
    error, value = problem.loss.value(data, second.factor, first.ahead, second.inner, workers)
    objective = value + problem.penalties(own, second.factor, first.ahead)
    momentum = None if state is None or rules is None else faster(state, second.ahead, first.factor.rows, rules)
    return Pair(
        second.factor, first.ahead, second.inner, error, objective, momentum, problem.clock.seconds, second.dots
    )


def _half(
    data: Any,
    loss: Loss,
    side: Side,
    fixed: Factor,
    before: Any,
    old: Any,
    beta: float | None,
    measured: bool,
    workers: Workers,
) -> Half:
    """A half-step of one start, block by block on this thread."""
    rank = len(fixed.gram)
    side.check_minimum(fixed.gram)
    new = kernels.memory.empty((data.shape[0], rank), data.dtype)
    ahead = None if beta is None else kernels.memory.empty(new.shape, data.dtype)
    tall = Tall(None if side.update.cold else before, fixed.rhs, old, side.linear(rank))
    step = HalfStep(side, fixed.gram, measured, beta)
    fill, sums = loss.fill(Batch(data, (step,), (fixed.rows,), (tall,), (new,), workers)), []
    for lo, hi in data.blocks:
        pair = np.zeros((2, rank))
        fill(lo, hi, (pair,))
        sums.append(block_sums(step, old, lo, hi, new, ahead, pair))
    gram, inner, dots, ahead_gram = total(sums)
    factor = Factor(new, gram)
    moved = factor if ahead is None else Factor(ahead, ahead_gram)
    return Half(factor, moved, float(inner.sum()) if measured else 0.0, dots)


def _step(problem: Problem, step: Step, before: Pair | Slot, last: Pair | Slot, marks: list[Mark]) -> Step:
    """The step at the last pair; the first mark is that of ``step``."""
    lengths = np.array([mark.squares for mark in marks])
    angles = turned(np.array([mark.dots for mark in marks[1:]]), lengths[:-1], lengths[1:])
    between: list[Record] = [
        (step.iteration + i, marks[i].seconds, marks[i].error, angle, math.nan)
        for i, angle in enumerate(angles.max(axis=1).tolist()[:-1], 1)
    ]
    return problem.step(
        step.iteration + len(marks) - 1,
        last.w,
        last.h,
        last.inner,
        step.scales,
        previous_w=before.w.rows,
        previous_error=before.error,
        angles=angles[-1],
        momentum=last.momentum,
        reseeded=step.reseeded,
        between=tuple(between),
    )
