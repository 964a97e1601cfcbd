"""Two passes over parts give the vocabulary of one pass over all."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Weighting
from partwise.text.term_counts import count_terms, vocabulary_from_counts

WORDS = ["cat", "cats", "dog", "dogs", "chasing", "chased", "naïve", "flat", "the", "mat", "ZÜRICH", "zürich"]


CORPUS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=2, max_size=12)


def cut(texts, edges):
    """The texts in parts, some of them empty."""
    edges = [0, *sorted(edge % (len(texts) + 1) for edge in edges), len(texts)]
    return [texts[lo:hi] for lo, hi in pairwise(edges)]


def outcome(make):
    """(the refusal, what was made)"""
    try:
        return None, *make()
    except ValueError as error:
        return str(error), None, None


@given(
    texts=CORPUS,
    edges=st.lists(st.integers(0, 20), max_size=3),
    weight=st.sampled_from(["tfidf", "counts", "log-entropy"]),
    stem=st.sampled_from([None, "english"]),
    ngrams=st.sampled_from([(1, 1), (1, 2)]),
    df=st.sampled_from([(1, 1.0), (2, 1.0), (0.2, 0.6), (1, 3)]),
    most=st.sampled_from([None, 1, 3]),
)
def test_the_vocabulary_of_parts_is_that_of_the_whole(texts, edges, weight, stem, ngrams, df, most):
    """Keys, terms and weights for every choice of options; where one refuses, so does the other, in the same words."""
    weighting = Weighting(weight, stem=stem, ngrams=ngrams, min_df=df[0], max_df=df[1], max_terms=most)
    total = reduce(add, (count_terms(weighting, part) for part in cut(texts, edges)))
    (refusal, whole, matrix), (again, merged, *_) = (
        outcome(lambda: weighting.fit(texts)),
        outcome(lambda: [vocabulary_from_counts(weighting, total)]),
    )
    assert again == refusal
    if refusal:
        return
    assert (merged.keys, merged.terms) == (whole.keys, whole.terms)
    np.testing.assert_allclose(merged.global_weights, whole.global_weights, rtol=1e-12, atol=1e-12)
    if weight != "log-entropy":
        np.testing.assert_array_equal(merged.transform(texts).toarray(), matrix.toarray())
