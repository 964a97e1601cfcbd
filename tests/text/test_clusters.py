"""Purity, NMI and ARI against scikit-learn's and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partwise.text.clusters import label_scores

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcd")), min_size=1, max_size=40)


@given(PAIRS)
def test_scores_are_scikit_learns(pairs):
    """NMI and ARI agree on any two labellings."""
    topics, labels = np.array([t for t, _ in pairs]), [label for _, label in pairs]
    found = label_scores(topics, labels)
    assert found.nmi == pytest.approx(normalized_mutual_info_score(labels, topics), abs=1e-9)
    assert found.ari == pytest.approx(adjusted_rand_score(labels, topics), abs=1e-9)


def test_purity_by_hand():
    """Topic 0 has a, a, b; topic 1 has b, b, c: four of six; what has no topic or no label is left out."""
    found = label_scores(np.array([0, 0, 0, 1, 1, 1, -1, 2]), ["a", "a", "b", "b", "b", "c", "a", ""])
    assert found.purity == pytest.approx(4 / 6)
    assert (found.documents, found.left_out) == (6, 2)
    assert label_scores(np.array([0, -1]), ["", "a"]) is None
