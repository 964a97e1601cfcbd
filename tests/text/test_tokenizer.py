"""Words, stems and hash buckets: what is counted, and how terms are shown."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Weighting
from partwise.text.term_counts import count_terms, vocabulary_from_counts
from partwise.text.tokenizer import bucket

WORDS = ["cat", "cats", "dog", "dogs", "chasing", "chased", "naïve", "flat", "flatly", "the", "mat", "ZÜRICH", "zürich"]


WORD = st.sampled_from(WORDS)


CORPUS = st.lists(st.lists(WORD, max_size=8).map(" ".join), min_size=2, max_size=8).map(lambda t: [*t, "cat dog mat"])


@given(texts=CORPUS)
def test_stems_are_shown_as_their_commonest_form(texts):
    """Keys are Snowball's stems; each is shown as the word that was read most often, ties by the alphabet."""
    import snowballstemmer

    stem = snowballstemmer.stemmer("english").stemWord
    vocabulary, _ = Weighting("counts", stem="english", min_df=1, stop_words=None).fit(texts)
    seen = Counter(word for text in texts for word in text.lower().split())
    expected = {}
    for word in sorted(seen, key=lambda w: (-seen[w], w)):
        expected.setdefault(stem(word), word)
    assert dict(zip(vocabulary.keys, vocabulary.terms, strict=True)) == expected


def test_stemming_leaves_stop_words_out_first():
    """'was' is a stop word though its stem is not in the list; runs of stems show whole words."""
    vocabulary, _ = Weighting(stem="english", ngrams=(1, 2), min_df=1).fit(["It was running dogs", "running dogs bark"])
    assert "wa" not in vocabulary.keys
    assert dict(zip(vocabulary.keys, vocabulary.terms, strict=True))["run dog"] == "running dogs"


def test_words():
    """Letters of any script, composed or not; no digits; the pieces of contractions are stop words."""
    vocabulary, _ = Weighting(min_df=1).fit(["cafe\u0301 CAFÉ x 42 don't we've snake_case Straße привет"])
    assert vocabulary.terms == ("café", "case", "snake", "straße", "привет")


@given(texts=CORPUS, size=st.sampled_from([2, 5, 1000]), stem=st.sampled_from([None, "english"]))
def test_hashing_merges_what_meets_in_a_bucket(texts, size, stem):
    """By hand: the counts of a place are those of its words, and its name is the commonest of them."""
    texts = [*texts, "cat dog"]
    weighting = Weighting("counts", stop_words=None, min_df=1, normalize=False, hashing=size, stem=stem)
    vocabulary, matrix = weighting.fit(texts)
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
    assert vocabulary_from_counts(weighting, count_terms(weighting, texts)).terms == vocabulary.terms
