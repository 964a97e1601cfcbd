"""Two passes over parts give the vocabulary of one pass over all; hashing keeps to its table and its names."""

from collections import Counter
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from corpus import texts as corpus_texts
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import TopicModel, Weighting
from partwise.text.term_counts import count_terms, vocabulary_from_counts
from partwise.text.tokenizer import bucket

WORDS = ["cat", "cats", "dog", "dogs", "chasing", "chased", "naïve", "flat", "the", "mat", "ZÜRICH", "zürich"]
CORPUS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=2, max_size=12)


def cut(texts, edges):
    """The texts in parts, some of them empty."""
    edges = [0, *sorted(edge % (len(texts) + 1) for edge in edges), len(texts)]
    return [texts[lo:hi] for lo, hi in pairwise(edges)]


def told(make):
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
    made = Weighting(weight, stem=stem, ngrams=ngrams, min_df=df[0], max_df=df[1], max_terms=most)
    total = reduce(add, (count_terms(made, part) for part in cut(texts, edges)))
    (refusal, whole, matrix), (again, found, *_) = (
        told(lambda: made.fit(texts)),
        told(lambda: [vocabulary_from_counts(made, total)]),
    )
    assert again == refusal
    if refusal:
        return
    assert (found.keys, found.terms) == (whole.keys, whole.terms)
    np.testing.assert_allclose(found.global_weights, whole.global_weights, rtol=1e-12, atol=1e-12)
    if weight != "log-entropy":
        np.testing.assert_array_equal(found.transform(texts).toarray(), matrix.toarray())


@given(texts=CORPUS, size=st.sampled_from([2, 5, 1000]), stem=st.sampled_from([None, "english"]))
def test_hashing_merges_what_meets_in_a_bucket(texts, size, stem):
    """By hand: the counts of a place are those of its words, and its name is the commonest of them."""
    texts = [*texts, "cat dog"]
    made = Weighting("counts", stop_words=None, min_df=1, normalize=False, hashing=size, stem=stem)
    vocabulary, matrix = made.fit(texts)
    plain, apart = Weighting("counts", stop_words=None, min_df=1, normalize=False, stem=stem).fit(texts)
    expected = Counter()
    for key, row in zip(plain.keys, apart.toarray(), strict=True):
        expected[bucket(key, size)] += row
    for key, row in zip(vocabulary.keys, matrix.toarray(), strict=True):
        np.testing.assert_array_equal(row, expected[key])
    names = dict(zip(vocabulary.keys, vocabulary.terms, strict=True))
    most = {}
    for key, term, total in sorted(zip(plain.keys, plain.terms, apart.sum(axis=1), strict=True), key=lambda r: -r[2]):
        most.setdefault(bucket(key, size), set()).add((term, total))
    for key, name in names.items():
        totals = dict(most[key])
        assert totals[name] == max(totals.values())
    assert vocabulary_from_counts(made, count_terms(made, texts)).terms == vocabulary.terms


def test_a_hashed_model_searches_and_transforms(tmp_path):
    """Queries meet the same places, names are words, and a file brings it all back."""
    model = TopicModel(3, weighting=Weighting(hashing=2**18)).fit(corpus_texts())
    plain = TopicModel(3).fit(corpus_texts())
    assert set(model.terms) == set(plain.terms)
    assert model.search("ship harbour").hits[0].score == pytest.approx(plain.search("ship harbour").hits[0].score)
    model.save(tmp_path / "m")
    again = TopicModel.load(tmp_path / "m")
    np.testing.assert_array_equal(again.transform(["bread butter"]), model.transform(["bread butter"]))
    assert again.vocabulary.unknown_words("ship spaceship the") == ("spaceship",)
    assert again.vocabulary.column("ship").any()


@pytest.mark.parametrize("hashing", [0, 1, True, 2.5, "2**18"])
def test_a_table_of_no_size_is_refused(hashing):
    """In a sentence."""
    with pytest.raises(ValueError, match="hashing must be"):
        Weighting(hashing=hashing)
