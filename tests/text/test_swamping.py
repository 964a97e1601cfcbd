"""Words that stand in most topics: named, and left out where that is asked for."""

import numpy as np

import partwise as pw
from partwise.text import Weighting, collect
from partwise.text.document import as_documents
from partwise.text.swamping import swamping_words

GROUPS = ["ship harbour captain sail coast", "bread butter oven flour sugar", "violin flute concert melody horn"]
GROUPS += ["goal team match player league", "vote party minister law senate"]


def texts():
    """Five topics, with "reported" in nearly every text."""
    rng = np.random.default_rng(0)
    words = [group.split() for group in GROUPS]
    return [" ".join([*rng.permutation(words[i % 5])[:4], *["reported"] * (2 if i % 7 else 0)]) for i in range(200)]


def test_a_word_of_all_topics_is_named_and_dropped():
    """By default it is named; "auto" fits again without it, as if it were a stop word."""
    model = pw.TopicModel(5, weighting=Weighting(), seed=0).fit(texts())
    assert "reported" in model.swamping_words()
    auto = pw.TopicModel(5, weighting=Weighting(stop_words="auto"), seed=0).fit(texts())
    assert "reported" not in auto.terms
    assert auto.weighting.further_stop_words == ("reported",)
    assert auto.weighting.stop_words == "language"
    assert auto.swamping_words() == ()
    assert auto.clusters(labels=np.arange(200) % 5).scores.purity == 1


def test_dropping_is_the_fit_with_more_stop_words():
    """The matrix is the one of the words as stop words, with stems and n-grams too."""
    for options in ({}, {"stem": "english", "ngrams": (1, 2)}, {"normalize": False}):
        weighting = Weighting(min_df=1, **options)
        smaller = collect(as_documents(texts()), weighting).without(["reported", "ship"])
        oracle = collect(as_documents(texts()), smaller.vocabulary.weighting)
        assert smaller.vocabulary.keys == oracle.vocabulary.keys
        np.testing.assert_allclose(smaller.A.toarray(), oracle.A.toarray(), rtol=1e-12)
        assert smaller.empty == oracle.empty


def test_the_rule():
    """Among the 30 strongest of 40 % of the topics and three at least; phrases are never named."""
    w = np.zeros((4, 6))
    w[0, :2], w[1, :3], w[2, :4], w[3] = 1, 1, 1, 1
    assert swamping_words(w, ["two", "three", "four", "in all"]) == ("four", "three")
