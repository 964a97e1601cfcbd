"""Specificity and explanations, each against numbers worked out by hand."""

import numpy as np
import pytest

from partwise.text.explain import explain_column
from partwise.text.topics import specificity


def test_specificity_by_hand():
    """Unit columns (.6, .8, 0) and (0, .8, .6): u²/Σu is .6, .64/1.6, 0 and 0, .4, .6; lengths do not count."""
    w = np.array([[3.0, 0], [4, 8], [0, 6]])
    np.testing.assert_allclose(specificity(w), [[0.6, 0], [0.4, 0.4], [0, 0.6]])
    np.testing.assert_allclose(specificity(w * [1, 7]), specificity(w))


def test_an_explanation_by_hand():
    """a = (2, 1, 0), W as above, h = (.5, .1): weights 2.5 and 1; terms speak by a_i u_ic, as parts of 1."""
    w = np.array([[3.0, 0], [4, 8], [0, 6]])
    column, row = np.array([2.0, 1, 0]), np.array([0.5, 0.1])
    parts, explained = explain_column(column, w, row, ("a", "b", "c"), ("one", "two"), 5)
    assert [(part.name, part.degree) for part in parts] == [
        ("one", pytest.approx(2.5 / 3.5)),
        ("two", pytest.approx(1 / 3.5)),
    ]
    assert [(term.term, term.weight) for term in parts[0].terms] == [
        ("a", pytest.approx(1.2 / 2)),
        ("b", pytest.approx(0.8 / 2)),
    ]
    assert [(term.term, term.weight) for term in parts[1].terms] == [("b", pytest.approx(1.0))]
    rest = np.array([2 - 1.5, 1 - 2.8, -0.6])
    assert explained == pytest.approx(1 - rest @ rest / 5)
