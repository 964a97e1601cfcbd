"""Phrases against gensim's, by hand, and in a model that is saved and asked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Vocabulary, Weighting
from partwise.text.phrases import npmi
from partwise.text.term_stream import read_terms

WORD = st.sampled_from(["new", "york", "stock", "exchange", "bank", "of", "the", "ship"])
TEXTS = st.lists(st.lists(WORD, max_size=12).map(" ".join), min_size=1, max_size=8)


@given(texts=TEXTS, least=st.sampled_from([-0.2, 0.0, 0.3, 0.6]), count=st.integers(1, 3))
def test_phrases_are_gensim_s(texts, least, count):
    """The pairs that gensim finds in runs of words between stop words, and the units it makes of each text."""
    gensim = pytest.importorskip("gensim.models.phrases")
    weighting = Weighting(phrases=least, phrase_count=count, min_df=1)
    stream = read_terms(weighting.analyzer(), texts, find=weighting.sought_phrases)
    stop = weighting.stopped()
    runs = [run for text in texts for run in content_runs(text.split(), stop)]
    if not runs:
        return
    oracle = gensim.Phrases(runs, min_count=count, threshold=least - 1e-12, scoring="npmi", delimiter=" ")
    assert stream.analyzer.phrases == set(oracle.export_phrases())
    for text in texts:
        expected = [unit for run in content_runs(text.split(), stop) for unit in oracle[run]]
        assert stream.analyzer(text) == expected


def content_runs(words, stop):
    """The words between stop words."""
    runs = [[]]
    for word in words:
        if word in stop:
            runs.append([])
        else:
            runs[-1].append(word)
    return [run for run in runs if run]


def test_npmi_by_hand():
    """Two words that are only ever seen together have 1, independent ones 0."""
    scores = npmi(np.array([5, 4]), np.array([5, 20]), np.array([5, 20]), 100)
    np.testing.assert_allclose(scores, [1, 0], atol=1e-15)


def test_phrases_are_terms():
    """New York is one term in the matrix, in new texts, and after a trip through arrays; its words alone are others."""
    texts = ["new york bank", "a new ship in new york", "old york and a new bank", "new york ship"] * 3
    weighting = Weighting("counts", phrases=0.1, phrase_count=9, min_df=1, normalize=False)
    vocabulary, matrix = weighting.fit(texts)
    assert "new york" in vocabulary.terms
    again = Vocabulary.from_arrays(vocabulary.as_arrays())
    np.testing.assert_array_equal(again.transform(texts).toarray(), matrix.toarray())
    counts = dict(zip(again.keys, again.column("the new york of the new bank"), strict=True))
    assert (counts["new york"], counts["new"], counts["york"]) == (1, 1, 0)
