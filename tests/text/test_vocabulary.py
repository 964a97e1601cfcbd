"""The columns of new texts, empty vocabularies, and the vocabulary kept in arrays."""

import numpy as np
import pytest
from corpus import texts
from hypothesis import given
from hypothesis import strategies as st

from partwise.text import Vocabulary, Weighting
from partwise.text.vocabulary import alphabetical

WORDS = ["cat", "cats", "dog", "dogs", "chasing", "chased", "naïve", "flat", "flatly", "the", "mat", "ZÜRICH", "zürich"]


WORD = st.sampled_from(WORDS)


CORPUS = st.lists(st.lists(WORD, max_size=8).map(" ".join), min_size=2, max_size=8).map(lambda t: [*t, "cat dog mat"])


@given(
    st.lists(st.text("ab\0é中\U00020000\ud800", max_size=8).map(lambda end: "prefix of bytes"[len(end) % 3 :] + end))
)
def test_the_alphabet_of_bytes_is_that_of_strings(names):
    """Also for names that start alike, and for equal ones, which keep their order."""
    assert alphabetical(names).tolist() == sorted(range(len(names)), key=names.__getitem__)


@given(
    texts=CORPUS,
    weight=st.sampled_from(["tfidf", "counts", "log-entropy"]),
    stem=st.sampled_from([None, "english"]),
    ngrams=st.sampled_from([(1, 1), (1, 2)]),
    normalize=st.booleans(),
)
def test_transform_of_the_training_texts_is_the_matrix(texts, weight, stem, ngrams, normalize):
    """For every choice, bit for bit, and again after a trip through arrays and JSON."""
    weighting = Weighting(weight, stem=stem, ngrams=ngrams, normalize=normalize, min_df=1)
    vocabulary, matrix = weighting.fit(iter(texts))
    for again in (vocabulary, Vocabulary.from_arrays(vocabulary.as_arrays())):
        np.testing.assert_array_equal(again.transform(iter(texts)).toarray(), matrix.toarray())
    assert matrix.format == "csr"
    assert (matrix.dtype, matrix.shape) == (np.float64, (len(vocabulary), len(texts)))
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=0))
    assert not normalize or np.allclose(norms[norms > 0], 1)


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


@given(st.text(alphabet="abship harbourtie, ", max_size=60))
@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"weight": "log-entropy"}, {"weight": "counts"}])
def test_a_query_is_weighed_as_a_text(options, text):
    """The quick way for one text gives the numbers of the vocabulary's own transform."""
    vocabulary, _ = Weighting(**options).fit([*texts(), "ship and harbour and ship"])
    wanted = vocabulary.transform([text]).toarray()[:, 0]
    np.testing.assert_allclose(vocabulary.column(text), wanted, rtol=1e-14, atol=0)


def test_unknown_words_are_told(model):
    """Words outside the vocabulary are named, stop words are not missed; none known is a sentence with a guess."""
    assert model.search("the ship and the spaceship").unknown == ("spaceship",)
    assert model.vocabulary.unknown_words("and the violin") == ()
    with pytest.raises(ValueError, match=r"No word of the query 'harbor vilin' .* did you mean 'harbour' or 'violin'"):
        model.search("harbor vilin")
