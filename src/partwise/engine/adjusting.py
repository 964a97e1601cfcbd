"""Iterations that set the penalties so that every component has its target sparsity, and go on with those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise import kernels
from partwise.data.products import gram_matrix
from partwise.engine.component_sparsity import Thetas, sweep_columns
from partwise.engine.half_step import Half, Job, half_step
from partwise.engine.problem import Problem
from partwise.engine.step import Step
from partwise.types import Array, Data, Factor


def advance_adjusting(problem: Problem, step: Step) -> Step:
    """H, then W: a side with a target by sweeps over its columns, a free one by the algorithm's half-step.

    The sweeps set θ on the way, until it is frozen. The factor that is swept is gathered in this process, since a
    threshold needs whole columns.
    """
    thetas = step.thetas or Thetas()
    weights, theta_h = _side(problem, step, 1, step.weights, step.basis)
    known = replace(step, thetas=replace(thetas, h=theta_h), weights=weights)
    basis, theta_w = _side(problem, known, 0, step.basis, weights)
    dots = np.zeros(problem.rank)
    kernels.products.column_dots(np.asarray(basis.rows), np.asarray(step.w), dots)
    inner = problem.loss.sums(problem.data, weights.rows, basis.rows, problem.workers)[1]
    following = replace(step, thetas=replace(thetas, w=theta_w, h=theta_h))
    return problem.following(following, Half(basis, inner, dots), weights)


def _side(problem: Problem, step: Step, side: int, factor: Factor, fixed: Factor) -> tuple[Factor, tuple[float, ...]]:
    """(the new factor, its θ) of W (0) or H (1)."""
    data: Data = problem.data.T if side else problem.data
    own = step.own(problem.algorithm).sides[side]
    goals = own.penalty.goals(problem.rank)
    if goals is None:
        half = half_step(data, problem.loss, Job(own, fixed, before=factor.rows, measured=False), problem.workers)
        return half.factor.with_rhs(), ()
    assert step.thetas is not None
    rows, lengths = np.array(factor.rows, np.float64), np.sqrt(np.diag(fixed.gram))
    linear = np.array(step.thetas.of(side)) * lengths if step.thetas.frozen else None
    ridge = np.diag(own.penalty.matrix(problem.rank))
    free = np.setdiff1d(np.arange(problem.rank), own.update.fixed)
    penalties = sweep_columns(rows, problem.loss.line(data, fixed, problem.workers), ridge, free, goals, linear)
    held = data.hold(np.ascontiguousarray(rows, data.dtype))
    new = Factor(held, gram_matrix(held, data.blocks, problem.workers))
    if step.thetas.frozen:
        return new, step.thetas.of(side)
    theta: Array = np.divide(penalties, lengths, out=np.zeros(problem.rank), where=lengths > 0)
    return new, tuple(theta.tolist())
