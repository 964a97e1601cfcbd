"""Precision by hand, by scikit-learn and by the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from partwise.experiments.ranking import average_precision, eleven_points, relevance


def test_by_hand():
    """Relevant at places 1, 3 and 6: precisions 1, 2/3, 1/2 at recalls 1/3, 2/3, 1."""
    ranked = [1, 0, 1, 0, 0, 1, 0]
    assert average_precision(ranked) == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)
    assert eleven_points(ranked) == pytest.approx([1, 1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 1 / 2, 1 / 2])
    # The second relevant document comes with a higher precision than the first, so it counts for the lower levels too.
    assert eleven_points([0, 1, 1]) == pytest.approx([2 / 3] * 11)


@given(st.lists(st.booleans(), min_size=1, max_size=60).filter(any), st.randoms(use_true_random=False))
def test_average_precision_is_scikit_learns(relevant, random):
    """Without ties the two are one."""
    scores = np.array(random.sample(range(1000), len(relevant)), float)
    ranked = relevance(scores, relevant)
    assert average_precision(ranked) == pytest.approx(average_precision_score(relevant, scores))


@given(st.lists(st.booleans(), min_size=1, max_size=60).filter(any))
def test_eleven_points_by_the_definition(ranked):
    """max precision over all places whose recall is at least the level."""
    hits = np.cumsum(ranked)
    for level, precision in enumerate(eleven_points(ranked)):
        reached = [hits[i] / (i + 1) for i in range(len(ranked)) if 10 * hits[i] >= level * hits[-1]]
        assert precision == pytest.approx(max(reached))


def test_ties_and_no_relevant_document():
    """Ties go to the earlier document; no relevant document is refused."""
    assert relevance([0.5, 1, 0.5], [True, False, False]).tolist() == [False, True, False]
    for measure in (average_precision, eleven_points):
        with pytest.raises(ValueError, match="without any relevant document"):
            measure([0, 0])
