"""Words, stems and hash buckets: what is counted, and how terms are shown."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Weighting
from partwise.text.analyzer import bucket
from partwise.text.term_counts import count_terms, vocabulary_from_counts
from partwise.text.term_stream import read_terms

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


@given(
    texts=CORPUS,
    stem=st.sampled_from([None, "english"]),
    ngrams=st.sampled_from([(1, 1), (1, 3), (2, 2)]),
    across=st.booleans(),
    phrases=st.sampled_from([None, 0.0]),
)
def test_many_texts_at_once_give_the_keys_of_each(texts, stem, ngrams, across, phrases):
    """The counts of a stream are those of the analyzer, text by text."""
    weighting = Weighting(stem=stem, ngrams=ngrams, across_stop_words=across, phrases=phrases, phrase_count=1)
    stream = read_terms(weighting.analyzer(), texts, find=weighting.sought_phrases)
    keys = stream.names(np.arange(stream.counts.shape[1]))
    assert len(set(keys)) == len(keys)
    for text, row in zip(texts, stream.counts.toarray(), strict=True):
        assert Counter(stream.analyzer(text)) == Counter({key: n for key, n in zip(keys, row, strict=True) if n})
    content = [stream.analyzer.content_words(text) for text in texts]
    assert stream.tokens.content_words == sum(map(len, content))


def test_a_stop_word_ends_a_run():
    """Neighbours in the text alone are joined, unless version 0.1's way is wanted."""
    text = "bank of england and new york stock exchange"
    assert Weighting(ngrams=(2, 2)).analyzer()(text) == ["new york", "york stock", "stock exchange"]
    old = Weighting(ngrams=(2, 2), across_stop_words=True).analyzer()(text)
    assert old == ["bank england", "england new", "new york", "york stock", "stock exchange"]


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
