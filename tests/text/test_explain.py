"""Explanations against numbers worked out by hand, and of a model."""

import numpy as np
import pytest
from corpus import texts

from partwise.text.explain import explain_column


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


def test_explain_says_which_terms_carried_it(model):
    """Degrees as in the clusters; the terms are the document's own, their parts add up to at most 1."""
    for i in (0, 1, 2):
        explanation = model.explain(i)
        assert explanation.parts[0].topic == model.strongest.topic[i]
        assert sum(part.degree for part in explanation.parts) == pytest.approx(1)
        words = set(texts()[i].split())
        assert all(term.term in words for part in explanation.parts for term in part.terms)
        assert all(sum(term.weight for term in part.terms) <= 1 + 1e-9 for part in explanation.parts)
        assert 0 < explanation.explained <= 1
    explanation, again = model.explain_text(texts()[0]), model.explain(0)
    assert [p.topic for p in explanation.parts] == [p.topic for p in again.parts]
    assert explanation.explained == pytest.approx(again.explained, abs=1e-6)
