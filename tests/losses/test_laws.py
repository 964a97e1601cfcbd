"""Every loss in the table keeps the law of losses, with its own algorithm and with a monotone one."""

from itertools import islice

import numpy as np
import pytest

import partwise as pw
from partwise.losses.table import LOSSES, algorithm_for, as_loss
from partwise.testing import check_loss

A = np.random.default_rng(0).random((15, 12)) + 0.1
CASES = [(name, None) for name in (*LOSSES, "beta=1.5")] + [("squared", "hals"), ("poisson", "kl-multiplicative")]


@pytest.mark.parametrize(("name", "algorithm"), CASES, ids=str)
def test_losses_keep_their_law(name, algorithm):
    """Row-wise, the sum of its entries, never rising, a minimum where it says stationary, free of scale."""
    check_loss(as_loss(name), algorithm_for(algorithm, name), A, rank=2)


def test_a_wrong_value_is_caught(monkeypatch):
    """The check can fail: a loss whose entries do not add up to its value, and one that counts some of them alone."""
    squared = as_loss("squared")
    monkeypatch.setattr(type(squared), "entrywise", lambda self, a, y: abs(a - y))
    with pytest.raises(AssertionError, match="has a value of"):
        check_loss(squared, algorithm_for("hals"), A, rank=2)


METHODS = [
    ("hals", False), ("hals", True), ("anls", True), ("kl-sweeps", False), ("kl-sweeps", True), ("kl-newton", False),
    ("kl-newton", True), ("kl-multiplicative", True), ("beta=1.5", False), ("itakura-saito", False),
]  # fmt: skip


def problem(seed, positive):
    """Counts with an empty row and column and words that are rare, weights with unknown ones, a start with a dead
    component; where entries must be positive, a row and a column that nearly are zero."""
    rng = np.random.default_rng(seed)
    a = rng.poisson(rng.gamma(0.5, 2, (9, 2)) @ rng.gamma(0.5, 2, (2, 8)) * rng.choice([0.3, 3])).astype(float)
    a[4], a[:, 5], a[6] = 0, 0, np.eye(8)[seed % 8]
    a[0, 0] = 1 + seed % 3
    weights = rng.choice([0, 1, 1, 2.5], a.shape)
    weights[3], weights[:, 2], weights[0, 0] = 0, 0, 1
    start = rng.random((9, int(rng.integers(1, 5)))) + 0.05
    start[:, :: 2 + seed % 3] *= seed % 2
    return a + 1e-3 * positive, weights, start if start.any() else start + 1


@pytest.mark.parametrize(("method", "weighted"), METHODS, ids=str)
def test_the_objective_never_rises_over_random_problems(method, weighted):
    """100 problems for every loss, weighted where it can be: reported pairs never get worse, and stay finite."""
    by_loss = "=" in method or method == "itakura-saito"
    chosen = {"loss": method} if by_loss else {"algorithm": method}
    for seed in range(100):
        a, weights, start = problem(seed, by_loss)
        known = {"weights": weights} if weighted else {}
        steps = pw.iterate(a, start.shape[1], init=start, reseed=False, threads=1, **chosen, **known)
        values = np.array([step.objective for step in islice(steps, 6)])
        assert np.isfinite(values).all(), seed
        assert (np.diff(values) <= 1e-9 * values[0]).all(), (seed, values)
