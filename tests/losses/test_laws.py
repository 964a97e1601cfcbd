"""Every loss in the table keeps the law of losses, with its own algorithm and with a monotone one."""

import numpy as np
import pytest

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
