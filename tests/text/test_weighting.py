"""The weights against scikit-learn and against plain numpy; the vocabulary kept in arrays; bad input."""

import json
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from partwise.text import Vocabulary, Weighting
from partwise.text.stop_words import english, read_stop_words
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


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"ngrams": (2, 3), "min_df": 1}, {"max_terms": 4}])
def test_tfidf_is_scikit_learns(options, normalize):
    """A is the transpose of TfidfVectorizer's matrix, terms included."""
    vocabulary, matrix = Weighting(normalize=normalize, **options).fit(TEXTS)
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
    weighting = Weighting("counts", normalize=False, min_df=df[0], max_df=df[1])
    oracle = CountVectorizer(min_df=df[0], max_df=df[1], **PLAIN)
    np.testing.assert_array_equal(weighting.fit(TEXTS)[1].toarray(), oracle.fit_transform(TEXTS).toarray().T)


def test_log_entropy_by_hand():
    """log(1 + tf) (1 + Σ p log p / log n), in plain loops."""
    vocabulary, matrix = Weighting("log-entropy", normalize=False, min_df=1).fit(TEXTS)
    counts = CountVectorizer(**PLAIN).fit_transform(TEXTS).toarray()
    expected = np.zeros(counts.T.shape)
    for i in range(counts.shape[1]):
        p = [c / counts[:, i].sum() for c in counts[:, i] if c]
        weight = 1 + sum(q * np.log(q) for q in p) / np.log(len(TEXTS))
        expected[i] = np.log(1 + counts[:, i]) * weight
    np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-12, atol=1e-15)
    assert len(vocabulary) == len(expected)


def test_log_entropy_at_its_ends():
    """A word in one document weighs 1, one spread evenly over all weighs nothing, and A is never negative."""
    texts = [f"everyday only{'abcdefg'[i] * 2}" for i in range(7)]
    vocabulary, matrix = Weighting("log-entropy", min_df=1, normalize=False).fit(texts)
    weights = dict(zip(vocabulary.terms, vocabulary.global_weights, strict=True))
    assert weights.pop("everyday") == pytest.approx(0, abs=1e-12)
    assert set(weights.values()) == {1.0}
    assert matrix.data.min() >= 0
    assert Weighting("log-entropy", min_df=1).fit(["cat dog"])[1].nnz == 2


WORDS = ["cat", "cats", "dog", "dogs", "chasing", "chased", "naïve", "flat", "flatly", "the", "mat", "ZÜRICH", "zürich"]
WORD = st.sampled_from(WORDS)
CORPUS = st.lists(st.lists(WORD, max_size=8).map(" ".join), min_size=2, max_size=8).map(lambda t: [*t, "cat dog mat"])


@given(
    texts=CORPUS,
    weight=st.sampled_from(["tfidf", "counts", "log-entropy"]),
    stem=st.sampled_from([None, "english"]),
    ngrams=st.sampled_from([(1, 1), (1, 2)]),
    normalize=st.booleans(),
)
def test_transform_of_the_training_texts_is_the_matrix(texts, weight, stem, ngrams, normalize):
    """For every choice, bit for bit, and again after a trip through arrays and JSON."""
    made = Weighting(weight, stem=stem, ngrams=ngrams, normalize=normalize, min_df=1)
    vocabulary, matrix = made.fit(iter(texts))
    for again in (vocabulary, Vocabulary.from_arrays(vocabulary.as_arrays())):
        np.testing.assert_array_equal(again.transform(iter(texts)).toarray(), matrix.toarray())
    assert matrix.format == "csr"
    assert (matrix.dtype, matrix.shape) == (np.float64, (len(vocabulary), len(texts)))
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=0))
    assert not normalize or np.allclose(norms[norms > 0], 1)


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


def test_options_survive_json():
    """A weighting is its own dictionary, every option of it."""
    made = Weighting("counts", ("le", "la"), (1, 2), 0.1, 0.9, 100, "french", False, r"\w+", 64)
    options = json.loads(json.dumps(made.as_dict()))
    assert Weighting.from_dict(options) == made
    assert set(options) == {f.name for f in fields(Weighting)}
    assert all(getattr(made, f.name) != f.default for f in fields(Weighting))
    with pytest.raises(ValueError, match="no weighting option 'colour'"):
        Weighting.from_dict({"colour": 1})


def test_stop_words_from_a_file(tmp_path):
    """One or more words a line; # starts a remark."""
    path = tmp_path / "stop.txt"
    path.write_text("# French\nLe la\nles\nle\n", encoding="utf-8")
    assert read_stop_words(path) == ("le", "la", "les")
    assert Weighting(stop_words=read_stop_words(path), min_df=1).fit(["Le chat"])[0].terms == ("chat",)
    with pytest.raises(FileNotFoundError, match="no file of stop words"):
        read_stop_words(tmp_path / "none.txt")
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="is not utf-8"):
        read_stop_words(path)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weight": "tf-idf"}, r"no weight 'tf-idf'; did you mean 'tfidf'\?"),
        ({"stem": "englsh"}, r"no stemmer 'englsh'; did you mean 'english'\?"),
        ({"stop_words": "french"}, "no stop words 'french'"),
        ({"min_df": 0}, "min_df must be"),
        ({"min_df": 1.5}, "min_df must be"),
        ({"max_df": True}, "max_df must be"),
        ({"max_terms": 0}, "max_terms must be"),
        ({"ngrams": (2, 1)}, "ngrams must be"),
        ({"ngrams": 2}, "ngrams must be"),
        ({"pattern": "("}, "not a regular expression"),
        ({"pattern": "(a)(b)"}, "at most one group"),
    ],
)
def test_bad_options(options, sentence):
    """Refused when the weighting is made."""
    with pytest.raises(ValueError, match=sentence):
        Weighting(**options)
    with pytest.raises(TypeError, match="stop_words must be"):
        Weighting(stop_words=["a", "list"])


@pytest.mark.parametrize(
    ("texts", "options", "sentence"),
    [
        ([], {}, "The collection is empty"),
        (["", " "], {}, "There is no word in 2 documents"),
        (["12 34", "5"], {}, "There is no word in 2 documents"),
        (["the and", "of"], {}, "There is no word left in 2 documents once stop words are left out"),
        (["cat", "dog"], {}, r"No term is in enough and not too many documents of 2 \(min_df=2, max_df=1.0\)"),
        (["cat cat"], {}, "min_df=2 asks for terms in at least 2 documents, and the collection has 1 document;"),
        (
            ["cat", "cat"],
            {"min_df": 9},
            "in at least 9 documents, and the collection has 2 documents",
        ),
        (["cat", "cat"], {"min_df": 1, "max_df": 0.5}, "lower min_df or raise max_df"),
        (["cat", "cat"], {"min_df": 2, "max_df": 1}, "lower min_df or raise max_df"),
        (["cat dog"], {"ngrams": (3, 3), "min_df": 1}, "There is no run of 3 words in 1 document;"),
    ],
)
def test_no_vocabulary(texts, options, sentence):
    """The reason, not only that there is none."""
    with pytest.raises(ValueError, match=sentence):
        Weighting(**options).fit(texts)


def test_texts_must_be_texts():
    """A single string is not a collection; a number is not a text."""
    with pytest.raises(TypeError, match="put it in a list"):
        Weighting().fit("a text")
    vocabulary, _ = Weighting(min_df=1).fit(["one document will do"])
    with pytest.raises(TypeError, match="put it in a list"):
        vocabulary.transform("a text")
    with pytest.raises(TypeError, match="Texts must be strings, not int"):
        Weighting().fit(["one", 2])


def test_unknown_words_are_ignored():
    """A text without any known word is a column of zeros."""
    vocabulary, _ = Weighting(min_df=1).fit(["cat dog"])
    assert vocabulary.transform(["mouse", "cat mouse"]).toarray().T.tolist()[0] == [0, 0]
    assert vocabulary.transform([]).shape == (2, 0)


def test_damaged_arrays():
    """Arrays that do not belong together are refused."""
    arrays = Weighting(min_df=1).fit(["cat dog"])[0].as_arrays()
    with pytest.raises(ValueError, match="damaged"):
        Vocabulary.from_arrays({**arrays, "global_weights": np.ones(3)})
    with pytest.raises(ValueError, match="damaged"):
        Vocabulary.from_arrays({**arrays, "terms": arrays["weighting"]})
