"""Iterations that adjust the penalties, so that every component has its target sparsity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from partwise.data.products import gram_matrix, product
from partwise.engine.component_sparsity import Thetas, sweep_to_targets
from partwise.engine.half_step import Half, Job, half_step
from partwise.engine.problem import Problem
from partwise.engine.step import Step
from partwise.kernels.products import column_dots
from partwise.types import Array, Data, Factor


def advance_adjusting(problem: Problem, step: Step) -> Step:
    """H, then W: a side with a target by sweeps that set θ on the way, a free one by the algorithm's half-step.

    The factor that is swept is gathered in this process, since a threshold needs whole columns.
    """
    thetas = step.thetas or Thetas()
    weights, theta_h = _side(problem, step, 1, step.weights, step.basis)
    known = replace(step, thetas=replace(thetas, h=theta_h), weights=weights)
    basis, theta_w = _side(problem, known, 0, step.basis, weights)
    dots = np.zeros(problem.rank)
    column_dots(np.asarray(basis.rows), np.asarray(step.w), dots)
    inner = problem.loss.sums(problem.data, weights.rows, basis.rows, problem.workers)[1]
    following = replace(step, thetas=Thetas(theta_w, theta_h))
    return problem.following(following, Half(basis, inner, dots), weights)


def _side(problem: Problem, step: Step, side: int, factor: Factor, fixed: Factor) -> tuple[Factor, tuple[float, ...]]:
    """(the new factor, its θ) of W (0) or H (1)."""
    data: Data = problem.data.T if side else problem.data
    own = step.own(problem.algorithm).sides[side]
    goals = own.penalty.goals(problem.rank)
    if goals is None:
        half = half_step(data, problem.loss, Job(own, fixed, before=factor.rows, measured=False), problem.workers)
        return replace(half.factor, rhs=None), ()
    rhs = product(data, fixed.rows, problem.workers)
    ridge = np.diag(own.penalty.matrix(problem.rank))
    free = np.setdiff1d(np.arange(problem.rank), own.update.fixed)
    rows, linear = sweep_to_targets(np.asarray(factor.rows), np.asarray(rhs), fixed.gram, ridge, goals, free)
    held = data.hold(np.ascontiguousarray(rows, data.dtype))
    lengths = np.sqrt(np.diag(fixed.gram))
    theta: Array = np.divide(linear, lengths, out=np.zeros(problem.rank), where=lengths > 0)
    return Factor(held, gram_matrix(held, data.blocks, problem.workers)), tuple(theta.tolist())
