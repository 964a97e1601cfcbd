"""The weights against scikit-learn and against plain numpy."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from partwise.text import Weighting
from partwise.text.stop_words import english
from partwise.text.tokenizer import PATTERN

TEXTS = [
    "The cat sat on the mat; the mat was flat.",
    "Dogs chase cats, and cats chase mice: don't they?",
    "A naïve café owner chased the dog, the café dog!",
    "Mice like flat mats more than cats like mice",
    "",
    "Mats, mats, mats and dogs",
]


PLAIN = {"stop_words": sorted(english()), "token_pattern": PATTERN}
OURS = {"pattern": PATTERN, "across_stop_words": True}


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"ngrams": (2, 3), "min_df": 1}, {"max_terms": 4}])
def test_tfidf_is_scikit_learns(options, normalize):
    """A is the transpose of TfidfVectorizer's matrix, terms included."""
    vocabulary, matrix = Weighting("tfidf", normalize=normalize, **OURS, **options).fit(TEXTS)
    oracle = TfidfVectorizer(
        ngram_range=options.get("ngrams", (1, 1)),
        min_df=options.get("min_df", 2),
        max_features=options.get("max_terms"),
        norm="l2" if normalize else None,
        **PLAIN,
    )
    expected = oracle.fit_transform(TEXTS).toarray().T
    assert list(vocabulary.terms) == list(oracle.get_feature_names_out())
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("df", [(1, 1.0), (2, 3), (0.2, 0.5), (1, 0.2)])
def test_counts_and_document_frequencies(df):
    """Counts without normalisation are CountVectorizer's."""
    weighting = Weighting("counts", normalize=False, min_df=df[0], max_df=df[1], **OURS)
    oracle = CountVectorizer(min_df=df[0], max_df=df[1], **PLAIN)
    np.testing.assert_array_equal(weighting.fit(TEXTS)[1].toarray(), oracle.fit_transform(TEXTS).toarray().T)


def test_log_entropy_by_hand():
    """log(1 + tf) (1 + Σ p log p / log(n + 1)), in plain loops."""
    vocabulary, matrix = Weighting("log-entropy", normalize=False, min_df=1, **OURS).fit(TEXTS)
    counts = CountVectorizer(**PLAIN).fit_transform(TEXTS).toarray()
    expected = np.zeros(counts.T.shape)
    for i in range(counts.shape[1]):
        p = [c / counts[:, i].sum() for c in counts[:, i] if c]
        weight = 1 + sum(q * np.log(q) for q in p) / np.log(len(TEXTS) + 1)
        expected[i] = np.log(1 + counts[:, i]) * weight
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-12, atol=1e-15)
    assert len(vocabulary) == len(expected)


def test_log_entropy_at_its_ends():
    """A word in one document weighs 1, one spread evenly over all little, and A has no entry below 0."""
    texts = [f"everyday only{'abcdefg'[i] * 2}" for i in range(7)]
    vocabulary, matrix = Weighting("log-entropy", min_df=1, normalize=False).fit(texts)
    weights = dict(zip(vocabulary.terms, vocabulary.global_weights, strict=True))
    assert weights.pop("everyday") == pytest.approx(1 - np.log(7) / np.log(8))
    assert set(weights.values()) == {1.0}
    assert matrix.data.min() > 0
    assert Weighting("log-entropy", min_df=1).fit(["cat dog"])[1].nnz == 2
