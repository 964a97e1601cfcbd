"""Descriptions of topics: terms, specificity, shares and coherence, by hand."""

import math

import numpy as np
import pytest
from corpus import documents, texts
from hypothesis import given
from hypothesis import strategies as st

from partwise.linalg.matching import largest
from partwise.text import Document, TopicModel, Weighting
from partwise.text.topics import specificity


def test_specificity_by_hand():
    """Unit columns (.6, .8, 0) and (0, .8, .6): u²/Σu is .6, .64/1.6, 0 and 0, .4, .6; lengths do not count."""
    w = np.array([[3.0, 0], [4, 8], [0, 6]])
    np.testing.assert_allclose(specificity(w), [[0.6, 0], [0.4, 0.4], [0, 0.6]])
    np.testing.assert_allclose(specificity(w * [1, 7]), specificity(w))


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(0, 25))
def test_the_largest_are_those_of_a_stable_sort(scores, n):
    """Ties by their place, and all of them where there are fewer."""
    values = np.array(scores, float)
    assert largest(values, n).tolist() == np.argsort(-values, kind="stable")[:n].tolist()


def test_topics_are_the_themes(model):
    """Each topic is one theme: its terms, its documents, its share; the largest share first."""
    topics = model.topics(5)
    for topic in topics:
        labels = {model.collection.labels[d.index] for d in topic.documents}
        assert len(labels) == 1
    assert sum(topic.share for topic in topics) == pytest.approx(1)
    assert [topic.share for topic in topics] == sorted((t.share for t in topics), reverse=True)
    assert sum(topic.size for topic in topics) == 30
    assert len({topic.name for topic in topics}) == 3
    assert topics.diversity == len({t.term for topic in topics for t in topic.terms}) / 15
    weights = [t.weight for t in topics[0].terms]
    column = model.factorization.W[:, 0]
    np.testing.assert_allclose(weights, np.sort(column)[::-1][:5] / np.linalg.norm(column))


def test_coherence_by_hand(model):
    """NPMI from sets of documents, counted one by one."""
    word_sets = [set(text.split()) for text in texts()]

    def npmi(a, b):
        both = sum(a in words and b in words for words in word_sets) / 30
        if both in (0, 1):
            return 2 * both - 1
        alone = [sum(term in words for words in word_sets) / 30 for term in (a, b)]
        return math.log(both / alone[0] / alone[1]) / -math.log(both)

    for topic in model.topics(4):
        terms = [t.term for t in topic.terms]
        pairs = [npmi(a, b) for i, a in enumerate(terms) for b in terms[:i]]
        assert topic.coherence == pytest.approx(sum(pairs) / len(pairs))


def test_specific_terms_are_not_shared():
    """A term in every topic is strong by weight but comes late by specificity."""
    corpus = [Document(d.id, "common common " + d.text) for d in documents()]
    topics = TopicModel(3, seed=1, weighting=Weighting(weight="counts")).fit(corpus).topics(8)
    assert all("common" in [t.term for t in topic.terms[:3]] for topic in topics)
    assert all("common" not in [t.term for t in topic.specific[:2]] for topic in topics)
    assert all(not topic.name.startswith("common") for topic in topics)
