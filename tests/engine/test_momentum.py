"""Momentum against an independent Ang and Gillis (2019, algorithm 3) with exact rows from scipy."""

from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

import partwise as pw
from partwise.algorithms.base import Extrapolation
from partwise.engine.momentum import LEAST_BETA

A = np.random.default_rng(2).random((14, 11)) ** 2


def exact(matrix, fixed):
    """The rows x ≥ 0 that minimise ‖a − x fixedᵀ‖ for every row a."""
    return np.array([nnls(fixed, row)[0] for row in matrix])


def schedule(w, rounds, rules):
    """(‖A − WH‖², β, ceiling) of each iteration from W on, the pair of a try being (W, H ahead)."""
    h = exact(A.T, w)
    ahead, old_h, beta, ceiling = w, h, rules.beta, 1.0
    value = ((A - w @ h.T) ** 2).sum()
    for _ in range(rounds):
        new_h = exact(A.T, ahead)
        far_h = np.maximum(new_h + beta * (new_h - old_h), 0)
        new_w = exact(A, far_h)
        error = ((A - new_w @ far_h.T) ** 2).sum()
        if error <= value:
            ahead = np.maximum(new_w + beta * (new_w - w), 0)
            w, h, old_h, value = new_w, far_h, new_h, error
            beta, ceiling = min(ceiling, rules.growth * beta), min(1, rules.ceiling_growth * ceiling)
        else:
            h = exact(A.T, w)
            w = exact(A, h)
            ahead, old_h, value = w, h, ((A - w @ h.T) ** 2).sum()
            beta, ceiling = max(LEAST_BETA, beta / rules.shrink), beta
        yield value, beta, ceiling


@pytest.mark.parametrize("rules", [Extrapolation(0.5), Extrapolation(0.9), Extrapolation(0.9, growth=1.2)])
def test_the_schedule_is_that_of_the_paper(rules):
    """β grows to its ceiling, a failed try lowers both, and every error is that of the twin."""
    algorithm = replace(pw.extrapolated("anls"), extrapolation=rules)
    start = np.random.default_rng(3).random((14, 3))
    steps = list(islice(pw.iterate(A, 3, algorithm=algorithm, init=start, reseed=False), 1, 26))
    wanted = list(schedule(start, 25, rules))
    assert len({ceiling for _, _, ceiling in wanted}) > 4
    held = [rate for (_, _, ceiling), (_, rate, _) in pairwise(wanted) if rate == ceiling < 1]
    assert held or rules.growth < 1.2  # with the paper's growth a try fails before β comes to its ceiling
    for step, (value, rate, ceiling) in zip(steps, wanted, strict=True):
        assert step.objective == pytest.approx(value, rel=1e-8)
        assert (step.momentum.beta, step.momentum.ceiling) == pytest.approx((rate, ceiling), rel=1e-12)
